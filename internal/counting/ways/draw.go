package ways

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"

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

// Solution returns the solution of a number below Total, from the rows of a finished run, as [Listing] numbers them. A
// number drawn uniformly is a solution drawn uniformly.
func (t *Puzzle) Solution(ctx context.Context, in puzzle.Source, number uint128.Uint128) (jumps []peg.Jump, err error) {
	err = t.Listing(in).Each(ctx, number, func(_ uint128.Uint128, found []peg.Jump) error {
		jumps = slices.Clone(found)
		return errFound
	})
	if errors.Is(err, errFound) {
		return jumps, nil
	}
	if err == nil {
		err = fmt.Errorf("there is no solution %v", number)
	}
	return nil, err
}

// errFound ends a walk.
var errFound = errors.New("found")

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
