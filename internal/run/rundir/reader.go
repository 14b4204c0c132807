package rundir

import (
	"context"
	"errors"
	"fmt"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/window/cache"
)

// A Reader is a puzzle.Source of all committed windows of a run whose rows are in a folder. Safe for concurrent use.
type Reader struct {
	folder *Folder
	plan   *plan.Plan
	cache  *cache.Cache
}

// Reader returns a source of the windows of a plan that was loaded from f. It keeps decoded windows up to a number of
// bytes.
func (f *Folder) Reader(plan *plan.Plan, cacheBytes uint64) *Reader {
	return &Reader{folder: f, plan: plan, cache: cache.New(cacheBytes)}
}

func (r *Reader) located(c puzzle.Cell) (protocol.Located, error) {
	return r.plan.LocateCell(r.folder.Meta.Run, c)
}

// Tally implements puzzle.Source.
func (r *Reader) Tally(c puzzle.Cell) (puzzle.Tally, error) {
	l, err := r.located(c)
	return l.Tally, err
}

// Windows implements puzzle.Source.
func (r *Reader) Windows(c puzzle.Cell) ([]puzzle.Window, error) {
	l, err := r.located(c)
	ws := make([]puzzle.Window, len(l.Windows))
	for i := range l.Windows {
		ws[i] = l.Windows[i].Record.Window
	}
	return ws, err
}

// Cache implements puzzle.Source.
func (r *Reader) Cache() puzzle.Cache { return r.cache }

// MemoryBytes implements puzzle.Source: it sets no limit.
func (r *Reader) MemoryBytes() uint64 { return 0 }

// Blocks implements puzzle.Source.
func (r *Reader) Blocks(
	ctx context.Context, w puzzle.Window, first, addresses uint64, fn func(*puzzle.Block) error,
) error {
	l, err := r.located(w.Cell)
	if err != nil {
		return err
	}
	if w.Part < 0 || w.Part >= len(l.Windows) || l.Windows[w.Part].Record.Window != w {
		return fmt.Errorf("window %s of %d addresses from %d is not in the plan", w, w.Addresses, w.First)
	}
	lw := &l.Windows[w.Part]
	switch {
	case lw.Record.Rows == 0:
		return nil
	case len(lw.Holders) == 0:
		return &puzzle.MissingError{Window: w.ID(), Cause: errors.New("its rows are not kept in this folder")}
	}
	err = r.folder.Store.Blocks(ctx, lw.Record, first, addresses, fn)
	if errors.Is(err, kv.ErrNotFound) { // another worker holds it
		return &puzzle.MissingError{Window: w.ID(), Cause: err}
	}
	return err
}
