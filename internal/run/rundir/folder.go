package rundir

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
)

const (
	// lockPatience bounds the attempts to open a folder that is in use. Reading a status takes far less.
	lockPatience = 2 * time.Second
	lockPause    = 10 * time.Millisecond
)

// A Folder is the data folder of a run: whose it is, the ledger, and the store of the worker that lives in it.
type Folder struct {
	Dir    string
	Meta   Meta
	Ledger *kv.Ledger
	Store  *kv.Store
	// Damage says which of run.json, ledger and store were damaged or lost, and replaced, when the folder was opened; nil
	// if none was. The run computes lost windows again if it needs them.
	Damage error

	o FolderOptions
}

// FolderOptions tune the databases of a folder.
type FolderOptions struct {
	ReadOnly bool
	// Peek, with ReadOnly, gives the locks back as soon as the folder is open: see kv.Options.
	Peek   bool
	Store  kv.Options
	Ledger kv.Options
}

// Create opens the folder of a run, and makes it when it is absent or empty. It refuses the folders that CheckFolder
// refuses. A folder that stays in use for 2 s gives an error that wraps kv.ErrLocked.
func Create(dir string, m Meta, o FolderOptions) (*Folder, error) {
	resume, err := CheckFolder(dir, m)
	if err != nil {
		return nil, err
	}
	if resume {
		f, err := Open(dir, o)
		if !errors.Is(err, ErrMeta) {
			return f, err
		}
		if err := m.write(dir); err != nil {
			return nil, err
		}
		f, openErr := open(dir, m, o)
		if openErr == nil {
			f.damaged(fmt.Errorf("%w; written again", err))
		}
		return f, openErr
	}
	if err := kv.MakeFolder(dir, kv.Options{}); err != nil {
		return nil, err
	}
	// run.json comes first: nothing else would tell whose folder it is.
	if err := m.write(dir); err != nil {
		return nil, err
	}
	return open(dir, m, o)
}

// Open opens the folder of an existing run.
func Open(dir string, o FolderOptions) (*Folder, error) {
	m, err := ReadMeta(dir)
	if err != nil {
		return nil, err
	}
	return open(dir, m, o)
}

func open(dir string, m Meta, o FolderOptions) (*Folder, error) {
	o.Ledger.ReadOnly = o.Ledger.ReadOnly || o.ReadOnly
	o.Store.ReadOnly = o.Store.ReadOnly || o.ReadOnly
	o.Ledger.Peek, o.Store.Peek = o.Peek, o.Peek
	f := &Folder{Dir: dir, Meta: m, o: o}
	lost, err := f.ledgerLost()
	if err != nil {
		return nil, err
	}
	// A process that reads the status opens the ledger for a moment.
	for begun := time.Now(); ; time.Sleep(lockPause) {
		f.Ledger, f.Damage, err = openLedger(dir, m.Run, o.Ledger)
		if err == nil {
			break
		}
		if !errors.Is(err, kv.ErrLocked) || time.Since(begun) > lockPatience {
			return nil, fmt.Errorf("ledger: %w", err)
		}
	}
	lost = lost || f.Damage != nil
	// Every coordinator begins with an epoch. Without one, a process may have made a lost ledger again, and ended before
	// the windows of the store were in it.
	if epoch, err := f.Ledger.Epoch(); err == nil && epoch == 0 {
		lost = true
	}
	if err := f.openStore(); err != nil {
		return nil, errors.Join(fmt.Errorf("store: %w", err), f.Ledger.Close())
	}
	if lost && !o.Ledger.ReadOnly {
		if err := f.rebuildLedger(); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return f, nil
}

// Written returns the time when a program last opened the databases of the folder for writing: that makes and removes
// files in them. Reading alone does not change it. It is the zero time where there is no folder.
func Written(dir string) (last time.Time) {
	for _, name := range []string{ledgerName, storeName} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}

// damaged notes that something had to be replaced.
func (f *Folder) damaged(err error) {
	if f.Damage != nil {
		err = fmt.Errorf("%w; %w", f.Damage, err)
	}
	f.Damage = err
}

// Close closes the databases.
func (f *Folder) Close() error { return errors.Join(f.Store.Close(), f.Ledger.Close()) }

// held returns a function that reports whether the store holds the window of a ledger entry, with the same digest.
func (f *Folder) held() (func(*kv.Entry) bool, error) {
	have := make(map[puzzle.WindowID]blocks.Digest)
	err := f.Store.Records(func(r kv.Record) error {
		have[r.Window.ID()] = r.Digest
		return nil
	})
	// An unreadable record counts as absent.
	if err != nil && !errors.Is(err, kv.ErrCorrupt) {
		return nil, fmt.Errorf("store: %w", err)
	}
	return func(e *kv.Entry) bool {
		d, ok := have[e.Record.Window.ID()]
		return ok && d == e.Record.Digest
	}, nil
}

// Load returns the results of the run in f, as far as its ledger has them. OwnWorker is the holder of every window in
// the store.
func Load(p puzzle.Puzzle, f *Folder) (*plan.Plan, error) {
	return LoadRun(p, f, LoadOptions{Own: true})
}

// LoadOptions say how LoadRun treats the windows in a ledger.
type LoadOptions struct {
	Locality bool // cut the plan: each worker gets a part
	// Own: OwnWorker holds the windows in the store.
	Own bool
	// Await: holders on record other than OwnWorker may come back, unless they are refused.
	Await bool
	// Suspect: contradictory flows are noted in the plan, and are no error.
	Suspect bool
}

// LoadRun returns the plan of the run in f with all entries of its ledger.
func LoadRun(p puzzle.Puzzle, f *Folder, o LoadOptions) (*plan.Plan, error) {
	partitions := 1
	if o.Locality {
		partitions = plan.DefaultPartitions
	}
	plan, err := plan.NewPartitioned(p, partitions)
	if err != nil {
		return nil, err
	}
	plan.Suspect = o.Suspect
	refused, err := f.Ledger.Refused()
	if err != nil {
		return nil, err
	}
	away := func(name string) bool {
		is := func(r kv.Refusal) bool { return protocol.Party(r.Worker) == protocol.Party(name) }
		return name != protocol.OwnWorker && !slices.ContainsFunc(refused, is)
	}
	held := func(*kv.Entry) bool { return false }
	if o.Own {
		if held, err = f.held(); err != nil {
			return nil, err
		}
	}
	return plan, plan.Load(f.Meta.Run, f.Ledger.Load, func(e kv.Entry) error {
		id := e.Record.ID()
		switch {
		case held(&e):
			return plan.AddReplica(id, protocol.OwnWorker)
		case o.Await && slices.ContainsFunc(e.Holders, away):
			return plan.Await(id)
		}
		return nil
	})
}

// Scan passes the stored blocks of a cell to fn in address order, each window checked against its digest. The error
// wraps puzzle.ErrMissing when a window is not committed, or its rows are not in the folder.
func (f *Folder) Scan(ctx context.Context, plan *plan.Plan, id puzzle.Cell, fn func(*puzzle.Block) error) error {
	l, err := plan.LocateCell(f.Meta.Run, id)
	if err != nil {
		return err
	}
	for i := range l.Windows {
		rec := l.Windows[i].Record
		if rec.Rows == 0 {
			continue
		}
		if len(l.Windows[i].Holders) == 0 {
			return &puzzle.MissingError{Window: rec.Window.ID(), Cause: errors.New("its rows are not kept in this folder")}
		}
		if err := f.Store.Blocks(ctx, rec, rec.Window.First, rec.Window.Addresses, fn); err != nil {
			return err
		}
	}
	return nil
}
