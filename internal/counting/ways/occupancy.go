package ways

import (
	"context"
	"fmt"

	"pagoda/internal/counting"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// An Occupancy says where the pegs of solutions are after some jumps.
type Occupancy struct {
	Jumps int
	// Total is the number of solutions; Holes has, by hole, the number of those that have a peg there.
	Total uint128.Uint128
	Holes []uint128.Uint128
}

// Occupancies reads the rows of a finished run and returns the occupancies after 0, 1, 2 ... jumps. cells lists the
// cells of a layer of the run. It demands that as many solutions pass through every layer, and that every one of them
// has as many pegs there as are left.
func (t *Puzzle) Occupancies(
	ctx context.Context, in puzzle.Source, cells func(layer int) []puzzle.CellPlan,
) ([]Occupancy, error) {
	total, err := t.Total(ctx, in)
	if err != nil {
		return nil, err
	}
	holes := t.problem.Board.Size()
	shares := make([]Occupancy, t.jumps+1)
	for n := range shares {
		shares[n] = Occupancy{Jumps: n, Holes: make([]uint128.Uint128, holes)}
	}
	err = t.allClasses(ctx, in, cells, func(r class) error { return shares[r.jumps].add(r) })
	if err != nil {
		return nil, err
	}
	for n := range shares {
		if err := t.average(&shares[n], total); err != nil {
			return nil, err
		}
	}
	return shares, nil
}

// add adds the solutions through a class, all of them at its canonical position.
func (s *Occupancy) add(r class) error {
	here, ok := counting.Product(r.paths, r.ways)
	here, ok2 := here.Mul64(uint64(r.orbit))
	if !ok || !ok2 {
		return fmt.Errorf("solutions after %d jumps: %w", r.jumps, puzzle.ErrOverflow)
	}
	if s.Total, ok = s.Total.Add(here); !ok {
		return fmt.Errorf("solutions after %d jumps: %w", r.jumps, puzzle.ErrOverflow)
	}
	for h := range s.Holes {
		if r.position.Has(h) {
			s.Holes[h], _ = s.Holes[h].Add(here) // at most Total
		}
	}
	return nil
}

// average shares out the sums at canonical positions over all positions of their classes: every hole gets the mean of
// its orbit. Then it checks the sums.
func (t *Puzzle) average(s *Occupancy, total uint128.Uint128) error {
	if s.Total != total {
		return fmt.Errorf("after %d jumps: %v solutions pass through the rows, but there are %v", s.Jumps, s.Total, total)
	}
	group := t.near.Space.Group
	sums := make([]uint128.Uint128, len(s.Holes))
	var pegs, want uint128.Uint128
	fits := true
	for h := range sums {
		orbit := peg.Position(0)
		for _, g := range group {
			orbit |= 1 << g[h]
		}
		for i, n := range s.Holes {
			if orbit.Has(i) {
				sum, ok := sums[h].Add(n)
				sums[h], fits = sum, fits && ok
			}
		}
		var rem uint64
		if sums[h], rem = sums[h].QuoRem64(uint64(orbit.Pegs())); rem != 0 {
			return fmt.Errorf("after %d jumps: hole %s: the solutions of its orbit do not divide evenly", s.Jumps,
				t.problem.Board.Label(h))
		}
		sum, ok := pegs.Add(sums[h])
		pegs, fits = sum, fits && ok
	}
	want, ok := total.Mul64(uint64(t.problem.Start.Pegs() - s.Jumps))
	if !fits || !ok {
		return fmt.Errorf("pegs of solutions after %d jumps: %w", s.Jumps, puzzle.ErrOverflow)
	}
	if pegs != want {
		return fmt.Errorf("after %d jumps: %v pegs in all solutions, want %v", s.Jumps, pegs, want)
	}
	s.Holes = sums
	return nil
}
