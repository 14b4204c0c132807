package kv

import (
	"errors"
	"runtime"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"pagoda/internal/puzzle"
)

// commits carries out commits in groups: those that arrive while a group is on its way to the disk are the next one.
// A group takes one sync of the segments and one of the log, however many windows it has.
type commits struct {
	mu      sync.Mutex
	waiting []*commit
	busy    bool // a group is on its way
}

// A commit is windows that are committed together.
type commit struct {
	windows []written
	err     error
	turn    chan bool // true: the commit has been carried out; false: it is to carry out the next group
}

// written is a window whose blocks are written and whose record is ready.
type written struct {
	id      puzzle.WindowID
	extents []extent
	value   []byte
}

// commit returns when c is durable, or with the error that prevented it.
func (s *Store) commit(c *commit) error {
	c.turn = make(chan bool, 1)
	s.commits.mu.Lock()
	s.commits.waiting = append(s.commits.waiting, c)
	first := !s.commits.busy
	s.commits.busy = true
	s.commits.mu.Unlock()
	if !first && <-c.turn {
		return c.err
	}
	// Commits that begin at the same moment are one group, not one and then the rest.
	runtime.Gosched()
	s.commits.mu.Lock()
	group := s.commits.waiting // c is the first
	s.commits.waiting = nil
	s.commits.mu.Unlock()
	s.commitGroup(group)
	s.commits.mu.Lock()
	if len(s.commits.waiting) > 0 {
		s.commits.waiting[0].turn <- false
	} else {
		s.commits.busy = false
	}
	s.commits.mu.Unlock()
	for _, other := range group[1:] {
		other.turn <- true
	}
	return c.err
}

// commitGroup makes the blocks of a group durable, then the records: a record must not be durable before its blocks.
func (s *Store) commitGroup(group []*commit) {
	batch := s.db.NewBatch()
	defer free(batch)
	var windows []written
	var extents, old []extent
	for _, c := range group {
		windows = append(windows, c.windows...)
	}
	for i := range windows {
		extents = append(extents, windows[i].extents...)
	}
	err := s.done(s.segments.sync(extents))
	if err == nil {
		old, err = s.enqueue(batch, windows)
	}
	if err == nil {
		err = s.done(batch.SyncWait())
	}
	if err != nil {
		for _, c := range group {
			c.err = err
		}
		return
	}
	s.giveUp(old)
}

// enqueue hands the records of windows to the log, and returns where the blocks of older copies of its windows are.
// After it the batch must be waited for, frozen folder or not, since the log holds on to it.
func (s *Store) enqueue(batch *pebble.Batch, windows []written) (old []extent, err error) {
	s.changes.Lock()
	defer s.changes.Unlock()
	earlier := make(map[puzzle.WindowID][]extent, len(windows)) // in this group
	for i := range windows {
		w := &windows[i]
		replaced, found := earlier[w.id]
		if !found {
			// An unreadable record does not say where its blocks are: their room is free when the store is opened again.
			l, _, err := s.locate(w.id)
			if err != nil && !errors.Is(err, ErrCorrupt) {
				return nil, err
			}
			replaced = l.extents
		}
		old = append(old, replaced...)
		earlier[w.id] = w.extents
		if err := batch.Set(recordKey(w.id), w.value, nil); err != nil {
			return nil, s.failure(err)
		}
	}
	return old, s.failure(s.db.ApplyNoSyncWait(batch, pebble.Sync))
}
