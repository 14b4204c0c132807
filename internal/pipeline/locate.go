package pipeline

import (
	"context"
	"fmt"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
)

// A Locator tells workers what is known of a parent cell. The coordinator is one; across processes, asking it is.
type Locator interface {
	// Locate returns an error when a window of the cell is not committed.
	Locate(ctx context.Context, c puzzle.Cell) (*Located, error)
}

// Located is a committed cell.
type Located struct {
	Tally   puzzle.Tally
	Windows []LocatedWindow // all windows of the cell, in address order
}

// A LocatedWindow is a committed window and where its rows are.
type LocatedWindow struct {
	Record  kv.Record // without its tally
	Holders []string  // workers that hold the rows; none when they are gone for the moment
	Loss    int       // how often the rows were lost; it comes back in Failure.Loss
}

// A Fetcher reads the rows of committed windows. *kv.Store is one, for what it holds; a worker in a cluster puts the
// transfer between workers behind it.
//
// Blocks passes the blocks that intersect [first, first+slots) to fn, in address order. When the window cannot be had
// as the record describes it, the error wraps one of kv.ErrCorrupt and kv.ErrNotFound.
type Fetcher interface {
	Blocks(ctx context.Context, rec kv.Record, first, slots uint64, fn func(*puzzle.Block) error) error
}

// locate implements Locator on a plan.
func (p *Plan) locate(run string, id puzzle.Cell) (*Located, error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	c := p.cells[id]
	if c == nil || c.done < len(c.windows) {
		return nil, fmt.Errorf("cell %d/%s is not committed", id.Layer, id.Key)
	}
	l := &Located{Tally: c.tally, Windows: make([]LocatedWindow, len(c.windows))}
	for i := range c.windows {
		w := &c.windows[i]
		l.Windows[i] = LocatedWindow{
			Record: c.record(run, i), Holders: p.holders.names(w.holders), Loss: int(w.losses),
		}
	}
	return l, nil
}
