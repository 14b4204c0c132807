package counting

import (
	"fmt"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// Split makes counts chances: a position hands its count on in equal parts, one for each of its jumps, not all of it to
// each of them. The start has unit, which stands for the chance 1. A row holds the part of one jump; a row without a
// jump holds the count itself. Sums of paths and of games are of undivided counts.
//
// Parts are whole numbers, so a division loses the rest. A count below the number of jumps would leave nothing; its
// part is 1 all the same, so that no row vanishes, and the count gains what is missing. Both are tallied exactly, under
// SumLost and SumGained. Rounding errors travel along the jumps and do not grow on the way. So a sum over positions of
// a layer is too small by at most the losses of the layers before it, and too large by at most their gains.
func (s *Enumeration) Split(unit uint128.Uint128) { s.split, s.Unit = true, unit }

// rounding adds up the errors of divisions.
type rounding struct{ lost, gained uint128.Uint128 }

// divide returns the part of a count for each of so many jumps. Its sums stay below the count of the start.
func (r *rounding) divide(count uint128.Uint128, jumps uint64) uint128.Uint128 {
	part, rest := count.QuoRem64(jumps)
	if part.IsZero() {
		r.gained, _ = r.gained.Add(uint128.From(jumps - rest))
		return uint128.From(1)
	}
	r.lost, _ = r.lost.Add(uint128.From(rest))
	return part
}

// report adds the errors to a tally.
func (r *rounding) report(t *puzzle.Tally) error {
	if err := t.AddSum(SumLost, r.lost); err != nil {
		return err
	}
	return t.AddSum(SumGained, r.gained)
}

// checkSplit compares the chances of a window with those that end there or leave it.
func checkSplit(t *puzzle.Tally) error {
	sum := func(first uint128.Uint128, more ...uint128.Uint128) (uint128.Uint128, bool) {
		fits := true
		for _, n := range more {
			var ok bool
			first, ok = first.Add(n)
			fits = fits && ok
		}
		return first, fits
	}
	out := make([]uint128.Uint128, 0, len(t.Out)+1)
	for _, f := range t.Out {
		out = append(out, f.Amount)
	}
	have, ok := sum(t.Sum(SumPaths), t.Sum(SumGained))
	gone, fits := sum(t.Sum(SumEnded), append(out, t.Sum(SumLost))...)
	if !ok || !fits || have != gone {
		return fmt.Errorf("%s and %s are %v, but %v ended, left or was lost", SumPaths, SumGained, have, gone)
	}
	return nil
}
