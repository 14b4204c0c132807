package chance

import (
	"context"
	"fmt"
	"math/big"

	"pagoda/internal/counting"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// A Count is a number of games beside the chances: every game counts as one, however likely it is.
type Count struct {
	Games     uint128.Uint128
	ByPegs    map[int]uint128.Uint128 // games that end with so many pegs
	Solutions uint128.Uint128         // jump sequences from the start to the goal
}

// exactly is a position with its chance, as a multiple of 1/denominator of its layer, and its paths.
type exactly struct {
	chance *big.Int
	paths  uint128.Uint128
}

// Exact returns the chances of a game as fractions, and counts the games, from one map of positions for each layer. ok
// is false when games meet more than so many positions.
func Exact(ctx context.Context, p counting.Params, most int) (r Report, c Count, ok bool, err error) {
	b := p.Board
	orbits := peg.NewOrbits(peg.Stabiliser(b.Symmetries(), p.Start))
	here := map[peg.Position]exactly{p.Start: {big.NewInt(1), uint128.From(1)}}
	denominator, sum, met := big.NewInt(1), new(big.Rat), 0
	c.ByPegs = map[int]uint128.Uint128{}
	if p.HasGoal {
		r.ExactGoal = new(big.Rat)
	}
	for n := 0; len(here) > 0; n++ {
		if met += len(here); met > most {
			return r, c, false, nil
		}
		if err := puzzle.Progress(ctx); err != nil {
			return r, c, false, err
		}
		if x, ok := here[p.Goal]; ok && p.HasGoal {
			r.ExactGoal.SetFrac(x.chance, denominator)
			c.Solutions = x.paths
		}
		classes, dead, ends := map[peg.Position]bool{}, 0, uint128.Uint128{}
		all, ended, common := new(big.Int), new(big.Int), big.NewInt(1)
		for q, x := range here {
			classes[orbits.Least(q)] = true
			all.Add(all, x.chance)
			if count := legal(b, q); count > 0 {
				common = lcm(common, int64(count))
				continue
			}
			dead++
			ended.Add(ended, x.chance)
			if ends, ok = ends.Add(x.paths); !ok {
				return r, c, false, fmt.Errorf("games: %w", puzzle.ErrOverflow)
			}
		}
		l := Layer{Jumps: n, Pegs: p.Start.Pegs() - n, Classes: uint128.From(uint64(len(classes))),
			Positions: uint128.From(uint64(len(here))), Dead: uint128.From(uint64(dead)),
			ExactMet: new(big.Rat).SetFrac(all, denominator), ExactEnded: new(big.Rat).SetFrac(ended, denominator)}
		l.Met, l.Ended = Of(l.ExactMet), Of(l.ExactEnded)
		r.Layers = append(r.Layers, l)
		sum.Add(sum, l.ExactEnded)
		c.ByPegs[l.Pegs] = ends
		if c.Games, ok = c.Games.Add(ends); !ok {
			return r, c, false, fmt.Errorf("games: %w", puzzle.ErrOverflow)
		}
		if here, ok = successors(b, here, common); !ok {
			return r, c, false, fmt.Errorf("games: %w", puzzle.ErrOverflow)
		}
		denominator = new(big.Int).Mul(denominator, common)
	}
	if p.HasGoal {
		r.Goal = Of(r.ExactGoal)
	}
	r.Sum = Of(sum)
	return r, c, true, nil
}

// legal is the number of jumps that a position allows.
func legal(b *peg.Board, p peg.Position) (n int) {
	b.Moves(p, func(peg.Jump) { n++ })
	return n
}

func lcm(a *big.Int, n int64) *big.Int {
	b := big.NewInt(n)
	gcd := new(big.Int).GCD(nil, nil, a, b)
	return gcd.Mul(b.Quo(b, gcd), a)
}

// successors are the positions after one jump more, whose chances have a denominator that is common times as large. ok
// is false when a number of paths does not fit.
func successors(
	b *peg.Board, here map[peg.Position]exactly, common *big.Int,
) (next map[peg.Position]exactly, ok bool) {
	next, ok = map[peg.Position]exactly{}, true
	for p, x := range here {
		count := legal(b, p)
		if count == 0 {
			continue
		}
		part := new(big.Int).Quo(common, big.NewInt(int64(count)))
		part.Mul(part, x.chance)
		b.Moves(p, func(j peg.Jump) {
			q := j.Play(p)
			y, known := next[q]
			if !known {
				y.chance = new(big.Int)
			}
			y.chance.Add(y.chance, part)
			var fits bool
			y.paths, fits = y.paths.Add(x.paths)
			ok = ok && fits
			next[q] = y
		})
	}
	return next, ok
}
