package reserve

import (
	"maps"
	"slices"

	"pagoda/internal/counting"
	"pagoda/internal/partition"
	"pagoda/internal/peg"
)

// A side is the positions that are reached from one end: before the reserve is put back, and after.
type side struct {
	before, after *counting.Enumeration
}

// newSide prepares the side from a position, under a group that fixes it and the hole of the reserve. Its cells have
// the given names.
func newSide(
	b *peg.Board, group []peg.Perm, from peg.Position, hole int, windowAddresses uint64, before, after string,
) (*side, error) {
	s := &side{}
	var err error
	if s.before, err = counting.NewUnder(b, group, from, windowAddresses, before); err != nil {
		return nil, err
	}
	lattice := func(space *partition.Space) [][]partition.Vector {
		return afterLattice(space, s.before.Lattice, b.Class[hole])
	}
	// A peg more or less in the hole changes the parities in the same way.
	like := from ^ 1<<hole
	f := newFeeder(s.before, hole)
	s.after, err = counting.NewFed(b, group, like, from.Pegs()+1, lattice, f, windowAddresses, after)
	return s, err
}

// afterLattice lists the cells after the moment, by jumps: those of the positions before it with a peg more of the
// reserve's class, and those that jumps lead to from there.
func afterLattice(space *partition.Space, before [][]partition.Vector, class uint8) [][]partition.Vector {
	var layers [][]partition.Vector
	var last []partition.Vector
	for n := 0; n < len(before) || len(last) > 0; n++ {
		cells := map[partition.Vector]bool{}
		if n < len(before) {
			for _, v := range before[n] {
				if v[class] < space.ClassSize[class] {
					v[class]++
					cells[v] = true
				}
			}
		}
		for _, v := range last {
			for _, e := range space.OutEdges(v) {
				cells[e.End] = true
			}
		}
		last = nil
		for _, v := range slices.SortedFunc(maps.Keys(cells), largestFirst) {
			if space.Addresses(v) > 0 {
				last = append(last, v)
			}
		}
		layers = append(layers, last)
	}
	return layers
}

func largestFirst(v, w partition.Vector) int { return slices.Compare(w[:], v[:]) }
