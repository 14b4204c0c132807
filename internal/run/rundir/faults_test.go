package rundir

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/kv/kvtest"
	"pagoda/internal/puzzle"
)

// windowsIn counts the windows that a store can read.
func windowsIn(t *testing.T, s *kv.Store) (n int) {
	t.Helper()
	err := s.Records(func(rec kv.Record) error {
		n++
		return s.Verify(t.Context(), rec)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestFaultOfRecovery has the disk fail once while a store is replaced, at each operation in turn. Either nothing is
// lost and the store is open, or the error says what failed, and the next process finishes the work.
func TestFaultOfRecovery(t *testing.T) {
	const dir, run = "dir", "0123456789ab"
	step := 1
	if testing.Short() {
		step = 7
	}
	for what, c := range map[string]struct {
		damage  bool
		recover func(s *kv.Store, o kv.Options) (*kv.Store, error)
	}{
		"damaged": {damage: true},
		"replaced": {recover: func(s *kv.Store, o kv.Options) (*kv.Store, error) {
			fresh, kept, lost, err := RecoverStore(t.Context(), dir, run, s, o)
			if err == nil && (kept != 2 || lost > 0) {
				t.Errorf("%d windows are kept, %d lost", kept, lost)
			}
			return fresh, err
		}},
	} {
		for n, met := 0, true; met; n += step {
			disk := kvtest.Memory()
			o := kv.Options{FS: disk}
			s, _, err := OpenStore(dir, run, o)
			if err != nil {
				t.Fatal(err)
			}
			for part := range 2 {
				w := s.Begin(puzzle.Window{Cell: cellA, Part: part, First: uint64(part), Addresses: 1})
				err := w.Block(&puzzle.Block{First: uint64(part), Addresses: 1, Occupied: []uint64{1}})
				if _, cerr := w.Commit(puzzle.Tally{}); err != nil || cerr != nil {
					t.Fatal(err, cerr)
				}
			}
			fsys, reached := kvtest.FaultAt(disk, "", n)
			faulty := kv.Options{FS: fsys}
			if c.damage {
				closeAll(t, s)
				spoilIn(t, disk, dir)
				var damage error
				if s, damage, err = OpenStore(dir, run, faulty); err == nil && !errors.Is(damage, kv.ErrCorrupt) {
					t.Errorf("%s, fault %d: damage %v", what, n, damage)
				}
			} else {
				old := s
				if s, err = c.recover(old, faulty); err != nil {
					_ = old.Close()
				}
			}
			if err == nil {
				err = s.Close()
			}
			met = reached()
			if err != nil && (!met || !errors.Is(err, syscall.EIO)) {
				t.Errorf("%s, fault %d: %v", what, n, err)
			}
			if s, _, err = OpenStore(dir, run, o); err != nil {
				t.Fatalf("%s, fault %d: open again: %v", what, n, err)
			}
			if held := windowsIn(t, s); held != 2 {
				t.Errorf("%s, fault %d: %d windows are left", what, n, held)
			}
			closeAll(t, s)
		}
	}
}

func closeAll(t *testing.T, s *kv.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// spoilIn is spoil on another file system.
func spoilIn(t *testing.T, disk fileSystem, dir string) {
	t.Helper()
	store, _, _ := storePaths(dir)
	names, err := disk.List(store)
	for _, name := range names {
		if strings.HasPrefix(name, "MANIFEST-") {
			err = errors.Join(err, disk.Remove(filepath.Join(store, name)))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

type fileSystem interface {
	List(dir string) ([]string, error)
	Remove(name string) error
}

// TestFaultOfRebuild has the disk fail once while a lost ledger is made again. Either it has all windows of the store,
// or the error says what failed, and the next process makes it whole.
func TestFaultOfRebuild(t *testing.T) {
	disk := kvtest.Memory()
	o := FolderOptions{Store: kv.Options{FS: disk}, Ledger: kv.Options{FS: disk}}
	f := storedWith(t, o, func(*Folder, kv.Record) error { return nil })
	closed(t, f)
	ledger := filepath.Join(f.Dir, ledgerName)
	for n, met := 0, true; met; n++ {
		if err := disk.RemoveAll(ledger); err != nil {
			t.Fatal(err)
		}
		faulty, reached := kvtest.FaultAt(disk, ledger, n)
		again, err := Open(f.Dir, FolderOptions{Store: o.Store, Ledger: kv.Options{FS: faulty}})
		if err == nil {
			err = again.Close()
		}
		met = reached()
		if err != nil && (!met || !errors.Is(err, syscall.EIO)) {
			t.Errorf("fault %d: %v", n, err)
		}
		if again, err = Open(f.Dir, o); err != nil {
			t.Fatalf("fault %d: open again: %v", n, err)
		}
		if p := loaded(t, again); p.CommittedCount != 5 {
			t.Errorf("fault %d: %d windows", n, p.CommittedCount)
		}
		closed(t, again)
	}
}
