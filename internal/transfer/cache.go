package transfer

import (
	"container/list"
	"sync"
	"sync/atomic"

	"pagoda/internal/blocks"
	"pagoda/internal/puzzle"
)

// cache has the windows that were fetched or are arriving. It forgets what was used least recently when room is needed;
// what is in use is never forgotten.
type cache struct {
	mu          sync.Mutex
	limit, used uint64
	entries     map[content]*entry
	idle        list.List // of *entry: whole, in memory, not in use; most recent first
}

type content struct {
	id     puzzle.WindowID
	digest blocks.Digest
}

type entry struct {
	content
	hold   spool
	arrive *inbound // nil once it is whole
	room   uint64   // of the cache's memory
	blocks atomic.Uint64

	// Below the cache's lock.
	users  int
	turn   *turn         // of whoever fetches it just now
	whole  bool          // and checked
	spoilt bool          // what was checked has changed since
	at     *list.Element // in idle
}

// turn is one go at fetching a window, which others may wait for.
type turn struct {
	done chan struct{}
	err  error
}

func newCache(limit uint64) *cache {
	return &cache{limit: limit, entries: make(map[content]*entry)}
}

// take returns the entry of a window, which is new when nobody has asked for it lately. Each take is followed by a
// release.
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
		s.remove(last.Value.(*entry))
	}
	s.used += n
	e.room = n
	return true
}

func (s *cache) release(e *entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.users--; e.users > 0 {
		return
	}
	if e.whole && !e.spoilt && e.hold.file == nil {
		e.at = s.idle.PushFront(e)
		return
	}
	s.remove(e) // unfinished, spoilt, or in a file
}

// spoil makes sure that nobody else takes e.
func (s *cache) spoil(e *entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.spoilt = true
	if s.entries[e.content] == e {
		delete(s.entries, e.content)
	}
}

func (s *cache) remove(e *entry) {
	if s.entries[e.content] == e {
		delete(s.entries, e.content)
	}
	if e.at != nil {
		s.idle.Remove(e.at)
	}
	s.used -= e.room
	e.hold.close()
}

func (s *cache) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for e := s.idle.Back(); e != nil; e = s.idle.Back() {
		s.remove(e.Value.(*entry))
	}
}
