package goals

import (
	"context"
	"math/bits"
	"slices"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

// beamWidth is the positions of a layer that a beam keeps.
const beamWidth = 2000

// beam looks for a game to goals that are too many to list: it keeps the best positions of each layer, by the holes in
// which they differ from the next pattern, and by the jumps that are left. It proves nothing.
func (d *decision) beam(ctx context.Context) error {
	order := []int{1, 0, -1}
	if d.goals.Dead {
		slices.Reverse(order) // few jumps left, a dead end soon
	}
	for _, mobility := range order {
		layers := [][]peg.Position{{d.start}}
		for n := 0; len(layers[n]) > 0; n++ {
			if err := puzzle.Progress(ctx); err != nil {
				return err
			}
			if i := slices.IndexFunc(layers[n], d.goals.Has); i >= 0 {
				at := layers[n][i]
				itself := func(q peg.Position) peg.Position { return q }
				d.feasible(feasible.Search, backtrack(d.goals.Board, layers, at, itself), at)
				return nil
			}
			layers = append(layers, d.best(layers[n], mobility))
		}
	}
	d.tried(beamed, "gave up", "")
	return nil
}

// best returns the best positions after one jump more, in ascending order.
func (d *decision) best(layer []peg.Position, mobility int) []peg.Position {
	next := []peg.Position{}
	for _, q := range layer {
		d.goals.Board.Moves(q, func(j peg.Jump) { next = append(next, j.Play(q)) })
	}
	slices.Sort(next)
	if next = slices.Compact(next); len(next) <= beamWidth {
		return next
	}
	score := map[peg.Position]int{}
	for _, q := range next {
		differ := d.goals.Board.Size()
		for _, p := range d.goals.Patterns {
			differ = min(differ, bits.OnesCount64(uint64((q^p.Pegs)&p.Fixed)))
		}
		jumps := 0
		d.goals.Board.Moves(q, func(peg.Jump) { jumps++ })
		score[q] = 4*differ - mobility*jumps
	}
	slices.SortStableFunc(next, func(p, q peg.Position) int { return score[p] - score[q] })
	next = next[:beamWidth]
	slices.Sort(next)
	return next
}
