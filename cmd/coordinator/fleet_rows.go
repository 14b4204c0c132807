package main

import (
	"context"
	"errors"
	"fmt"

	"pagoda/internal/fleet/transfer"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator"
)

// fleetRows has the rows of a run whose workers hold them.
type fleetRows struct {
	coordinator *coordinator.Coordinator
	fetcher     *transfer.Fetcher
}

// Tally implements puzzle.Source.
func (r *fleetRows) Tally(c puzzle.Cell) (puzzle.Tally, error) {
	located, err := r.coordinator.Rows(c)
	return located.Tally, err
}

// Windows implements puzzle.Source.
func (r *fleetRows) Windows(c puzzle.Cell) ([]puzzle.Window, error) {
	located, err := r.coordinator.Rows(c)
	list := make([]puzzle.Window, len(located.Windows))
	for i := range located.Windows {
		list[i] = located.Windows[i].Record.Window
	}
	return list, err
}

// Blocks implements puzzle.Source.
func (r *fleetRows) Blocks(
	ctx context.Context, w puzzle.Window, first, addresses uint64, fn func(*puzzle.Block) error,
) error {
	located, err := r.coordinator.Rows(w.Cell)
	if err != nil {
		return err
	}
	if w.Part < 0 || w.Part >= len(located.Windows) || located.Windows[w.Part].Record.Window != w {
		return fmt.Errorf("window %s of %d addresses from %d is not in the plan", w, w.Addresses, w.First)
	}
	from := located.Windows[w.Part]
	switch {
	case from.Record.Rows == 0:
		return nil
	case len(from.Holders) == 0:
		return &puzzle.MissingError{Window: w.ID(), Cause: errors.New("no worker that is there holds its rows")}
	}
	return r.fetcher.Blocks(ctx, from, first, addresses, fn)
}

// Cache implements puzzle.Source. What questions decode is not kept: the memory is for the run.
func (r *fleetRows) Cache() puzzle.Cache { return noCache{} }

// MemoryBytes implements puzzle.Source: it sets no limit.
func (r *fleetRows) MemoryBytes() uint64 { return 0 }

type noCache struct{}

func (noCache) Get(puzzle.WindowID) (any, bool)  { return nil, false }
func (noCache) Put(puzzle.WindowID, any, uint64) {}
