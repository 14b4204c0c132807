package solutions

import (
	"pagoda/internal/counting"
	"pagoda/internal/partition"
)

// Most of a lattice leads to a problem's goal, but not all of it. From the centre to the centre of the English board no
// position can be won once the class of the centre is empty. Such cells are a seventh of the first half's cells, though
// they have only a hundredth of its addresses. Cells that no join can use are not computed.

// needed lists the cells of enumeration en that the joins of the run read, and all that those are computed from. The
// second joins of verify belong to them.
func (s *Puzzle) needed(en *counting.Enumeration) counting.CellSet {
	set := make(counting.CellSet, len(en.Lattice))
	for n := range set {
		set[n] = map[partition.Vector]bool{}
	}
	for _, q := range s.problems {
		if q.join != nil {
			q.join.Reads(en, set)
			if back, err := q.join.Back(); err == nil {
				back.Reads(en, set)
			}
		}
	}
	for n := len(set) - 1; n > 0; n-- {
		for v := range set[n] {
			for _, e := range en.Edges(v, n) {
				set.Add(n-1, e.End)
			}
		}
	}
	return set
}
