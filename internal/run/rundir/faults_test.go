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
		step = 3
	}
	store, fresh, aside := storePaths(dir)
	write := func(disk kv.Options, path string, parts ...int) *kv.Store {
		s, err := kv.Open(path, run, disk)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range parts {
			w := s.Begin(puzzle.Window{Cell: cellA, Part: part, First: uint64(part), Addresses: 1})
			err := w.Block(&puzzle.Block{First: uint64(part), Addresses: 1, Occupied: []uint64{1}})
			if _, cerr := w.Commit(puzzle.Tally{}); err != nil || cerr != nil {
				t.Fatal(err, cerr)
			}
		}
		return s
	}
	open := func(o kv.Options) (*kv.Store, error) {
		s, _, err := OpenStore(dir, run, o)
		return s, err
	}
	for what, replace := range map[string]func(disk, faulty kv.Options) (*kv.Store, error){
		"damaged, beside what another recovery has left": func(disk, faulty kv.Options) (*kv.Store, error) {
			closeAll(t, write(disk, fresh, 7))
			closeAll(t, write(disk, store, 0, 1))
			spoilIn(t, disk.FS, dir)
			return open(faulty)
		},
		"cut off between two names": func(disk, faulty kv.Options) (*kv.Store, error) {
			closeAll(t, write(disk, aside))
			closeAll(t, write(disk, fresh, 0, 1))
			return open(faulty)
		},
		"replaced": func(disk, faulty kv.Options) (*kv.Store, error) {
			old := write(disk, store, 0, 1)
			s, kept, lost, err := RecoverStore(t.Context(), dir, run, old, faulty)
			if err == nil && (kept != 2 || lost > 0) {
				t.Errorf("%d windows are kept, %d lost", kept, lost)
			}
			if err != nil {
				_ = old.Close()
			}
			return s, err
		},
	} {
		for n, met := 0, true; met; n += step {
			disk := kv.Options{FS: kvtest.Memory()}
			fsys, reached := kvtest.FaultAt(disk.FS, "", n)
			s, err := replace(disk, kv.Options{FS: fsys})
			if err == nil {
				err = s.Close()
			}
			met = reached()
			if err != nil && (!met || !errors.Is(err, syscall.EIO)) {
				t.Errorf("%s, fault %d: %v", what, n, err)
			}
			if s, err = open(disk); err != nil {
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
