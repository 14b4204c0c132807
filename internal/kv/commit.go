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

// A commit is a window whose blocks are written and whose record is ready.
type commit struct {
	id      puzzle.WindowID
	extents []extent
	value   []byte
	err     error
	turn    chan bool // true: the commit has been carried out; false: it is to carry out the next group
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
	var extents, old []extent
	for _, c := range group {
		extents = append(extents, c.extents...)
	}
	err := s.done(s.segments.sync(extents))
	if err == nil {
		old, err = s.enqueue(batch, group)
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

// enqueue hands the records of a group to the log, and returns where the blocks of older copies of its windows are.
// After it the batch must be waited for, frozen folder or not, since the log holds on to it.
func (s *Store) enqueue(batch *pebble.Batch, group []*commit) (old []extent, err error) {
	s.changes.Lock()
	defer s.changes.Unlock()
	earlier := make(map[puzzle.WindowID][]extent, len(group)) // in this group
	for _, c := range group {
		replaced, found := earlier[c.id]
		if !found {
			// An unreadable record does not say where its blocks are: their room is free when the store is opened again.
			l, _, err := s.locate(c.id)
			if err != nil && !errors.Is(err, ErrCorrupt) {
				return nil, err
			}
			replaced = l.extents
		}
		old = append(old, replaced...)
		earlier[c.id] = c.extents
		if err := batch.Set(recordKey(c.id), c.value, nil); err != nil {
			return nil, s.failure(err)
		}
	}
	return old, s.failure(s.db.ApplyNoSyncWait(batch, pebble.Sync))
}
