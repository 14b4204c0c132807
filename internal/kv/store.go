package kv

import (
	"errors"
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"pagoda/internal/puzzle"
)

// Store holds the committed windows of one run in a folder. Safe for concurrent use.
type Store struct {
	*folder
	segments *segments
	commits  commits
	changes  sync.Mutex // a commit or drop reads the record that it replaces
	// located is held for reading from the look-up of a record until its segments are pinned. A caller that removes a
	// record passes through it before giving up the segments.
	located sync.RWMutex
}

// Open opens the windows of a run in dir, or begins them when dir is empty or missing. Errors wrap ErrLocked,
// ErrFormat, ErrRun, ErrCorrupt, ErrDiskFull. Blocks of interrupted writers are removed.
func Open(dir, run string, o Options) (*Store, error) {
	f, err := openFolder(dir, run, kindWindows, o)
	if err != nil {
		return nil, err
	}
	s := &Store{folder: f}
	s.segments = newSegments(f.disk, dir, o.segmentBytes, func() error { return s.done(s.db.LogData(nil, pebble.Sync)) })
	if err := s.loadSegments(); err != nil {
		return nil, errors.Join(err, f.close())
	}
	f.beforeClose = s.closeSegments
	return s, nil
}

// loadSegments finds out which segments hold windows, and removes the others. Where a record cannot be read, no segment
// is removed or written again: it may hold that record's blocks.
func (s *Store) loadSegments() error {
	if err := s.segments.load(); err != nil {
		return s.failure(err)
	}
	if s.readOnly {
		return nil
	}
	err := s.scan([]byte{keyRecord}, func(_, value []byte) error {
		l, _, err := decodeLocation(value)
		s.segments.use(l.extents)
		return err
	})
	if errors.Is(err, ErrCorrupt) {
		for _, seg := range s.segments.all {
			seg.live += seg.bytes + 1
		}
		return nil
	}
	if err != nil {
		return err
	}
	return s.done(s.segments.removeUnused())
}

// closeSegments ends the use of the segments; no operation is under way.
func (s *Store) closeSegments() error {
	defer s.segments.close()
	if s.readOnly {
		return nil
	}
	return s.done(s.segments.trim(0))
}

// at gives an error its place.
func (s *Store) at(id puzzle.WindowID, err error) error {
	return fmt.Errorf("run %s, window %s: %w", s.run, id, err)
}

// lookup reads the record of a window; found is false when there is none.
func (s *Store) lookup(id puzzle.WindowID) (v stored, found bool, err error) {
	b, found, err := s.get(recordKey(id))
	if err != nil || !found {
		return stored{}, false, err
	}
	v, err = s.decodeStored(id, b)
	return v, err == nil, err
}

// locate returns where a window is; found is false when there is no such window.
func (s *Store) locate(id puzzle.WindowID) (l location, found bool, err error) {
	b, closer, err := s.db.Get(recordKey(id))
	if errors.Is(err, pebble.ErrNotFound) {
		return location{}, false, nil
	}
	if err != nil {
		return location{}, false, s.at(id, s.failure(err))
	}
	defer free(closer)
	if l, _, err = decodeLocation(b); err != nil {
		return location{}, false, s.at(id, err)
	}
	return l, true, nil
}

// Record returns the record of a window; found is false when the store does not have it.
func (s *Store) Record(id puzzle.WindowID) (rec Record, found bool, err error) {
	if err := s.enter(); err != nil {
		return Record{}, false, err
	}
	defer s.exit()
	v, found, err := s.lookup(id)
	return v.Record, found, err
}

// Copied reports whether a window was written as a copy of another worker's, see [Writer]. What earlier programs have
// copied does not count.
func (s *Store) Copied(id puzzle.WindowID) (bool, error) {
	if err := s.enter(); err != nil {
		return false, err
	}
	defer s.exit()
	l, _, err := s.locate(id)
	return l.copied, err
}

// Records passes the record of every window to fn, in the order of layer, cell key, part. A record that does not decode
// is passed over; the error at the end names all of those and wraps ErrCorrupt. An error of fn ends the scan.
func (s *Store) Records(fn func(Record) error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.exit()
	var corrupt []error
	err := s.scan([]byte{keyRecord}, func(key, value []byte) error {
		id, rest, err := cutWindow(key[1:])
		if err == nil && len(rest) > 0 {
			err = errKey
		}
		var v stored
		if err != nil {
			err = fmt.Errorf("folder %s: %w: record key %x: %w", s.dir, ErrCorrupt, key, err)
		} else {
			v, err = s.decodeStored(id, value)
		}
		if err == nil {
			return fn(v.Record)
		}
		corrupt = append(corrupt, err)
		return nil
	})
	return errors.Join(append(corrupt, err)...)
}

// Drop removes windows, if they are there, all in one batch. It is not synced, because a crash that undoes it leaves
// the whole window; the segments are written again only after the next sync.
func (s *Store) Drop(ids ...puzzle.WindowID) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.exit()
	var freed []extent
	err := s.remove(ids, &freed)
	if len(freed) > 0 {
		s.giveUp(freed)
		err = errors.Join(err, s.done(s.segments.trim(maxSpare)))
	}
	return err
}

// remove removes the records of windows, and appends to freed where their blocks were.
func (s *Store) remove(ids []puzzle.WindowID, freed *[]extent) error {
	s.changes.Lock()
	defer s.changes.Unlock()
	batch := s.db.NewBatch()
	defer free(batch)
	var extents []extent
	seen := make(map[puzzle.WindowID]bool, len(ids))
	for _, id := range ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		l, found, err := s.locate(id)
		// An unreadable record does not say where its blocks are: their room is free when the store is opened again.
		if err != nil && !errors.Is(err, ErrCorrupt) {
			return err
		}
		if found || err != nil {
			if err := batch.Delete(recordKey(id), nil); err != nil {
				return s.failure(err)
			}
			extents = append(extents, l.extents...)
		}
	}
	if batch.Empty() {
		return nil
	}
	if err := s.done(s.db.Apply(batch, pebble.NoSync)); err != nil {
		return err
	}
	*freed = extents
	return nil
}

// giveUp releases the extents of windows whose records are gone.
func (s *Store) giveUp(extents []extent) {
	if len(extents) == 0 {
		return
	}
	s.located.Lock()   // every reader that found a record in the database has pinned its segments now
	s.located.Unlock() //nolint:staticcheck // waiting for them is all
	s.segments.release(extents)
}

// DiskBytes returns the space that the folder takes on disk. Removed windows count until all that shared a segment with
// them are removed too.
func (s *Store) DiskBytes() uint64 {
	if s.enter() != nil {
		return 0
	}
	defer s.exit()
	return s.db.Metrics().DiskSpaceUsage() + s.segments.bytes()
}

// Run returns the run that the store belongs to.
func (s *Store) Run() string { return s.run }

// Close waits for operations under way and closes the store; operations begun later return ErrClosed. An unfinished
// writer's window was never written.
func (s *Store) Close() error { return s.close() }
