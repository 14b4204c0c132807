package partition

import (
	"cmp"
	"math/bits"
	"slices"
)

// A prefixTable says for every prefix which element of a coset of the group makes it smallest.
//
// For the coset that fixes a vector it also lists the canonical patterns. Where several elements tie, the
// lowest-numbered one is taken: the images differ by a symmetry that fixes the canonical pattern, and all of them are
// addressed.
type prefixTable struct {
	best []uint8 // by pattern: group element
	rank []int32 // by pattern: index in canonical, -1 where the pattern is not its own smallest image

	canonical []uint32 // lead by lead, group by group, ascending
	fixed     []uint64 // by rank: the elements of the coset that map the pattern to itself
	groups    []prefixGroup
	leads     []lead
	merged    []merged
	shares    []share // by group
}

// A merged is the canonical patterns of all leads that contribute the same.
type merged struct {
	contrib  need
	patterns uint64
}

// A share is how many patterns of a merged are in a group. Shares are short and lie side by side, because Leads reads
// all of a table for each cell.
type share struct{ patterns, merged int32 }

// A prefixGroup is the canonical patterns of one lead that contribute the same.
type prefixGroup struct {
	contrib         need
	first, patterns int // ranks first .. first+patterns-1
}

// prefixTable returns the table of a coset.
func (s *Space) prefixTable(coset uint64) *prefixTable {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.prefixes[coset]; t != nil {
		return t
	}
	t := &prefixTable{best: make([]uint8, s.Prefix.Size()), rank: make([]int32, s.Prefix.Size())}
	contrib := s.contributions(s.Prefix)
	stabiliser := make([]uint64, s.Prefix.Size())
	for x := range uint32(s.Prefix.Size()) {
		smallest := ^uint32(0)
		var fixed uint64
		for c := coset; c != 0; c &= c - 1 {
			g := bits.TrailingZeros64(c)
			y := s.prefixPerm[g][x]
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
	leadOf := func(x uint32) uint32 { return uint32(s.Lead.Of(uint64(x))) }
	slices.SortStableFunc(t.canonical, func(x, y uint32) int {
		return cmp.Or(cmp.Compare(leadOf(x), leadOf(y)), contrib[x].order(contrib[y]))
	})
	for r, x := range t.canonical {
		t.rank[x] = int32(r)
		t.fixed = append(t.fixed, stabiliser[x])
		if n := len(t.groups); n == 0 || t.groups[n-1].contrib != contrib[x] ||
			t.leads[len(t.leads)-1].pattern != leadOf(x) {
			t.groups = append(t.groups, prefixGroup{contrib: contrib[x], first: r})
			t.addLead(leadOf(x))
		}
		t.groups[len(t.groups)-1].patterns++
	}
	at := map[need]int{}
	for _, g := range t.groups {
		i, ok := at[g.contrib]
		if !ok {
			i = len(t.merged)
			at[g.contrib], t.merged = i, append(t.merged, merged{contrib: g.contrib})
		}
		t.merged[i].patterns += uint64(g.patterns)
		t.shares = append(t.shares, share{int32(g.patterns), int32(i)})
	}
	s.prefixes[coset] = t
	return t
}

// BestElement returns, for a coset (see Space.Canonical), the table that gives for each prefix the group element
// of the coset that makes it smallest; not to be modified.
func (s *Space) BestElement(coset uint64) []uint8 { return s.prefixTable(coset).best }
