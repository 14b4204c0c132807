package main

import (
	"context"
	"errors"

	"pagoda/internal/fleet/transfer"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/window/cache"
)

// fleetRows has the rows of a run whose workers hold them. It keeps nothing decoded: the memory is for the run.
func fleetRows(c *coordinator.Coordinator, fetcher *transfer.Fetcher) puzzle.Source {
	return &protocol.Source{
		Locate: c.Rows,
		Read: func(
			ctx context.Context, w *protocol.LocatedWindow, first, addresses uint64, fn func(*puzzle.Block) error,
		) error {
			if len(w.Holders) == 0 {
				cause := errors.New("no worker that is there holds its rows")
				return &puzzle.MissingError{Window: w.Record.ID(), Cause: cause}
			}
			return fetcher.Blocks(ctx, *w, first, addresses, fn)
		},
		Decoded: cache.New(0),
	}
}
