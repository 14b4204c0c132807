package transfer

import (
	"container/list"
	"sync"
	"sync/atomic"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
)

// cache has the windows that were fetched or are arriving. When room is needed, the window used least recently goes to
// the shelf, or is forgotten where that has no room either. A window in use stays where it is.
type cache struct {
	mu          sync.Mutex
	limit, used uint64
	entries     map[content]*entry
	idle        list.List // of *entry: whole, in memory, not in use; most recent first
	shelf       shelf
}

type content struct {
	id     puzzle.WindowID
	digest blocks.Digest
}

// entry is a window. Its blocks are in hold, in memory or in a file of their own, or on the shelf, or both in memory
// and on the shelf. None of that is taken away while it is in use.
type entry struct {
	content
	hold   spool
	arrive *inbound // nil once it is whole
	room   uint64   // of the cache's memory
	blocks atomic.Uint64

	// Below the cache's lock.
	users   int
	turn    *turn         // of the fetch under way
	whole   bool          // and checked
	spoilt  bool          // the checked blocks have changed since, or have no reader any more
	at      *list.Element // in idle
	shelved *region       // nil: not on the shelf
}

// held reports whether the blocks are in hold.
func (e *entry) held() bool { return e.room > 0 || e.hold.file != nil }

// turn is one attempt at fetching a window. Other readers may wait for it.
type turn struct {
	done chan struct{}
	err  error
}

func newCache(limit uint64) *cache {
	s := &cache{limit: limit, entries: make(map[content]*entry)}
	s.shelf.gone = func(e *entry) {
		s.shelf.remove(e)
		if !e.held() {
			s.remove(e)
		}
	}
	return s
}

// take returns the entry of a window, and makes it when the cache has none. Each take is followed by a release.
func (s *cache) take(c content) *entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.entries[c]
	if e == nil {
		e = &entry{content: c}
		s.entries[c] = e
	}
	if e.at != nil {
		s.idle.Remove(e.at)
		e.at = nil
	}
	e.users++
	return e
}

// begin gives the caller the turn to fetch e, or tells whose turn to wait for. Neither means that e is whole.
func (s *cache) begin(e *entry) (mine, theirs *turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case e.whole:
		return nil, nil
	case e.turn != nil:
		return nil, e.turn
	}
	e.turn = &turn{done: make(chan struct{})}
	return e.turn, nil
}

func (s *cache) finish(e *entry, t *turn, err error) {
	s.mu.Lock()
	t.err, e.whole, e.turn = err, err == nil, nil
	s.mu.Unlock()
	close(t.done)
}

// reserve takes memory for e, and makes room for it if that can be done.
func (s *cache) reserve(e *entry, n uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n > s.limit {
		return false
	}
	for s.used > s.limit-n {
		last := s.idle.Back()
		if last == nil {
			return false
		}
		s.evict(last.Value.(*entry))
	}
	s.used += n
	e.room = n
	return true
}

// evict takes an idle entry out of memory. While it is written to the shelf, without the lock, another reader may take
// it: then it stays in memory too.
func (s *cache) evict(e *entry) {
	s.idle.Remove(e.at)
	e.at = nil
	if e.shelved == nil {
		e.users++
		s.shelve(e)
		if e.users--; e.users > 0 {
			return
		}
	}
	s.used -= e.room
	e.room = 0
	e.hold.close()
	if e.shelved == nil || e.spoilt {
		s.remove(e)
	}
}

// shelve writes an entry that the caller uses to the shelf, if there is room. The lock is not held meanwhile.
func (s *cache) shelve(e *entry) {
	r, err := s.shelf.room(sizeInFile(&e.hold))
	if r == nil {
		if err != nil {
			s.shelf.stop(err)
		}
		return
	}
	s.mu.Unlock()
	err = r.write(&e.hold)
	s.mu.Lock()
	s.shelf.written(e, r, err == nil)
	if err != nil {
		s.shelf.stop(err)
	}
}

// release ends a use of e. The last one puts it where it stays.
func (s *cache) release(e *entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.users--; e.users > 0 {
		return
	}
	if e.shelved != nil && e.shelved.volume.at == nil {
		s.shelf.remove(e)
	}
	switch {
	case !e.whole || e.spoilt:
		s.remove(e)
	case e.room > 0:
		e.at = s.idle.PushFront(e)
	case e.hold.file != nil && s.shelf.adopt(e), e.shelved != nil:
	default:
		s.remove(e)
	}
}

// trim gives back what the shelf has taken of a disk that has become full meanwhile.
func (s *cache) trim() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shelf.used > 0 {
		s.shelf.shrink(0)
	}
}

// each passes the blocks of an entry that the caller uses.
func (e *entry) each(fn func(first uint64, coded []byte) error) error {
	if e.held() {
		return e.hold.each(fn)
	}
	return e.shelved.each(fn)
}

// spoil makes sure that no other reader takes e.
func (s *cache) spoil(e *entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.spoilt = true
	if s.entries[e.content] == e {
		delete(s.entries, e.content)
	}
}

// forget gives up windows that will not be read any more.
func (s *cache) forget(ids []puzzle.WindowID) {
	gone := make(map[puzzle.WindowID]struct{}, len(ids))
	for _, id := range ids {
		gone[id] = struct{}{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for c, e := range s.entries {
		if _, ok := gone[c.id]; !ok {
			continue
		}
		if e.spoilt = true; e.users == 0 {
			s.remove(e)
		}
	}
}

// remove forgets an entry without users.
func (s *cache) remove(e *entry) {
	if s.entries[e.content] == e {
		delete(s.entries, e.content)
	}
	if e.at != nil {
		s.idle.Remove(e.at)
		e.at = nil
	}
	s.used -= e.room
	e.room = 0
	e.hold.close()
	if e.shelved != nil {
		s.shelf.remove(e)
	}
}

func (s *cache) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for e := s.idle.Back(); e != nil; e = s.idle.Back() {
		s.remove(e.Value.(*entry))
	}
	s.shelf.clear()
}
