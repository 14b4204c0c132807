package kv

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
	"github.com/cockroachdb/pebble/v2"

	"pagoda/internal/puzzle"
)

// Store holds the committed windows of one run in a folder. Safe for concurrent use.
type Store struct {
	*folder
	generation atomic.Uint64
	commits    sync.Mutex // a commit or drop reads the record that it replaces
}

// Open opens the windows of a run in dir, or begins them when dir is empty or missing. Errors wrap ErrLocked,
// ErrFormat, ErrRun, ErrCorrupt, ErrDiskFull. What interrupted writers left is removed.
func Open(dir, run string, o Options) (*Store, error) {
	f, err := openFolder(dir, run, kindWindows, o)
	if err != nil {
		return nil, err
	}
	s := &Store{folder: f}
	if !o.ReadOnly {
		if err := errors.Join(s.beginSession(), s.removeOrphans()); err != nil {
			return nil, errors.Join(err, f.close())
		}
	}
	return s, nil
}

// beginSession makes sure that no generation is used twice: its upper half counts the times the folder was opened.
func (s *Store) beginSession() error {
	key := []byte{keySessions}
	b, found, err := s.get(key)
	if err != nil {
		return err
	}
	n := uint64(1)
	if found {
		if len(b) != 8 {
			return fmt.Errorf("folder %s: %w: session count of %d bytes", s.dir, ErrCorrupt, len(b))
		}
		n = binary.BigEndian.Uint64(b) + 1
	}
	s.generation.Store(n << 32)
	return s.done(s.db.Set(key, binary.BigEndian.AppendUint64(nil, n), pebble.Sync))
}

// removeOrphans removes the blocks of writers that neither committed nor aborted. A writer's intent goes before its
// first block, in the log and so on disk, and leaves in the same batch as its record arrives: an intent that is still
// there names blocks that no record speaks of.
func (s *Store) removeOrphans() error {
	batch := s.db.NewBatch()
	defer free(batch)
	err := s.scan([]byte{keyIntent}, func(key, _ []byte) error {
		if len(key) < 9 {
			return fmt.Errorf("folder %s: %w: intent %x", s.dir, ErrCorrupt, key)
		}
		id, rest, err := cutWindow(key[9:])
		if err != nil || len(rest) > 0 {
			return fmt.Errorf("folder %s: %w: intent %x", s.dir, ErrCorrupt, key)
		}
		return s.dropBlocks(batch, id, binary.BigEndian.Uint64(key[1:]), true)
	})
	if err != nil {
		return err
	}
	return s.done(s.db.Apply(batch, pebble.NoSync))
}

// dropBlocks adds to batch the removal of one generation's blocks.
func (s *Store) dropBlocks(batch *pebble.Batch, id puzzle.WindowID, gen uint64, intent bool) error {
	prefix := blockPrefix(id, gen)
	err := batch.DeleteRange(prefix, after(prefix), nil)
	if err == nil && intent {
		err = batch.Delete(intentKey(gen, id), nil)
	}
	return s.failure(err)
}

// stored is the value under keyRecord: generation (8 bytes), seal (8), the record, XXH64 of all that (8).
type stored struct {
	gen, seal uint64
	Record
}

const storedFrame = 3 * 8

func (v *stored) encode() ([]byte, error) {
	rec, err := v.Encode()
	if err != nil {
		return nil, err
	}
	b := binary.BigEndian.AppendUint64(nil, v.gen)
	b = binary.BigEndian.AppendUint64(b, v.seal)
	b = append(b, rec...)
	return binary.BigEndian.AppendUint64(b, xxhash.Sum64(b)), nil
}

// decodeStored reads the value under the record key of window id.
func (s *Store) decodeStored(id puzzle.WindowID, b []byte) (v stored, err error) {
	switch n := len(b) - 8; {
	case len(b) < storedFrame:
		err = fmt.Errorf("%w: record of %d bytes", ErrCorrupt, len(b))
	case xxhash.Sum64(b[:n]) != binary.BigEndian.Uint64(b[n:]):
		err = fmt.Errorf("%w: record checksum", ErrCorrupt)
	default:
		v.gen, v.seal = binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])
		v.Record, err = DecodeRecord(b[16:n])
		if err == nil && (v.Run != s.run || v.ID() != id) {
			err = fmt.Errorf("%w: record of run %s, window %s", ErrCorrupt, v.Run, v.Window)
		}
	}
	if err != nil {
		return stored{}, s.at(id, err)
	}
	return v, nil
}

