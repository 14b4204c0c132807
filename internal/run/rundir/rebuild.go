package rundir

import (
	"errors"
	"fmt"
	"path/filepath"

	"pagoda/internal/kv"
	"pagoda/internal/run/protocol"
)

// rebuildBatch is how many entries are made durable at a time.
const rebuildBatch = 1000

var errNoLedger = fmt.Errorf("%w: there is no ledger", kv.ErrCorrupt)

// ledgerLost reports whether the ledger is missing though there is a store. In a folder opened only to read, a missing
// ledger is an error that wraps kv.ErrCorrupt.
func (f *Folder) ledgerLost() (bool, error) {
	there, err := kv.Exists(filepath.Join(f.Dir, ledgerName), f.o.Ledger)
	switch {
	case err != nil || there:
		return false, err
	case f.o.ReadOnly:
		return true, fmt.Errorf("%s: %w", f.Dir, errNoLedger)
	}
	// Without either the folder was being made.
	return kv.Exists(filepath.Join(f.Dir, storeName), f.o.Store)
}

// rebuildLedger enters the windows of the store that the ledger lacks: a record says all that an entry does. Other
// workers find the windows that they have computed in their stores, when they join and are given the tasks.
func (f *Folder) rebuildLedger() error {
	var entries []kv.Entry
	n := 0
	flush := func() error {
		n += len(entries)
		err := f.Ledger.Append(entries)
		entries = entries[:0]
		return err
	}
	err := f.Store.Records(func(r kv.Record) error {
		if _, found, err := f.Ledger.Entry(r.ID()); found || err != nil {
			return err
		}
		entries = append(entries, kv.Entry{Record: r, Holders: []string{protocol.OwnWorker}})
		if len(entries) < rebuildBatch {
			return nil
		}
		return flush()
	})
	if errors.Is(err, kv.ErrCorrupt) {
		err = nil // an unreadable record counts as a window that the store does not have
	}
	if err = errors.Join(err, flush()); err != nil {
		return fmt.Errorf("rebuild the ledger: %w", err)
	}
	if n > 0 {
		f.damaged(fmt.Errorf("the ledger was rebuilt from the records of the store: %d windows", n))
	}
	return nil
}
