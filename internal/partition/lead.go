package partition

import (
	"math/bits"
	"slices"
)

// A leadTable says for every lead pattern which element of a coset of the group makes it smallest.
//
// For the coset that fixes a vector it also lists the canonical patterns. Where several elements tie, the lowest-numbered
// one is taken: the images differ by a symmetry that fixes the canonical pattern, and all of them are addressed.
type leadTable struct {
	best []uint8 // by pattern: group element
	rank []int32 // by pattern: index in canonical, -1 where the pattern is not its own smallest image

	canonical []uint32 // ascending
	contrib   []need   // by rank: class counts and invariants of the canonical pattern
	fixed     []uint64 // by rank: the elements of the coset that map the pattern to itself
	groups    []leadGroup
}

// A leadGroup is the number of canonical patterns that contribute the same.
type leadGroup struct {
	contrib  need
	patterns uint64
}

// leadTable returns the table of a coset.
func (s *Space) leadTable(coset uint64) *leadTable {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.leads[coset]; t != nil {
		return t
	}
	t := &leadTable{best: make([]uint8, s.Lead.Size()), rank: make([]int32, s.Lead.Size())}
	contrib := s.contributions(s.Lead)
	for x := range uint32(s.Lead.Size()) {
		smallest := ^uint32(0)
		var fixed uint64
		for c := coset; c != 0; c &= c - 1 {
			g := bits.TrailingZeros64(c)
			y := s.leadPerm[g][x]
			if y < smallest {
				smallest = y
				t.best[x] = uint8(g)
			}
			if y == x {
				fixed |= 1 << g
			}
		}
		t.rank[x] = -1
		if smallest == x {
			t.rank[x] = int32(len(t.canonical))
			t.canonical = append(t.canonical, x)
			t.contrib = append(t.contrib, contrib[x])
			t.fixed = append(t.fixed, fixed)
		}
	}
	index := map[need]int{}
	for _, c := range t.contrib {
		i, ok := index[c]
		if !ok {
			i = len(t.groups)
			index[c] = i
			t.groups = append(t.groups, leadGroup{contrib: c})
		}
		t.groups[i].patterns++
	}
	slices.SortFunc(t.groups, func(a, b leadGroup) int { return a.contrib.order(b.contrib) })
	s.leads[coset] = t
	return t
}

// BestElement returns, for a coset (see Space.Canonical), the table that gives for each lead pattern the group element of
// the coset that makes it smallest; not to be modified.
func (s *Space) BestElement(coset uint64) []uint8 { return s.leadTable(coset).best }
