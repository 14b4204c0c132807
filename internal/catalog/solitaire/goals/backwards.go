package goals

import (
	"context"
	"slices"

	"pagoda/internal/peg"
)

// A backwards plays from all goals of one number of pegs backwards, one position of each class, to the positions that
// games from the start meet.
type backwards struct {
	walk    *walk
	layers  [][]peg.Position // the goals, and the positions before them
	depth   int              // layer of the walk that is met
	most    int              // classes that may be listed
	classes int              // that were
}

// play plays backwards to the last layer of the walk, or to that after n jumps, where the goals are; ok is false when
// there are too many positions.
func (b *backwards) play(ctx context.Context, n int) (ok bool, err error) {
	b.depth = min(n, len(b.walk.layers)-1)
	for range n - b.depth {
		before, err := b.walk.step(ctx, b.layers[len(b.layers)-1], true, b.most-b.classes)
		if err != nil || before == nil {
			return false, err
		}
		b.layers, b.classes = append(b.layers, before), b.classes+len(before)
	}
	return true, nil
}

// meet returns a position that the walk and the last layer have.
func (b *backwards) meet() (at peg.Position, ok bool) {
	for _, q := range b.layers[len(b.layers)-1] {
		if _, ok := slices.BinarySearch(b.walk.layers[b.depth], q); ok {
			return q, true
		}
	}
	return 0, false
}

// game returns the jumps from the start over a position that was met to a goal.
func (b *backwards) game(at peg.Position) []peg.Jump {
	game := backtrack(b.walk.board, b.walk.layers[:b.depth+1], at, b.walk.orbits.Least)
	for i := len(b.layers) - 2; i >= 0; i-- {
		for _, j := range b.walk.board.Jumps {
			if !j.Legal(at) {
				continue
			}
			after := j.Play(at)
			if _, ok := slices.BinarySearch(b.layers[i], b.walk.orbits.Least(after)); ok {
				game, at = append(game, j), after
				break
			}
		}
	}
	return game
}