// at gives an error its place.
func (s *Store) at(id puzzle.WindowID, err error) error {
	return fmt.Errorf("run %s, window %s: %w", s.run, id, err)
}

// lookup reads the record of a window; found is false when there is none.
func (s *Store) lookup(r pebble.Reader, id puzzle.WindowID) (v stored, found bool, err error) {
	b, found, err := getFrom(s.folder, r, recordKey(id))
	if err != nil || !found {
		return stored{}, false, err
	}
	v, err = s.decodeStored(id, b)
	return v, err == nil, err
}

// Record returns the record of a window; found is false when the store does not have it.
func (s *Store) Record(id puzzle.WindowID) (rec Record, found bool, err error) {
	if err := s.enter(); err != nil {
		return Record{}, false, err
	}
	defer s.exit()
	v, found, err := s.lookup(s.db, id)
	return v.Record, found, err
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

// Drop removes windows, if they are there, all in one batch. Record and blocks of a window go together, so no crash
// leaves one without the other; it is not synced, because a crash that undoes it leaves the whole window, which hurts
// nobody. Many windows are dropped at once for less than one after the other: every removal of a range of keys makes
// the next look-up sort the removed ranges again.
func (s *Store) Drop(ids ...puzzle.WindowID) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.exit()
	s.commits.Lock()
	defer s.commits.Unlock()
	batch := s.db.NewBatch()
	defer free(batch)
	for _, id := range ids {
		if err := s.drop(batch, id); err != nil {
			return err
		}
	}
	if batch.Empty() {
		return nil
	}
	return s.done(s.db.Apply(batch, pebble.NoSync))
}

// drop adds to batch the removal of a window, if it is there.
func (s *Store) drop(batch *pebble.Batch, id puzzle.WindowID) error {
	v, found, err := s.lookup(s.db, id)
	switch {
	case errors.Is(err, ErrCorrupt):
		err = s.dropGenerations(batch, id)
	case err == nil && found:
		err = s.dropBlocks(batch, id, v.gen, false)
	case err == nil:
		return nil
	}
	if err != nil {
		return err
	}
	return s.failure(batch.Delete(recordKey(id), nil))
}

// dropGenerations adds to batch the removal of all blocks of a window whose record is unreadable, and with it the
// generation of its blocks. A writer of this window that is at work loses its blocks too, and the first read of what it
// commits says so.
func (s *Store) dropGenerations(batch *pebble.Batch, id puzzle.WindowID) error {
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: []byte{keyBlock}, UpperBound: []byte{keyBlock + 1}})
	if err != nil {
		return s.failure(err)
	}
	for ok := it.First(); ok && err == nil; {
		key := it.Key()
		if len(key) < 9 {
			err = fmt.Errorf("folder %s: %w: block key %x", s.dir, ErrCorrupt, key)
			break
		}
		gen := binary.BigEndian.Uint64(key[1:])
		if at, _, kerr := cutWindow(key[9:]); kerr == nil && at == id {
			err = s.dropBlocks(batch, id, gen, false)
		}
		ok = it.SeekGE(generationKey(gen + 1))
	}
	if cerr := it.Close(); err == nil {
		err = s.failure(cerr)
	}
	return err
}

// DiskBytes returns the space that the folder takes on disk. Removed windows count until compaction has dropped them.
func (s *Store) DiskBytes() uint64 {
	if s.enter() != nil {
		return 0
	}
	defer s.exit()
	return s.db.Metrics().DiskSpaceUsage()
}

// Run returns the run that the store belongs to.
func (s *Store) Run() string { return s.run }

// Close waits for operations under way and closes the store; operations begun later return ErrClosed. An unfinished
// writer's window was never written.
func (s *Store) Close() error { return s.close() }
