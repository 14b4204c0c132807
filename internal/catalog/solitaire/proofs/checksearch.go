package proofs

import (
	"fmt"
	"math/big"
	"slices"

	"pagoda/internal/peg"
)

// MaxPositions bounds the positions that the check of a search visits.
const MaxPositions = 20_000_000

// maxPruning bounds the pagoda functions of a search.
const maxPruning = 1000

// checkSearch visits every position that can be reached from the start in Forward jumps or fewer. It also visits every
// one from which the goal can be reached in the other jumps or fewer. It passes over positions that a pagoda function
// excludes: those that weigh less than the goal on the one side, and more than the start on the other. No position may
// be reached from both sides, and the certificate must name the number of positions visited.
func (k *checker) checkSearch() error {
	if k.Start.Pegs() <= k.Goal.Pegs() {
		return wrong("the goal has as many pegs as the start or more: there is nothing to search")
	}
	if f := k.proof.Forward; f < 0 || f > k.Jumps() {
		return fmt.Errorf("%w: %d jumps forward: want 0 to %d", ErrForm, f, k.Jumps())
	}
	prunings, err := k.prunings()
	if err != nil {
		return err
	}
	visited := 0
	reached, err := k.layer(k.Start, k.proof.Forward, &visited, func(q peg.Position, j peg.Jump) (peg.Position, bool) {
		if !q.Has(int(j.From)) || !q.Has(int(j.Over)) || q.Has(int(j.To)) {
			return 0, false
		}
		r := q&^(1<<j.From)&^(1<<j.Over) | 1<<j.To
		return r, !slices.ContainsFunc(prunings, func(f pruning) bool { return f.weigh(r) < f.weigh(k.Goal) })
	})
	if err != nil {
		return err
	}
	undo := func(q peg.Position, j peg.Jump) (peg.Position, bool) {
		if q.Has(int(j.From)) || q.Has(int(j.Over)) || !q.Has(int(j.To)) {
			return 0, false
		}
		r := q&^(1<<j.To) | 1<<j.From | 1<<j.Over
		return r, !slices.ContainsFunc(prunings, func(f pruning) bool { return f.weigh(r) > f.weigh(k.Start) })
	}
	winnable, err := k.layer(k.Goal, k.Jumps()-k.proof.Forward, &visited, undo)
	if err != nil {
		return err
	}
	for q := range reached {
		if winnable[q] {
			return wrong("the search from both sides meets at %s", peg.FormatLine(k.Board, q))
		}
	}
	if visited != k.proof.Positions {
		return wrong("the search visits %d positions, the certificate says %d", visited, k.proof.Positions)
	}
	return nil
}

// layer returns the positions that the given number of steps lead to, and adds all positions on the way to visited.
func (k *checker) layer(from peg.Position, steps int, visited *int,
	step func(peg.Position, peg.Jump) (peg.Position, bool),
) (map[peg.Position]bool, error) {
	layer, turn := map[peg.Position]bool{from: true}, 0
	for *visited++; steps > 0; steps-- {
		if err := k.ctx.Err(); err != nil {
			return nil, err
		}
		next := map[peg.Position]bool{}
		for q := range layer {
			for _, j := range k.Board.Jumps {
				if r, ok := step(q, j); ok {
					next[r] = true
				}
			}
			if *visited+len(next) > k.positions {
				return nil, wrong("the search has more than %d positions: this checker does not go on", k.positions)
			}
			if turn++; turn%4096 == 0 && k.ctx.Err() != nil {
				return nil, k.ctx.Err()
			}
		}
		*visited += len(next)
		layer = next
	}
	return layer, nil
}

// A pruning is a pagoda function whose sums fit 64 bits.
type pruning []int64

func (k *checker) prunings() ([]pruning, error) {
	if len(k.proof.Pruning) > maxPruning {
		return nil, fmt.Errorf("%w: %d pagoda functions: at most %d are allowed", ErrForm, len(k.proof.Pruning), maxPruning)
	}
	var list []pruning
	for i, weights := range k.proof.Pruning {
		w, err := k.pagoda(weights)
		if err != nil {
			return nil, fmt.Errorf("pagoda function %d: %w", i+1, err)
		}
		all := new(big.Int)
		for _, v := range w {
			all.Add(all, new(big.Int).Abs(v))
		}
		if all.BitLen() > 62 {
			return nil, fmt.Errorf("%w: pagoda function %d has weights that are too large", ErrForm, i+1)
		}
		list = append(list, weights)
	}
	return list, nil
}

func (f pruning) weigh(p peg.Position) int64 {
	sum := int64(0)
	for i, v := range f {
		if p.Has(i) {
			sum += v
		}
	}
	return sum
}
