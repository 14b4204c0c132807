package counting

import "pagoda/internal/partition"

// Most of a lattice leads to a problem's goal, but not all of it: from the centre to the centre of the English board no
// position can be won once the class of the centre is empty, and those are a seventh of the cells of the first half,
// though only a hundredth of its addresses. What no join can use is not computed.

// A cellSet is cells of one enumeration, layer by layer.
type cellSet []map[partition.Vector]bool

func (c cellSet) add(layer int, v partition.Vector) { c[layer][v] = true }

// needed lists the cells of enumeration en that the joins of the run read, and all that those are computed from. The
// second joins of verify belong to them.
func (s *Solutions) needed(en *enumeration) cellSet {
	set := make(cellSet, len(en.lattice))
	for n := range set {
		set[n] = map[partition.Vector]bool{}
	}
	for _, q := range s.problems {
		if q.join != nil {
			q.join.reads(en, set)
			if back, err := q.join.back(); err == nil {
				back.reads(en, set)
			}
		}
	}
	for n := len(set) - 1; n > 0; n-- {
		for v := range set[n] {
			for _, e := range en.edges(v, n) {
				set.add(n-1, e.End)
			}
		}
	}
	return set
}

// reads adds to the set the cells of sw that the join makes or looks up.
func (j *join) reads(en *enumeration, set cellSet) {
	if j.near != en && j.far != en || j.jumps >= len(j.near.lattice) {
		return
	}
	for _, v := range j.near.lattice[j.jumps] {
		far := j.vectors(v)
		if j.near == en && len(far) > 0 {
			set.add(j.jumps, v)
		}
		if j.far == en {
			for _, u := range far {
				set.add(j.farJumps, u)
			}
		}
	}
}

// keep restricts the enumeration to the cells of a set; nil stands for the whole lattice.
func (s *enumeration) keep(set cellSet) {
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
