package compute

import (
	"context"
	"fmt"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/window"
	"pagoda/internal/run/window/cache"
)

// A Recomputer computes single windows and keeps nothing of them. It returns the record that a worker would report, and
// a coordinator compares with it.
type Recomputer struct {
	Run     string
	Puzzle  puzzle.Puzzle
	Fetcher protocol.Fetcher // reads the parents
	// MemoryBytes and MemoryOf are those of Options: a window that would hold more than there is holds less.
	MemoryBytes uint64
	MemoryOf    func(puzzle.WindowID) (bytes, planned uint64)
	// Cache keeps decoded windows for later computations; nil keeps none. It is of one epoch: in the next, a window may
	// have other rows.
	Cache *cache.Cache
}

// Record computes a window. When that fails, it returns the failure that a worker would report.
func (r *Recomputer) Record(ctx context.Context, w puzzle.Window, l protocol.Locator) (kv.Record, *protocol.Failure) {
	kept := r.Cache
	if kept == nil {
		kept = cache.New(0)
	}
	src := newSource(ctx, l, r.Fetcher, kept, func() {})
	src.begin(w.Cell)
	_, src.Memory = newRoom(r.MemoryBytes, r.MemoryOf, nil).need(w.ID(), func(planned uint64) uint64 {
		return puzzle.Holds(r.Puzzle, w, planned, src.Tally)
	})
	rec, err := window.Record(ctx, r.Run, r.Puzzle, w, src)
	if err != nil {
		return kv.Record{}, failure(w, err, src)
	}
	return rec, nil
}

// Check reads a window from its holders and compares it with its record. Errors are those of protocol.Fetcher.
func (r *Recomputer) Check(ctx context.Context, lw protocol.LocatedWindow) error {
	if c, ok := r.Fetcher.(protocol.Checker); ok {
		return c.Check(ctx, lw)
	}
	h := blocks.NewHasher(lw.Record.Window)
	err := r.Fetcher.Blocks(ctx, lw, lw.Record.First, lw.Record.Addresses, func(b *puzzle.Block) error {
		h.Add(b)
		return nil
	})
	if err == nil && h.Sum() != lw.Record.Digest {
		return fmt.Errorf("window %s: %w: it has other rows than its record says", lw.Record.Window, kv.ErrCorrupt)
	}
	return err
}
