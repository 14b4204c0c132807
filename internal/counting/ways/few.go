package ways

import (
	"context"

	"pagoda/internal/peg"
	"pagoda/internal/puzzle/uint128"
)

// Few returns the solutions of a problem without a run: it plays forwards from the start and backwards from the goal
// until the two meet, and counts the ways back from there. known is false when it comes to more than most positions
// after the same number of jumps.
func Few(ctx context.Context, p peg.Problem, most int) (l *Listing, known bool, err error) {
	b, one := p.Board, uint128.From(1)
	if _, forbidden := p.Forbidden(); forbidden {
		return newFew(p, []played{{}}, []played{{}}), true, nil
	}
	ahead, back := []played{{p.Start: one}}, []played{{b.Complement(p.Goal): one}}
	for len(ahead)+len(back)-2 < p.Jumps() {
		side := &ahead
		if len(back[len(back)-1]) < len(ahead[len(ahead)-1]) {
			side = &back
		}
		next, known, err := (*side)[len(*side)-1].play(ctx, b, most)
		if err != nil || !known {
			return nil, false, err
		}
		*side = append(*side, next)
	}
	for n := len(ahead) - 1; n >= 0; n-- {
		for q := range ahead[n] {
			var sum uint128.Uint128
			if n == len(ahead)-1 {
				sum = back[len(back)-1][b.Complement(q)]
			} else {
				fits := true
				b.Moves(q, func(j peg.Jump) {
					s, ok := sum.Add(ahead[n+1][j.Play(q)])
					sum, fits = s, fits && ok
				})
				if !fits {
					return nil, false, errTooManyWays
				}
			}
			ahead[n][q] = sum
		}
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
	}
	return newFew(p, ahead, back), true, nil
}

// newFew returns the solutions of a problem from the ways of positions: by jumps from the start, and of complements by
// jumps to the goal.
func newFew(p peg.Problem, ahead, back []played) *Listing {
	return &Listing{p, func(_ context.Context, q peg.Position, jumps int) (uint128.Uint128, error) {
		if jumps < len(ahead) {
			return ahead[jumps][q], nil
		}
		return back[p.Jumps()-jumps][p.Board.Complement(q)], nil
	}}
}
