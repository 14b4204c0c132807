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
	return e.checkTally(w, rows, t)
}

// checkTally holds the tally of a window against its rows.
func (w *enumeration) checkTally(window puzzle.Window, rows uint64, t *puzzle.Tally) error {
	b, err := w.bundleOf(window.Cell)
	if err != nil {
		return err
	}
	group, orbit := uint64(len(w.group)), uint64(len(w.orbit(b.vectors[0])))
	for _, v := range b.vectors[1:] {
		if uint64(len(w.orbit(v))) != orbit {
			orbit = 1
		}
	}
	positions := t.Sum(sumPositions)
	if positions.Cmp(uint128.Mul(rows, orbit)) < 0 || positions.Cmp(uint128.Mul(rows, group)) > 0 {
		return fmt.Errorf("%v positions, but %d rows that stand for %d to %d each", positions, rows, orbit, group)
	}
	most, fits := positions.Mul64(group)
	for _, name := range w.sums {
		n := t.Sum(name)
		switch {
		case name == sumDead && n.Cmp(positions) > 0:
			return fmt.Errorf("%s %v is more than %s %v", sumDead, n, sumPositions, positions)
		case name == sumSymmetries && (n.Cmp(positions) < 0 || fits && n.Cmp(most) > 0):
			return fmt.Errorf("%v positions with %v symmetries of %d for each", positions, n, group)
		}
		if _, rest := n.QuoRem64(orbit); rest != 0 {
			return fmt.Errorf("%s %v is no multiple of %d, the cells that this one stands for", name, n, orbit)
		}
	}
	return nil
}
