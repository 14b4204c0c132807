package survey

import (
	"context"
	"errors"
	"fmt"
	"math/bits"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/catalog/solitaire/solve"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

// onePegTruth knows of every position which single pegs games lead to from it. It fills one list after the other by
// playing each jump once: a position leads to the pegs that the positions after its jumps lead to.
type onePegTruth struct {
	board *peg.Board
	// lists[k] has, by the rank of a position with k pegs, the holes of the last pegs.
	lists [][]peg.Position
}

func newOnePegTruth(b *peg.Board) *onePegTruth {
	single := make([]peg.Position, b.Size())
	for i := range single {
		single[i] = 1 << i
	}
	return &onePegTruth{board: b, lists: [][]peg.Position{nil, single}}
}

// bytes returns the size of the lists up to so many pegs.
func (t *onePegTruth) bytes(pegs int) (sum uint64) {
	if t == nil {
		return 0
	}
	for k := 1; k <= pegs; k++ {
		sum += 8 * choose(t.board.Size(), k)
	}
	return sum
}

// list returns the list of positions with so many pegs, and makes it and those before it when they are not there yet.
func (t *onePegTruth) list(ctx context.Context, pegs int) ([]peg.Position, error) {
	n := t.board.Size()
	for k := len(t.lists); k <= pegs; k++ {
		before, list := t.lists[k-1], make([]peg.Position, choose(n, k))
		p := peg.Position(1)<<k - 1
		for i := range list {
			if i%(1<<20) == 0 {
				if err := puzzle.Progress(ctx); err != nil {
					return nil, err
				}
			}
			for _, j := range t.board.Jumps {
				if j.Legal(p) {
					list[i] |= before[rank(j.Play(p))]
				}
			}
			if i+1 < len(list) {
				p = next(p)
			}
		}
		t.lists = append(t.lists, list)
	}
	return t.lists[pegs], nil
}

// onePeg returns the list of positions with so many pegs.
func (s *Survey) onePeg(ctx context.Context, pegs int) ([]peg.Position, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.truth.list(ctx, pegs)
}

// A reached is the set of positions that games lead to from one start, on a board of at most maxPositions holes.
type reached struct {
	board *peg.Board
	set   []uint64
	stack []peg.Position
}

func newReached(b *peg.Board) *reached {
	return &reached{board: b, set: make([]uint64, max(1, 1<<b.Size()/64))}
}

func (r *reached) has(p peg.Position) bool { return r.set[p/64]>>(p%64)&1 != 0 }

// from finds the positions that games lead to from p.
func (r *reached) from(p peg.Position) {
	clear(r.set)
	r.stack = append(r.stack[:0], p)
	r.set[p/64] |= 1 << (p % 64)
	for len(r.stack) > 0 {
		q := r.stack[len(r.stack)-1]
		r.stack = r.stack[:len(r.stack)-1]
		for _, j := range r.board.Jumps {
			if j.Legal(q) {
				if a := j.Play(q); !r.has(a) {
					r.set[a/64] |= 1 << (a % 64)
					r.stack = append(r.stack, a)
				}
			}
		}
	}
}

// solvable decides a problem from one vacancy to one peg: from the lists of all positions where the board is small
// enough, and otherwise by the solver, whose game is played, or whose search is complete. ok is false where neither
// decides it. A problem that a criterion forbids is not given to the solver, which could only agree.
func (s *Survey) solvable(ctx context.Context, p peg.Problem, isForbidden bool) (solvable, ok bool, err error) {
	if s.truth != nil {
		list, err := s.onePeg(ctx, p.Start.Pegs())
		if err != nil {
			return false, false, err
		}
		return list[rank(p.Start)]&p.Goal != 0, true, nil
	}
	if isForbidden {
		return false, true, nil
	}
	r, err := solve.Solve(ctx, p, solve.Options{Feasible: feasible.Limits{Positions: -1}})
	switch {
	case errors.Is(err, solve.ErrGaveUp):
		return false, false, nil
	case err != nil || !r.Solvable:
		return false, err == nil, err
	}
	at := p.Start
	for _, j := range r.Jumps {
		if !j.Legal(at) {
			return false, false, fmt.Errorf("the solver's game from %s to %s cannot be played", peg.FormatLine(p.Board, p.Start),
				peg.FormatLine(p.Board, p.Goal))
		}
		at = j.Play(at)
	}
	if at != p.Goal {
		return false, false, fmt.Errorf("the solver's game from %s ends at %s, not at %s", peg.FormatLine(p.Board, p.Start),
			peg.FormatLine(p.Board, at), peg.FormatLine(p.Board, p.Goal))
	}
	return true, true, nil
}

// singles calls f for each hole of a set.
func singles(set peg.Position, f func(peg.Position)) {
	for ; set != 0; set &= set - 1 {
		f(1 << bits.TrailingZeros64(uint64(set)))
	}
}
