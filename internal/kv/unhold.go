package kv

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"pagoda/internal/puzzle"
)

// Unhold notes with one sync that the given windows have no holder any more: their rows were dropped or lost, their
// records stay. The error wraps ErrNotFound when the ledger does not have one of them, and then nothing is changed.
func (l *Ledger) Unhold(ids ...puzzle.WindowID) error {
	return l.change(func(batch *pebble.Batch) error {
		for _, id := range ids {
			e, found, err := l.lookup(l.db, id)
			if err != nil {
				return err
			}
			if !found {
				return fmt.Errorf("ledger %s, window %s: %w", l.dir, id, ErrNotFound)
			}
			e.Holders = nil
			if err := l.put(batch, e); err != nil {
				return err
			}
		}
		return nil
	})
}
