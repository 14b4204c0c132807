package reach

import (
	"context"
	"strconv"

	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

// Params are the parameters of a run.
type Params struct {
	Board *peg.Board
	Start peg.Position
	// WindowSlots is the largest number of slots of a window, 64 or more; 0 means one window for each cell.
	WindowSlots uint64
}

// Reach finds all positions that can be reached from a start. It implements puzzle.Puzzle.
type Reach struct {
	params Params
	near   *sweep
}

// New prepares the run of p. The error wraps ErrTooLarge or ErrWindowSlots.
func New(p Params) (*Reach, error) {
	s, err := newScheme(p.Board, p.Start, symmetriesOf(p.Board, p.Start))
	if err != nil {
		return nil, err
	}
	near, err := newSweep(s, p.WindowSlots, "")
	if err != nil {
		return nil, err
	}
	return &Reach{params: p, near: near}, nil
}

// Identity names the parameters that decide the result.
func (r *Reach) Identity() puzzle.Identity {
	b := r.params.Board
	return puzzle.Identity{Puzzle: "peg", Params: []puzzle.Param{
		{Name: "count", Value: "positions"},
		{Name: "lattice", Value: b.Lattice.String()},
		{Name: "board", Value: peg.FormatLine(b, b.Full())},
		{Name: "start", Value: peg.FormatLine(b, r.params.Start)},
		{Name: "window_slots", Value: strconv.FormatUint(r.params.WindowSlots, 10)},
	}}
}

// Columns is empty: that a slot has a row is all there is to know of it.
func (r *Reach) Columns() []string { return nil }

// Layer plans the positions after n jumps. All layers are known beforehand.
func (r *Reach) Layer(n int, _ puzzle.Results) ([]puzzle.CellPlan, error) {
	if n >= len(r.near.layers) {
		return nil, puzzle.ErrNoLayer
	}
	return r.near.plan(n), nil
}

// Compute computes one window.
func (r *Reach) Compute(ctx context.Context, w puzzle.Window, in puzzle.Source, out puzzle.Sink) (puzzle.Tally, error) {
	return r.near.compute(ctx, w, in, out)
}
