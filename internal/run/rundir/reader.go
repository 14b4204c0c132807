package rundir

import (
	"context"
	"errors"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/window/cache"
)

// Reader returns a source of all committed windows of a plan that was loaded from f, whose rows are in the folder. It
// keeps decoded windows up to a number of bytes. Safe for concurrent use.
func (f *Folder) Reader(plan *plan.Plan, cacheBytes uint64) puzzle.Source {
	return &protocol.Source{
		Locate: func(c puzzle.Cell) (protocol.Located, error) { return plan.LocateCell(f.Meta.Run, c) },
		Read: func(
			ctx context.Context, w *protocol.LocatedWindow, first, addresses uint64, fn func(*puzzle.Block) error,
		) error {
			if len(w.Holders) == 0 {
				return missing(w, errors.New("its rows are not kept in this folder"))
			}
			err := f.Store.Blocks(ctx, w.Record, first, addresses, fn)
			if errors.Is(err, kv.ErrNotFound) { // another worker holds it
				return missing(w, err)
			}
			return err
		},
		Decoded: cache.New(cacheBytes),
	}
}

func missing(w *protocol.LocatedWindow, cause error) error {
	return &puzzle.MissingError{Window: w.Record.ID(), Cause: cause}
}
