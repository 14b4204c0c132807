package ways

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"

	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// Total returns the number of solutions of a finished run; the error wraps ErrNoSolution when it is 0.
func (t *Puzzle) Total(ctx context.Context, in puzzle.Source) (uint128.Uint128, error) {
	if t.near == nil {
		return uint128.Uint128{}, fmt.Errorf("%w: %s", ErrNoSolution, t.reason)
	}
	n, err := t.waysOnward(ctx, rows{in, true}, t.problem.Start, 0)
	if err == nil && n.IsZero() {
		err = ErrNoSolution
	}
	return n, err
}

// Solution returns the solution of a number below Total, from the rows of a finished run. Solutions are numbered in the
// order of their jumps: first all that begin with the first jump of the board that can be made, and so on, at every
// position anew. So a number drawn uniformly is a solution drawn uniformly.
func (t *Puzzle) Solution(ctx context.Context, in puzzle.Source, number uint128.Uint128) ([]peg.Jump, error) {
	b, p := t.problem.Board, t.problem.Start
	rest := number
	jumps := make([]peg.Jump, 0, t.jumps)
	for n := range t.jumps {
		var err error
		found := false
		b.Moves(p, func(j peg.Jump) {
			if found || err != nil {
				return
			}
			var ways uint128.Uint128
			if ways, err = t.waysOnward(ctx, rows{in, false}, j.Play(p), n+1); err != nil {
				return
			}
			if rest.Cmp(ways) < 0 {
				found = true
				jumps = append(jumps, j)
				return
			}
			rest, _ = rest.Sub(ways)
		})
		if err != nil {
			return nil, err
		}
		if !found {
			return nil, fmt.Errorf("solution %v: after %d jumps the ways of all jumps are not those of the position", number, n)
		}
		p = jumps[n].Play(p)
	}
	return jumps, nil
}

// ErrNotSolution is wrapped by [Puzzle.Number].
var ErrNotSolution = errors.New("not a solution")

// Number returns the number of a solution, from the rows of a finished run: the inverse of [Puzzle.Solution]. The error
// wraps ErrNotSolution when the jumps, which can be made from the start, do not end in the goal.
func (t *Puzzle) Number(ctx context.Context, in puzzle.Source, jumps []peg.Jump) (number uint128.Uint128, err error) {
	b, p := t.problem.Board, t.problem.Start
	positions := []peg.Position{p}
	for _, j := range jumps {
		p = j.Play(p)
		positions = append(positions, p)
	}
	if p != t.problem.Goal {
		return number, fmt.Errorf("%w: the game ends in %s, and the goal is %s", ErrNotSolution, peg.FormatLine(b, p),
			peg.FormatLine(b, t.problem.Goal))
	}
	for n, played := range jumps {
		before := true // jumps in whose place another one was played
		b.Moves(positions[n], func(j peg.Jump) {
			before = before && j != played
			if !before || err != nil {
				return
			}
			var ways uint128.Uint128
			if ways, err = t.waysOnward(ctx, rows{in, false}, j.Play(positions[n]), n+1); err == nil {
				number, _ = number.Add(ways) // less than all of them
			}
		})
		if err != nil {
			return number, err
		}
	}
	return number, nil
}

// waysOnward returns the ways from a position that is reached to the goal.
func (t *Puzzle) waysOnward(
	ctx context.Context, in rows, p peg.Position, jumps int,
) (n uint128.Uint128, err error) {
	if left := t.jumps - jumps; left <= t.depth(t.far) {
		return in.paths(ctx, t.far, t.Complement(p), left)
	}
	n, _, _, err = t.waysOfReached(ctx, in, p, jumps)
	return n, err
}

// Uniform draws a number below n, which must not be 0, each equally likely: it draws as many bits as n has until their
// number is below n.
func Uniform(random rand.Source, n uint128.Uint128) uint128.Uint128 {
	for {
		x := uint128.Uint128{Lo: random.Uint64()}
		if n.Hi > 0 {
			x.Hi = random.Uint64() >> bits.LeadingZeros64(n.Hi)
		} else {
			x.Lo >>= bits.LeadingZeros64(n.Lo)
		}
		if x.Cmp(n) < 0 {
			return x
		}
	}
}
