package pipeline

import (
	"context"
	"errors"
	"fmt"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
)

// A Locator tells workers what is known of the parents of a cell. The coordinator is one; across processes, asking it
// is.
type Locator interface {
	// Locate returns all parents that the plan of cell reader names, in the order of the plan. It returns an error when a
	// window of one of them is not committed.
	Locate(ctx context.Context, reader puzzle.Cell) ([]Located, error)
}

// Located is a committed cell.
type Located struct {
	Cell    puzzle.Cell     `json:"cell"`
	Tally   puzzle.Tally    `json:"tally"`   // without flows, see puzzle.Source
	Windows []LocatedWindow `json:"windows"` // all windows of the cell, in address order
}

// A LocatedWindow is a committed window and where its rows are.
type LocatedWindow struct {
	Record  kv.Record `json:"record"`            // without its tally, unless it says otherwise
	Holders []Peer    `json:"holders,omitempty"` // live workers with the rows; none when they are gone for the moment
	Loss    int       `json:"loss,omitempty"`    // how often the rows were lost; it comes back in Failure.Loss
}

// A Fetcher reads the rows of committed windows. StoreFetcher is one, for what a store holds; a worker in a fleet puts
// the transfer between workers behind it.
//
// Blocks passes the blocks that intersect [first, first+slots) to fn, in address order. When the window cannot be had
// as its record describes it, the error wraps kv.ErrCorrupt or kv.ErrNotFound; when no holder has said so but one of
// them could not be reached, it wraps ErrUnreachable.
type Fetcher interface {
	Blocks(ctx context.Context, w LocatedWindow, first, slots uint64, fn func(*puzzle.Block) error) error
}

// A Copier brings a window from one of its holders into the worker's own store, checks it against its record, which has
// its tally, and commits it. Errors are those of Fetcher. A Fetcher that is a Copier lets its worker keep replicas.
type Copier interface {
	Copy(ctx context.Context, w LocatedWindow) error
}

// ErrUnreachable is wrapped by a Fetcher when a window may well be where it should be, but its holders do not answer.
var ErrUnreachable = errors.New("its holders cannot be reached")

// StoreFetcher fetches from a store, whoever holds the window.
type StoreFetcher struct{ Store *kv.Store }

// Blocks implements Fetcher.
func (f StoreFetcher) Blocks(
	ctx context.Context, w LocatedWindow, first, slots uint64, fn func(*puzzle.Block) error,
) error {
	return f.Store.Blocks(ctx, w.Record, first, slots, fn)
}

// locate implements Locator on a plan.
func (p *Plan) locate(run string, reader puzzle.Cell) ([]Located, error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	c := p.cells[reader]
	if c == nil {
		return nil, fmt.Errorf("cell %d/%s is not in the plan", reader.Layer, reader.Key)
	}
	out := make([]Located, len(c.parents))
	for i, parent := range c.parents {
		if parent.done < len(parent.windows) {
			return nil, fmt.Errorf("cell %d/%s, a parent of cell %d/%s, is not committed",
				parent.Layer, parent.Key, reader.Layer, reader.Key)
		}
		out[i] = p.located(run, parent)
	}
	return out, nil
}

// located describes a committed cell.
func (p *Plan) located(run string, c *cell) Located {
	l := Located{Cell: c.Cell, Tally: c.tally.Totals(), Windows: make([]LocatedWindow, len(c.windows))}
	for i := range c.windows {
		w := &c.windows[i]
		l.Windows[i] = LocatedWindow{
			Record: c.record(run, i), Holders: p.holders.peers(w.holders), Loss: int(w.losses),
		}
	}
	return l
}
