package goals

import (
	"context"
	"slices"

	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

// A walk is the positions that can be reached from a start, jump by jump, one of each class under the symmetries that
// fix the start, in ascending order.
type walk struct {
	board     *peg.Board
	start     peg.Position
	orbits    *peg.Orbits
	fixing    []peg.Perm
	layers    [][]peg.Position
	searched  int // layers that were looked at
	classes   int
	positions int // of all classes, of the layers that were looked at
}

func newWalk(b *peg.Board, start peg.Position) *walk {
	fixing := peg.Stabiliser(b.Symmetries(), start)
	return &walk{board: b, start: start, fixing: fixing, orbits: peg.NewOrbits(fixing),
		layers: [][]peg.Position{{start}}, classes: 1}
}

// How a search ended.
type end int

const (
	met       end = iota // a goal
	exhausted            // no goal can be reached
	gaveUp               // there would be too many classes
)

// search goes on until a layer has a goal, which is returned. The goals of all searches of a walk must be the same.
func (w *walk) search(ctx context.Context, g peg.Goals, most int) (goal peg.Position, e end, err error) {
	moves, images := w.images(g)
	for {
		n := len(w.layers) - 1
		if w.searched == n {
			positions := 0
			for _, q := range w.layers[n] {
				for i, s := range images {
					if s.Has(q) {
						return moves[i].Inverse().Apply(q), met, nil
					}
				}
				positions += w.orbits.Size(q)
			}
			w.searched, w.positions = w.searched+1, w.positions+positions
		}
		if len(w.layers[n]) == 0 || w.start.Pegs()-n-1 < g.Least {
			return 0, exhausted, nil
		}
		if ok, err := w.extend(ctx, most-w.classes); err != nil || !ok {
			return 0, gaveUp, err
		}
	}
}

// images are the different images of a set of goals, and symmetries that lead to them: a class has a goal when its
// position is in one of them.
func (w *walk) images(g peg.Goals) (moves []peg.Perm, list []peg.Goals) {
	for _, s := range w.fixing {
		image := g.Images(s)
		if !slices.ContainsFunc(list, func(o peg.Goals) bool { return slices.Equal(o.Patterns, image.Patterns) }) {
			moves, list = append(moves, s), append(list, image)
		}
	}
	return moves, list
}

// extend adds the layer after one jump more; ok is false when that has more than so many classes.
func (w *walk) extend(ctx context.Context, most int) (ok bool, err error) {
	next, err := w.step(ctx, w.layers[len(w.layers)-1], false, most)
	if err != nil || next == nil {
		return false, err
	}
	w.layers, w.classes = append(w.layers, next), w.classes+len(next)
	return true, nil
}

// step returns the positions after one jump more than those of a layer, or before the jump that led to them. They are
// one of each class in ascending order, and nil when they are more than so many.
func (w *walk) step(ctx context.Context, layer []peg.Position, back bool, most int) ([]peg.Position, error) {
	next, compacted := []peg.Position{}, 1<<16
	compact := func() {
		slices.Sort(next)
		next = slices.Compact(next)
		compacted = max(compacted, len(next))
	}
	for i, q := range layer {
		if i%4096 == 0 && puzzle.Progress(ctx) != nil {
			return nil, ctx.Err()
		}
		for _, j := range w.board.Jumps {
			mask, pegs := j.Mask(), j.Need()
			if back {
				pegs ^= mask
			}
			if q&mask == pegs {
				next = append(next, w.orbits.Least(q^mask))
			}
		}
		if len(next) > 2*compacted {
			if compact(); len(next) > most {
				return nil, nil
			}
		}
	}
	if compact(); len(next) > most {
		return nil, nil
	}
	return next, nil
}

// game returns the jumps from the start to a position of the last layer. A symmetry that fixes the start takes a game
// to a position of a class to one to any of the class.
func (w *walk) game(at peg.Position) []peg.Jump {
	return backtrack(w.board, w.layers, at, w.orbits.Least)
}

// backtrack returns the jumps that lead through layers to a position of the last one. The layers are in ascending
// order, and have the position that stands for another.
func backtrack(
	b *peg.Board, layers [][]peg.Position, at peg.Position, stands func(peg.Position) peg.Position,
) []peg.Jump {
	var game []peg.Jump
	for n := len(layers) - 2; n >= 0; n-- {
		for _, j := range b.Jumps {
			if at&j.Mask() != 1<<j.To {
				continue
			}
			before := at ^ j.Mask()
			if _, ok := slices.BinarySearch(layers[n], stands(before)); ok {
				game, at = append(game, j), before
				break
			}
		}
	}
	slices.Reverse(game)
	return game
}

// certificate proves that no goal can be reached, after a search that was exhausted; nil where the checker does not go
// so far.
func (w *walk) certificate(g peg.Goals) *proofs.Certificate {
	if w.positions > proofs.MaxPositions {
		return nil
	}
	return certificate(w.start, g, proofs.Infeasible,
		proofs.Proof{Kind: proofs.All, Forward: w.searched - 1, Positions: w.positions})
}
