package kv

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"pagoda/internal/puzzle"
)

// An Audit notes that a window has to be computed a second time, or, when it is done, that it has been.
type Audit struct {
	Window puzzle.WindowID
	Done   bool
}

// note brings an audit into a batch, unless the ledger knows it.
func (l *Ledger) note(batch *pebble.Batch, a Audit) error {
	key := auditKey(a.Window)
	_, due, err := getFrom(l.folder, batch, key)
	switch {
	case err != nil:
		return err
	case a.Done && due:
		return l.failure(batch.Delete(key, nil))
	case !a.Done && !due:
		return l.failure(batch.Set(key, nil, nil))
	}
	return nil
}

// AuditsDue returns the windows that have to be computed a second time and have not been, in the order of layer, cell
// key, part. Ledgers of older versions of the program know of none.
func (l *Ledger) AuditsDue() ([]puzzle.WindowID, error) {
	if err := l.enter(); err != nil {
		return nil, err
	}
	defer l.exit()
	var due []puzzle.WindowID
	err := l.scan([]byte{keyAudit}, func(key, _ []byte) error {
		id, rest, err := cutWindow(key[1:])
		if err != nil || len(rest) > 0 {
			return fmt.Errorf("ledger %s: %w: audit key %x", l.dir, ErrCorrupt, key)
		}
		due = append(due, id)
		return nil
	})
	return due, err
}
