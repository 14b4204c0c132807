package partition

import (
	"math/bits"
	"slices"
)

// A leadTable says for every lead pattern which element of a coset of the group makes it smallest.
//
// For the coset that fixes a vector it also lists the canonical patterns. Where several elements tie, the
// lowest-numbered one is taken: the images differ by a symmetry that fixes the canonical pattern, and all of them are
// addressed.
type leadTable struct {
	best []uint8 // by pattern: group element
	rank []int32 // by pattern: index in canonical, -1 where the pattern is not its own smallest image

	canonical []uint32 // group by group, ascending
	fixed     []uint64 // by rank: the elements of the coset that map the pattern to itself
	groups    []leadGroup
}

// A leadGroup is the canonical patterns that contribute the same.
type leadGroup struct {
	contrib         need
	first, patterns int // ranks first .. first+patterns-1
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
	stabiliser := make([]uint64, s.Lead.Size())
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
			t.canonical = append(t.canonical, x)
			stabiliser[x] = fixed
		}
	}
	slices.SortStableFunc(t.canonical, func(x, y uint32) int { return contrib[x].order(contrib[y]) })
	for r, x := range t.canonical {
		t.rank[x] = int32(r)
		t.fixed = append(t.fixed, stabiliser[x])
		if n := len(t.groups); n == 0 || t.groups[n-1].contrib != contrib[x] {
			t.groups = append(t.groups, leadGroup{contrib: contrib[x], first: r})
		}
		t.groups[len(t.groups)-1].patterns++
	}
	s.leads[coset] = t
	return t
}

// BestElement returns, for a coset (see Space.Canonical), the table that gives for each lead pattern the group element
// of the coset that makes it smallest; not to be modified.
func (s *Space) BestElement(coset uint64) []uint8 { return s.leadTable(coset).best }
