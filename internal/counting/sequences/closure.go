package sequences

import (
	"context"
	"fmt"

	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// closureKey is the cell of the transitive closure, on boards of at most closureHoles holes. Its addresses are
// positions, its windows ranges of them; it reads nothing and stores nothing. closureName is the scalar that its
// windows report.
const (
	closureKey    = "closure"
	closureName   = "feasible_pairs"
	closureHoles  = 16
	closureWindow = 1 << 10
)

func (s *Puzzle) hasClosure() bool { return s.board.Size() <= closureHoles }

// planClosure plans the closure in a layer, where the board is small enough for it.
func (s *Puzzle) planClosure(layer int) []puzzle.CellPlan {
	if !s.hasClosure() {
		return nil
	}
	p := puzzle.CellPlan{
		Cell:        puzzle.Cell{Layer: layer, Key: closureKey},
		Addresses:   1 << s.board.Size(),
		MemoryBytes: 1 << s.board.Size(),
	}
	for at := uint64(0); at < p.Addresses; at += closureWindow {
		p.Cuts = append(p.Cuts, at)
	}
	p.Work = 100 * float64(p.Addresses)
	return []puzzle.CellPlan{p}
}

// closureWindow counts the pairs of two positions of which the first is in w and jumps lead from it to the second.
func (s *Puzzle) closureWindow(ctx context.Context, w puzzle.Window) (t puzzle.Tally, err error) {
	all := uint64(1) << s.board.Size()
	if !s.hasClosure() || w.First > all || w.Addresses > all-w.First {
		return t, fmt.Errorf("window %s: no such window in this run", w)
	}
	group := s.board.Symmetries()
	seen := make([]uint64, all/64+1)
	var list []peg.Position
	pairs := uint64(0)
	for at := w.First; at < w.First+w.Addresses; at++ {
		if err := puzzle.Progress(ctx); err != nil {
			return t, err
		}
		p := peg.Position(at)
		least, fixed := peg.Canonical(group, p)
		if least != p {
			continue // as many as from its canonical image
		}
		list = append(list[:0], p)
		for i := 0; i < len(list); i++ {
			s.board.Moves(list[i], func(j peg.Jump) {
				q := j.Play(list[i])
				if word, bit := &seen[q>>6], uint64(1)<<(q&63); *word&bit == 0 {
					*word |= bit
					list = append(list, q)
				}
			})
		}
		for _, q := range list {
			seen[q>>6] = 0
		}
		pairs += uint64(len(list)-1) * uint64(len(group)/fixed)
	}
	return t, t.AddSum(closureName, uint128.From(pairs))
}

// binomial is the number of ways to choose k of n holes, of which there are at most 64.
func binomial(n, k int) uint128.Uint128 {
	k = min(k, n-k)
	c := uint128.From(1)
	for i := range k {
		c, _ = c.Mul64(uint64(n - i))    // below 2^64 times 64
		c, _ = c.QuoRem64(uint64(i) + 1) // exact: a product of i+1 neighbours
	}
	return c
}
