package reach

import (
	"fmt"
	"strings"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// CheckTally implements puzzle.TallyChecker for the windows of enumerations. A position has the identity among its
// symmetries, and at most all of the group.
func (r *Reach) CheckTally(w puzzle.Window, rows uint64, t *puzzle.Tally) error {
	e := r.near
	if j := r.join; j != nil {
		if w.Layer == j.layer {
			return nil // a join, which stores no rows
		}
		if j.far != r.near && strings.HasPrefix(w.Key, j.far.name) {
			e = j.far
		}
	}
	v, err := e.vector(w.Cell)
	if err != nil {
		return err
	}
	group, orbit := uint64(len(e.group)), uint64(len(e.orbit(v)))
	positions, dead, symmetries := t.Sum(sumPositions), t.Sum(sumDead), t.Sum(sumSymmetries)
	most, fits := positions.Mul64(group)
	switch {
	case positions.Cmp(uint128.Mul(rows, orbit)) < 0 || positions.Cmp(uint128.Mul(rows, group)) > 0:
		return fmt.Errorf("%v positions, but %d rows that stand for %d to %d each", positions, rows, orbit, group)
	case dead.Cmp(positions) > 0:
		return fmt.Errorf("%s %v is more than %s %v", sumDead, dead, sumPositions, positions)
	case symmetries.Cmp(positions) < 0 || fits && symmetries.Cmp(most) > 0:
		return fmt.Errorf("%v positions with %v symmetries of %d for each", positions, symmetries, group)
	}
	for name, n := range map[string]uint128.Uint128{sumPositions: positions, sumDead: dead, sumSymmetries: symmetries} {
		if _, rest := n.QuoRem64(orbit); rest != 0 {
			return fmt.Errorf("%s %v is no multiple of %d, the cells that this one stands for", name, n, orbit)
		}
	}
	return nil
}
