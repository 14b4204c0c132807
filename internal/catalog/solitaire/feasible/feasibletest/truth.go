// Package feasibletest decides the problems of small boards by following all jumps, for tests.
package feasibletest

import (
	"fmt"
	"iter"
	"slices"

	"pagoda/internal/peg"
)

// maxTruth is the largest board whose pairs are all decided: 2^12 bits for each of 2^12 positions.
const maxTruth = 12

// Truth decides every pair of positions of a board of at most 12 holes, by following all jumps. The error wraps
// peg.ErrBoard when the board is larger.
func Truth(b *peg.Board) (solvable func(peg.Problem) bool, err error) {
	n := b.Size()
	if n > maxTruth {
		return nil, fmt.Errorf("%w: board %s has %d holes: all pairs are decided on at most %d", peg.ErrBoard, b.Name, n,
			maxTruth)
	}
	words := (1<<n + 63) / 64
	reach := make([][]uint64, 1<<n)
	// A jump lowers the number of pegs, so the positions it leads to come first.
	order := make([]peg.Position, 1<<n)
	for i := range order {
		order[i] = peg.Position(i)
	}
	slices.SortFunc(order, func(p, q peg.Position) int { return p.Pegs() - q.Pegs() })
	for _, p := range order {
		set := make([]uint64, words)
		set[p/64] |= 1 << (p % 64)
		b.Moves(p, func(j peg.Jump) {
			for i, w := range reach[j.Play(p)] {
				set[i] |= w
			}
		})
		reach[p] = set
	}
	return func(p peg.Problem) bool { return reach[p.Start][p.Goal/64]>>(p.Goal%64)&1 != 0 }, nil
}

// AllPairs yields the problems of all pairs of positions in which the goal has fewer pegs than the start, but one at
// least.
func AllPairs(b *peg.Board) iter.Seq[peg.Problem] {
	return func(yield func(peg.Problem) bool) {
		for s := peg.Position(1); s <= b.Full(); s++ {
			for g := peg.Position(1); g <= b.Full(); g++ {
				if g.Pegs() < s.Pegs() && !yield(peg.Problem{Board: b, Start: s, Goal: g}) {
					return
				}
			}
		}
	}
}
