package rundir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"pagoda/internal/kv"
	"pagoda/internal/run/protocol"
)

// A damaged file of the database underneath stays damaged: dropping a window only writes that it is gone, and reads
// that pass the damaged place go on failing, those of windows written anew beside it included. So a damaged store is
// replaced: by a copy of all windows in it that can be read in full, or by an empty one when it does not even open.

// storePaths are where a store, its successor while that is being made, and its damaged predecessor are.
func storePaths(dir string) (store, fresh, aside string) {
	store = filepath.Join(dir, storeName)
	return store, freshPath(store), asidePath(store)
}

func freshPath(path string) string { return path + ".new" }
func asidePath(path string) string { return path + ".damaged" }

// OpenStore opens the store of a run in the folder dir, as in a Folder. A store too damaged to open is put aside as
// store.damaged, and replaced by a copy of its readable windows; damage then describes the fault.
func OpenStore(dir, run string, o kv.Options) (s *kv.Store, damage, err error) {
	return openOrSalvage(filepath.Join(dir, storeName), run, o, kv.Open, kv.SalvageStore)
}

// openLedger is OpenStore for the ledger.
func openLedger(dir, run string, o kv.Options) (l *kv.Ledger, damage, err error) {
	return openOrSalvage(filepath.Join(dir, ledgerName), run, o, kv.OpenLedger, kv.SalvageLedger)
}

// openOrSalvage opens a store or ledger. It replaces a damaged one by a copy of its readable windows, unless
// o.ReadOnly.
func openOrSalvage[T interface{ Close() error }](
	path, run string, o kv.Options,
	open func(dir, run string, o kv.Options) (T, error),
	salvage func(dir, fresh, run string, o kv.Options) (int, error),
) (db T, damage, err error) {
	fresh, aside := freshPath(path), asidePath(path)
	if !o.ReadOnly {
		if err := kv.Recover(path, fresh, aside, o); err != nil {
			return db, nil, err
		}
	}
	db, err = open(path, run, o)
	switch {
	case o.ReadOnly && errors.Is(err, fs.ErrNotExist):
		return db, nil, fmt.Errorf("%w: there is no folder %s", kv.ErrCorrupt, path)
	case o.ReadOnly && damaged(err) && !errors.Is(err, kv.ErrCorrupt):
		return db, nil, fmt.Errorf("%w: %w", kv.ErrCorrupt, err)
	case !damaged(err) || o.ReadOnly:
		return db, nil, err
	}
	if rerr := kv.Remove(fresh, o); rerr != nil {
		return db, err, rerr
	}
	n, serr := salvage(path, fresh, run, o)
	if serr != nil {
		return db, err, serr
	}
	damage = fmt.Errorf("%w; %d windows in it could be read", err, n)
	if err := kv.Replace(path, fresh, aside, o); err != nil {
		return db, damage, err
	}
	if db, err = open(path, run, o); errors.Is(damage, kv.ErrNeverClosed) && err == nil {
		err = kv.Remove(aside, o) // most likely it was intact, and would keep the room of dropped windows
	}
	return db, damage, err
}

// RecoverStore replaces the store s in the folder dir by a copy of the windows that can be read in full. The caller
// must be its only user. The old store is kept as store.damaged until the next time.
func RecoverStore(
	ctx context.Context, dir, run string, s *kv.Store, o kv.Options,
) (fresh *kv.Store, kept, lost int, err error) {
	return replaceStore(ctx, dir, run, s, o, func(fn func(kv.Record) error) error {
		// An unreadable record counts as a window that the store does not have.
		if err := s.Records(fn); err != nil && !errors.Is(err, kv.ErrCorrupt) {
			return err
		}
		return nil
	})
}

// openStore opens the store.
func (f *Folder) openStore() error {
	s, damage, err := OpenStore(f.Dir, f.Meta.Run, f.o.Store)
	f.Store = s
	if damage != nil {
		f.damaged(damage)
	}
	return err
}

// damaged reports whether a store or ledger failed to open because its files are damaged. A store in the place of a
// ledger, or an unknown format, is damage: files were exchanged. An older version is not.
func damaged(err error) bool {
	var format *kv.FormatError
	if errors.As(err, &format) {
		found, _, _ := strings.Cut(format.Found, " ")
		want, _, _ := strings.Cut(format.Want, " ")
		return found != want
	}
	return errors.Is(err, kv.ErrCorrupt) && !errors.Is(err, kv.ErrDiskFull)
}

func openFresh(dir, run string, o kv.Options) (*kv.Store, error) {
	_, fresh, _ := storePaths(dir)
	if err := kv.Remove(fresh, o); err != nil {
		return nil, err
	}
	return kv.Open(fresh, run, o)
}

// Recover replaces the store by a copy of the windows that the ledger expects in it and that can be read. The caller
// must be the only user of the folder.
func (f *Folder) Recover(ctx context.Context) (kept, lost int, err error) {
	s, kept, lost, err := replaceStore(ctx, f.Dir, f.Meta.Run, f.Store, f.o.Store, func(fn func(kv.Record) error) error {
		return f.Ledger.Load(func(e kv.Entry) error {
			if !slices.Contains(e.Holders, protocol.OwnWorker) {
				return nil
			}
			return fn(e.Record)
		})
	})
	if s != nil {
		f.Store = s
	}
	return kept, lost, err
}

// replaceStore copies the windows that records names from a store to another that takes its place.
func replaceStore(
	ctx context.Context, dir, run string, old *kv.Store, o kv.Options, records func(func(kv.Record) error) error,
) (s *kv.Store, kept, lost int, err error) {
	place := func(err error) error { return fmt.Errorf("recover the store in %s: %w", dir, err) }
	s, err = openFresh(dir, run, o)
	if err != nil {
		return nil, 0, 0, err
	}
	err = records(func(rec kv.Record) error {
		err := copyWindow(ctx, old, s, rec)
		if errors.Is(err, kv.ErrCorrupt) || errors.Is(err, kv.ErrNotFound) {
			lost++
			return nil
		}
		kept++
		return err
	})
	if err = errors.Join(err, s.Close()); err != nil {
		return nil, kept, lost, place(err)
	}
	if err := old.Close(); err != nil && !errors.Is(err, kv.ErrCorrupt) {
		return nil, kept, lost, place(err)
	}
	store, fresh, aside := storePaths(dir)
	if err := kv.Replace(store, fresh, aside, o); err != nil {
		return nil, kept, lost, err
	}
	s, err = kv.Open(store, run, o)
	return s, kept, lost, err
}

func copyWindow(ctx context.Context, from, to *kv.Store, rec kv.Record) (err error) {
	w := to.Begin(rec.Window)
	if w.Copied, err = from.Copied(rec.ID()); err == nil {
		err = from.RawBlocks(ctx, rec.ID(), 0, w.Raw)
	}
	if err != nil {
		w.Abort()
		return err
	}
	if _, err := w.CommitAs(rec); err != nil {
		w.Abort()
		return err
	}
	return nil
}
