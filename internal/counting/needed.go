package counting

import "pagoda/internal/partition"

// Most of a lattice leads to a problem's goal, but not all of it: from the centre to the centre of the English board no
// position can be won once the class of the centre is empty, and those are a seventh of the cells of the first half,
// though only a hundredth of its addresses. What no join can use is not computed.

// A cellSet is cells of one sweep, layer by layer.
type cellSet []map[partition.Vector]bool

func (c cellSet) add(layer int, v partition.Vector) { c[layer][v] = true }

// needed lists the cells of sweep sw that the joins of the run read, and all that those are computed from. The second
// joins of verify belong to them.
func (s *Solutions) needed(sw *sweep) cellSet {
	set := make(cellSet, len(sw.lattice))
	for n := range set {
		set[n] = map[partition.Vector]bool{}
	}
	for _, q := range s.problems {
		if q.join != nil {
			q.join.reads(sw, set)
			if back, err := q.join.back(); err == nil {
				back.reads(sw, set)
			}
		}
	}
	for n := len(set) - 1; n > 0; n-- {
		for v := range set[n] {
			for _, e := range sw.edges(v, n) {
				set.add(n-1, e.End)
			}
		}
	}
	return set
}

// reads adds to the set the cells of sw that the join makes or looks up.
func (j *join) reads(sw *sweep, set cellSet) {
	if j.near != sw && j.far != sw || j.jumps >= len(j.near.lattice) {
		return
	}
	for _, v := range j.near.lattice[j.jumps] {
		far := j.vectors(v)
		if j.near == sw && len(far) > 0 {
			set.add(j.jumps, v)
		}
		if j.far == sw {
			for _, u := range far {
				set.add(j.farJumps, u)
			}
		}
	}
}

// keep restricts the sweep to the cells of a set; nil stands for the whole lattice.
func (s *sweep) keep(set cellSet) {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.plans)
	s.layers, s.cells = nil, map[partition.Vector]int{}
	for n, layer := range s.lattice {
		var kept []partition.Vector
		for _, v := range layer {
			if set == nil || set[n][v] {
				kept = append(kept, v)
				s.cells[v] = n
			}
		}
		s.layers = append(s.layers, kept)
	}
}
