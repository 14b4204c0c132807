package enginetest

import (
	"context"
	"fmt"
	"math/bits"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// Survey looks at every number below Slots by itself: one layer, no parents. It keeps those with a number of bits
// that 3 divides, and counts all by number of bits.
type Survey struct {
	Slots  uint64
	Window uint64
}

// Identity implements puzzle.Puzzle.
func (p *Survey) Identity() puzzle.Identity {
	return puzzle.Identity{Puzzle: "survey", Params: []puzzle.Param{
		{Name: "slots", Value: fmt.Sprint(p.Slots)},
		{Name: "window_addresses", Value: fmt.Sprint(p.Window)},
	}}
}

// Columns implements puzzle.Puzzle.
func (p *Survey) Columns() []string { return []string{"bits"} }

// Layer implements puzzle.Puzzle.
func (p *Survey) Layer(n int, _ puzzle.Results) ([]puzzle.CellPlan, error) {
	if n > 0 {
		return nil, puzzle.ErrNoLayer
	}
	return []puzzle.CellPlan{{
		Cell: puzzle.Cell{Layer: 0, Key: "all"}, Addresses: p.Slots, Cuts: cuts(p.Slots, p.Window), Work: float64(p.Slots),
		RowBytes: float64(p.Slots) / 3,
	}}, nil
}

// Compute implements puzzle.Puzzle.
func (p *Survey) Compute(
	_ context.Context, w puzzle.Window, _ puzzle.Source, out puzzle.Sink,
) (t puzzle.Tally, err error) {
	var histogram [65]uint64
	_, _, err = emit(w, out, func(a uint64) uint64 {
		n := bits.OnesCount64(a)
		histogram[n]++
		if n%3 == 0 {
			return uint64(n)
		}
		return 0
	})
	for n, v := range histogram {
		if v > 0 && err == nil {
			err = t.AddSum(fmt.Sprintf("bits_%02d", n), uint128.From(v))
		}
	}
	return t, err
}

// Summarise implements puzzle.Puzzle.
func (p *Survey) Summarise(known puzzle.Results) (puzzle.Summary, error) {
	var names []string
	for n := range 65 {
		names = append(names, fmt.Sprintf("bits_%02d", n))
	}
	return summary(known, names...), nil
}

// Reference computes what Summarise should say.
func (p *Survey) Reference() map[string]uint128.Uint128 {
	want := make(map[string]uint128.Uint128)
	for a := range p.Slots {
		name := fmt.Sprintf("0/bits_%02d", bits.OnesCount64(a))
		want[name], _ = want[name].Add(uint128.From(1))
	}
	return want
}
