package chance

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"

	"pagoda/internal/counting"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

// Played are games of random jumps that were played.
type Played struct {
	Games  uint64
	ByPegs [peg.MaxHoles + 1]uint64 // games that ended with so many pegs
	Goal   uint64                   // games that met the goal
}

// Simulate plays so many games.
func Simulate(ctx context.Context, p counting.Params, games uint64, source rand.Source) (s Played, err error) {
	random := rand.New(source)
	// A jump is legal where the holes of its mask have pegs as it needs them; it flips them all.
	type jump struct{ mask, need peg.Position }
	var all []jump
	for _, j := range p.Board.Jumps {
		all = append(all, jump{j.Mask(), j.Need()})
	}
	masks := make([]peg.Position, len(all)) // of the legal jumps
	for s.Games < games {
		if s.Games%1024 == 0 {
			if err := puzzle.Progress(ctx); err != nil {
				return s, err
			}
		}
		q, met := p.Start, false
		for {
			met = met || p.HasGoal && q == p.Goal
			n := 0
			for _, j := range all {
				masks[n] = j.mask // written over by the next one, unless it is legal
				if q&j.mask == j.need {
					n++
				}
			}
			if n == 0 {
				break
			}
			q ^= masks[random.IntN(n)]
		}
		s.Games++
		s.ByPegs[q.Pegs()]++
		if met {
			s.Goal++
		}
	}
	return s, nil
}

// Share is the share of the games that n of them are, and the standard error of such shares where the chance of each
// game is i.
func (s *Played) Share(n uint64, i Interval) (share, deviation float64) {
	games := float64(s.Games)
	chance, _ := new(big.Rat).SetFrac(i.Least.Big(), one.Big()).Float64()
	return float64(n) / games, math.Sqrt(chance * (1 - chance) / games)
}
