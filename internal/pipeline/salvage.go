package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"syscall"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
)

// A damaged file of the database underneath stays damaged: to drop a window is to write that it is gone, and reads
// that pass the damaged place go on failing, those of windows written anew beside it included. So a damaged store is
// replaced: by a copy of all windows in it that can be read in full, or by an empty one when it does not even open.

// A DamagedError says that a window cannot be read however often it is computed again.
type DamagedError struct {
	Window puzzle.WindowID
	Losses int
	Worker string
	Text   string
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("window %s was lost %d times (is the disk of worker %s in order?), last: %s",
		e.Window, e.Losses, e.Worker, e.Text)
}

func (f *Folder) paths() (store, fresh, aside string) {
	store = filepath.Join(f.Dir, storeName)
	return store, store + ".new", store + ".damaged"
}

// openStore opens the store. One that is too damaged to open is put aside.
func (f *Folder) openStore() (err error) {
	store, fresh, aside := f.paths()
	if !f.o.Store.ReadOnly {
		if err := kv.Recover(store, fresh, aside, f.o.Store); err != nil {
			return err
		}
	}
	f.Store, err = kv.Open(store, f.Meta.Run, f.o.Store)
	if !damaged(err) || f.o.Store.ReadOnly {
		return err
	}
	f.Damage = err
	s, err := f.openFresh()
	if err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	if err := kv.Replace(store, fresh, aside, f.o.Store); err != nil {
		return err
	}
	f.Store, err = kv.Open(store, f.Meta.Run, f.o.Store)
	return err
}

// damaged reports whether a store failed to open because of what is in its files. Pebble has no one way to say so: a
// bit flipped in a manifest shows as a missing table, as another comparer, as nonsense of all kinds. So everything
// counts that is not known to be something else.
func damaged(err error) bool {
	for _, other := range []error{kv.ErrLocked, kv.ErrFormat, kv.ErrRun, kv.ErrDiskFull, fs.ErrPermission} {
		if errors.Is(err, other) {
			return false
		}
	}
	var errno syscall.Errno
	return err != nil && (!errors.As(err, &errno) || errno == syscall.ENOENT)
}

func (f *Folder) openFresh() (*kv.Store, error) {
	_, fresh, _ := f.paths()
	if err := kv.Remove(fresh, f.o.Store); err != nil {
		return nil, err
	}
	return kv.Open(fresh, f.Meta.Run, f.o.Store)
}

// salvage replaces the store by a copy of the windows that the ledger expects in it and that can be read. The old one
// is kept as store.damaged until the next time. Nobody else may use the folder meanwhile.
func (f *Folder) salvage(ctx context.Context) (kept, lost int, err error) {
	s, err := f.openFresh()
	if err != nil {
		return 0, 0, err
	}
	err = f.Ledger.Load(func(e kv.Entry) error {
		if !slices.Contains(e.Holders, localWorker) {
			return nil
		}
		err := copyWindow(ctx, f.Store, s, e.Record)
		if errors.Is(err, kv.ErrCorrupt) || errors.Is(err, kv.ErrNotFound) {
			lost++
			return nil
		}
		kept++
		return err
	})
	if err = errors.Join(err, s.Close()); err != nil {
		return kept, lost, fmt.Errorf("salvage %s: %w", f.Dir, err)
	}
	if err := f.Store.Close(); err != nil && !errors.Is(err, kv.ErrCorrupt) {
		return kept, lost, fmt.Errorf("salvage %s: %w", f.Dir, err)
	}
	store, fresh, aside := f.paths()
	if err := kv.Replace(store, fresh, aside, f.o.Store); err != nil {
		return kept, lost, err
	}
	f.Store, err = kv.Open(store, f.Meta.Run, f.o.Store)
	return kept, lost, err
}

func copyWindow(ctx context.Context, from, to *kv.Store, rec kv.Record) error {
	w := to.Begin(rec.Window)
	if err := from.RawBlocks(ctx, rec.ID(), 0, w.Raw); err != nil {
		w.Abort()
		return err
	}
	if _, err := w.CommitAs(rec); err != nil {
		w.Abort()
		return err
	}
	return nil
}
