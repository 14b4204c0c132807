package counting

import (
	"fmt"

	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// CheckSizes compares the rows of a window of a cell with the classes and positions that its tally has. Every vector of
// the cell stands for a multiple of orbit vectors, and a row for as many positions, times the images of its prefix. A
// class has one row or more, and exactly one where no symmetry but the identity maps a vector to itself.
func CheckSizes(s *partition.Space, orbit uint64, rows uint64, classes, positions uint128.Uint128) error {
	group := uint64(len(s.Group))
	stored := uint128.From(rows)
	switch _, rest := positions.QuoRem64(orbit); {
	case classes.Cmp(stored) > 0 || orbit == group && classes != stored:
		return fmt.Errorf("%v classes, but %d rows", classes, rows)
	case positions.Cmp(uint128.Mul(rows, orbit)) < 0 || positions.Cmp(uint128.Mul(rows, group)) > 0 || rest != 0:
		return fmt.Errorf("%v positions, but %d rows that stand for %d to %d each", positions, rows, orbit, group)
	}
	return nil
}

// CheckTally compares the numbers in the report of a window of the enumeration; see puzzle.TallyChecker. Every position
// has a path, a dead one ends as many games as it has paths, and the paths of the rows are those that came in.
func (s *Enumeration) CheckTally(w puzzle.Window, rows uint64, t *puzzle.Tally) error {
	cell, err := s.named(w.Cell)
	if err != nil {
		return err
	}
	var orbit uint64 // the greatest number that divides those of the vectors
	for _, v := range cell.vectors {
		orbit = gcd(orbit, uint64(s.Space.OrbitSize(v)))
	}
	classes, positions, paths := t.Sum(SumClasses), t.Sum(SumPositions), t.Sum(SumPaths)
	if err := CheckSizes(s.Space, orbit, rows, classes, positions); err != nil {
		return err
	}
	dead, ended, most := t.Sum(SumDead), t.Sum(SumEnded), t.Max(MaxPaths)
	goal, goalName := most, MaxPaths // of one position
	if s.several {
		goal, goalName = paths, SumPaths
	}
	for _, c := range []struct {
		low, high         uint128.Uint128
		lowName, highName string
	}{
		{positions, paths, SumPositions, SumPaths}, {dead, positions, SumDead, SumPositions},
		{dead, ended, SumDead, SumEnded}, {ended, paths, SumEnded, SumPaths}, {most, paths, MaxPaths, SumPaths},
		{t.Sum(SumGoal), goal, SumGoal, goalName}, {t.Sum(SumGoalEnded), t.Sum(SumGoal), SumGoalEnded, SumGoal},
		{t.Sum(SumGoalEnded), ended, SumGoalEnded, SumEnded},
	} {
		if c.low.Cmp(c.high) > 0 {
			return fmt.Errorf("%s %v is more than %s %v", c.lowName, c.low, c.highName, c.high)
		}
	}
	if dead.IsZero() != ended.IsZero() || most.IsZero() != paths.IsZero() {
		return fmt.Errorf("%s %v with %s %v, %s %v with %s %v",
			SumDead, dead, SumEnded, ended, MaxPaths, most, SumPaths, paths)
	}
	if s.split {
		if err := checkSplit(t); err != nil {
			return err
		}
	}
	for name, n := range map[string]uint128.Uint128{SumPaths: paths, SumDead: dead, SumEnded: ended} {
		if _, rest := n.QuoRem64(orbit); rest != 0 {
			return fmt.Errorf("%s %v is no multiple of %d, the cells that this one stands for", name, n, orbit)
		}
	}
	return s.checkFlows(w, positions, paths, t)
}

func gcd(a, b uint64) uint64 {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// checkFlows compares the paths of a window with those that came in. The paths that a feeder adds are in no tally.
func (s *Enumeration) checkFlows(w puzzle.Window, positions, paths uint128.Uint128, t *puzzle.Tally) error {
	if s.feeder != nil || w.Layer == 0 && !s.everywhere {
		return nil
	}
	var in uint128.Uint128
	fits := true
	add := func(n uint128.Uint128, ok bool) {
		var sum bool
		in, sum = in.Add(n)
		fits = fits && ok && sum
	}
	for _, f := range t.In {
		add(f.Amount, true)
	}
	if s.everywhere {
		add(Product(positions, s.Unit))
	}
	if !fits || in != paths {
		return fmt.Errorf("%v paths came in, and %s is %v", in, SumPaths, paths)
	}
	return nil
}
