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

// ledgerLost reports whether the ledger is missing though there is a store. Only to read, that is an error: it wraps
// kv.ErrCorrupt.
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

// rebuildLedger enters the windows of the store that the ledger lacks: a record says all that an entry does. What
// other workers hold comes back when they join and are given the window: they find it in their stores.
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
		err = nil // records that cannot be read are of windows that the store does not have
	}
	if err = errors.Join(err, flush()); err != nil {
		return fmt.Errorf("rebuild the ledger: %w", err)
	}
	if n > 0 {
		f.damaged(fmt.Errorf("the ledger was rebuilt from the records of the store: %d windows", n))
	}
	return nil
}
