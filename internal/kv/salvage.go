package kv

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/wal"

	"pagoda/internal/kv/guard"
)

// SalvageStore makes a store in fresh, which must not exist, from the readable records of the store in dir. That store
// must not be open, and stays as it is. SalvageStore believes neither manifest nor marker: it reads every table and log
// in the folder, from both ends of a table up to the first damaged block, and keeps the last record of each window. The
// two share the segments, so the cost is that of the records and not of the rows; a window whose rows are damaged is
// found when it is read. The number of records that could be read is returned. Errors wrap ErrLocked, ErrDiskFull.
func SalvageStore(dir, fresh, run string, o Options) (records int, err error) {
	return salvage(dir, fresh, run, kindWindows, o)
}

// SalvageLedger is SalvageStore for a ledger.
func SalvageLedger(dir, fresh, run string, o Options) (entries int, err error) {
	return salvage(dir, fresh, run, kindLedger, o)
}

func salvage(dir, fresh, run, kind string, o Options) (n int, err error) {
	fsys := o.fileSystem()
	o.ReadOnly = false
	if guard.CheckFolder(fsys, dir) != nil { // there is nothing in it to be read
		f, err := openFolder(fresh, run, kind, o)
		if err != nil {
			return 0, err
		}
		return 0, f.close()
	}
	if err := clearLock(dir, fsys); err != nil {
		return 0, err
	}
	lock, err := lockFolder(dir, fsys)
	if err != nil {
		return 0, err
	}
	defer free(lock)
	f, err := openFolder(fresh, run, kind, o)
	if err != nil {
		return 0, err
	}
	s := &salvager{from: guard.New(fsys, dir, segmentSuffix), dir: dir, to: f, batch: f.db.NewBatch(),
		last: map[string]said{}, windows: kind == kindWindows}
	err = s.all()
	if err == nil {
		err = s.flush()
	}
	free(s.batch)
	if err == nil && kind == kindWindows {
		err = s.segments(fresh)
	}
	if err = errors.Join(err, f.close()); err != nil {
		return 0, fmt.Errorf("salvage folder %s: %w", dir, err)
	}
	for key, last := range s.last {
		if last.value && (key[0] == keyRecord || key[0] == keyEntry) {
			n++
		}
	}
	return n, nil
}

// salvager reads the files of a database, and writes their entries to another.
type salvager struct {
	from    vfs.FS
	dir     string
	to      *folder
	windows bool // a store's and not a ledger's
	batch   *pebble.Batch
	last    map[string]said
}

// said is the last entry of a key.
type said struct {
	seq   uint64
	value bool // not that it was removed
	epoch uint64
}

const (
	salvageBatch = 1 << 20 // bytes
	epochKey     = string(rune(keyInfo)) + epochName
)

func (s *salvager) all() error {
	names, err := guard.DatabaseFiles(s.from, s.dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasSuffix(name, ".sst") {
			if err := s.table(s.from.PathJoin(s.dir, name)); err != nil {
				return err
			}
		}
	}
	logs, err := wal.Scan(wal.Dir{FS: s.from, Dirname: s.dir})
	if err != nil {
		return err
	}
	for _, l := range logs {
		if err := s.log(l); err != nil {
			return err
		}
	}
	return nil
}

// add writes one entry of a key, unless a later one was added before. Compactions take the sequence numbers from
// entries that they move to the bottom, so a file that was about to be removed may win with an old entry. Of epochs the
// greatest counts, and everything else is checked when it is used.
func (s *salvager) add(key []byte, seq uint64, set bool, value []byte) error {
	if !s.usable(key, value, set) {
		return nil
	}
	now := said{seq: seq, value: set}
	if set && string(key) == epochKey && len(value) == 8 {
		now.epoch = binary.BigEndian.Uint64(value)
	}
	if last, ok := s.last[string(key)]; ok && (now.epoch < last.epoch || now.epoch == last.epoch && seq <= last.seq) {
		return nil
	}
	s.last[string(key)] = now
	var err error
	if set {
		err = s.batch.Set(key, value, nil)
	} else {
		err = s.batch.Delete(key, nil)
	}
	if err == nil && s.batch.Len() >= salvageBatch {
		err = s.flush()
	}
	return err
}

// usable reports whether this package writes such a key and value.
func (s *salvager) usable(key, value []byte, set bool) bool {
	if len(key) == 0 {
		return false
	}
	if (key[0] == keyRecord) != s.windows {
		return false
	}
	if key[0] == keyInfo {
		return true
	}
	id, rest, err := cutWindow(key[1:])
	if err != nil || len(rest) > 0 {
		return false
	}
	switch key[0] {
	case keyRecord:
		if set {
			_, err = (&Store{folder: s.to}).decodeStored(id, value)
		}
		return err == nil
	case keyEntry:
		if set {
			_, err = (&Ledger{folder: s.to}).decode(id, value)
		}
		return err == nil
	}
	return key[0] == keyAudit || key[0] == keySuspect
}

func (s *salvager) flush() error {
	err := s.to.done(s.to.db.Apply(s.batch, pebble.NoSync))
	s.batch.Reset()
	return err
}

// segments gives the new store the segments of the old one.
func (s *salvager) segments(fresh string) error {
	disk := s.from.Unwrap() // whose errors are told, where the guard would freeze
	names, err := disk.List(s.dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !strings.HasSuffix(name, segmentSuffix) {
			continue
		}
		path := disk.PathJoin(s.dir, name)
		if guard.Regular(disk, path) != nil {
			continue // as if it were missing
		}
		err := vfs.LinkOrCopy(disk, path, disk.PathJoin(fresh, name))
		if err != nil {
			return err
		}
	}
	return guard.SyncDir(disk, fresh)
}
