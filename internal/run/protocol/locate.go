package protocol

import (
	"context"
	"errors"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
)

// A Locator tells workers the committed parents of a cell, and where their rows are. The coordinator is one; across
// processes, a client that asks it is.
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

// A LocatedWindow is a committed window and the holders of its rows.
type LocatedWindow struct {
	Record  kv.Record `json:"record"`            // without its tally, unless it says otherwise
	Holders []Peer    `json:"holders,omitempty"` // live workers with the rows; none when they are gone for the moment
	Loss    int       `json:"loss,omitempty"`    // how often the rows were lost; it comes back in Failure.Loss
}

// A Fetcher reads the rows of committed windows. StoreFetcher is one, for the windows of a store; a worker in a fleet
// puts the transfer between workers behind it.
//
// Blocks passes the blocks that intersect [first, first+addresses) to fn, in address order. When the window cannot be
// had as its record describes it, the error wraps kv.ErrCorrupt or kv.ErrNotFound; when no holder has said so but one
// of them could not be reached, it wraps ErrUnreachable.
type Fetcher interface {
	Blocks(ctx context.Context, w LocatedWindow, first, addresses uint64, fn func(*puzzle.Block) error) error
}

// A Checker is a Fetcher that can read a window from its holders for nothing but to see whether it can be had, however
// often it has been fetched before. Errors are those of Fetcher.
type Checker interface {
	Check(ctx context.Context, w LocatedWindow) error
}

// A Replicator brings a window from one of its holders into the worker's own store, checks it against its record, which
// has its tally, and commits it. Errors are those of Fetcher. A Fetcher that is a Replicator lets its worker keep
// replicas.
type Replicator interface {
	Copy(ctx context.Context, w LocatedWindow) error
}

// ErrUnreachable is wrapped by a Fetcher when a window may well be where it should be, but its holders do not answer.
var ErrUnreachable = errors.New("its holders cannot be reached")

// A Prefetcher is a Fetcher that can bring a window near, so that its rows are read without waiting for other workers.
// Readers of a window that cannot be had are told so.
type Prefetcher interface {
	Prefetch(ctx context.Context, w LocatedWindow)
}

// A Forgetter is a Fetcher that keeps fetched windows, and can be told which of them have no further readers.
type Forgetter interface {
	Forget(ids []puzzle.WindowID)
}

// HeldBy reports whether a worker is among the holders of the window.
func (w *LocatedWindow) HeldBy(worker string) bool {
	for i := range w.Holders {
		if w.Holders[i].Name == worker {
			return true
		}
	}
	return false
}
