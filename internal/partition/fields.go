package partition

import (
	"math/bits"
	"slices"

	"pagoda/internal/peg"
)

// A Field is a range of bits in an ordered position.
type Field struct{ Shift, Bits int }

// Of extracts the field's pattern from an ordered position.
func (f Field) Of(x uint64) uint64 { return x >> f.Shift & (1<<f.Bits - 1) }

// Size is the number of patterns of the field.
func (f Field) Size() int { return 1 << f.Bits }

// Limits of the fields, in holes. The low field's tables (ranks, permutations, pair lists) have 2^bits entries for each
// group element, and should stay near the second-level cache; the prefix's have 2^bits bytes for each coset.
const (
	maxLowBits    = 16
	wideLowBits   = 18 // where that makes two whole classes fit that would not otherwise
	maxPrefixBits = 16
	segmentBits   = 10
)

// chooseFields splits the holes of a board into prefix, mid and low, each a union of hole orbits of the group, and
// returns them as sets.
//
// The low field takes the union of whole classes (as the group moves them) that comes nearest to maxLowBits without
// passing it: then its class weights are the same for all stretches of a cell. The prefix takes the largest of the
// other class unions that fits; the more holes, the fewer prefixes that a symmetry fixes. On the English board from the
// centre that is prefix = the 12 holes of one class, low = the two classes of 8, mid = the class of 5. Where no union
// of classes fits (the 6x6 board, whose group moves all four classes), hole orbits are taken one by one, in the same
// spirit.
func chooseFields(b *peg.Board, group []peg.Perm) (prefix, mid, low peg.Position) {
	n := b.Size()
	rest := b.Full()
	unions := invariantSets(b, group, true)
	orbits := invariantSets(b, group, false)

	lowMax := min(maxLowBits, n/2)
	low = bestSubset(unions, lowMax)
	if bits.OnesCount64(uint64(low))*3 < lowMax*2 && lowMax == maxLowBits {
		low = bestSubset(unions, min(wideLowBits, n/2))
	}
	if bits.OnesCount64(uint64(low))*3 < lowMax*2 {
		low = fill(orbits, low, rest, lowMax)
	}
	rest &^= low
	for _, u := range unions {
		n := bits.OnesCount64(uint64(u))
		if u&rest == u && n <= maxPrefixBits && n > bits.OnesCount64(uint64(prefix)) {
			prefix = u
		}
	}
	prefixMax := min(maxPrefixBits, max(n-2*maxLowBits, 8))
	if len(group) > 1 && bits.OnesCount64(uint64(prefix)) < 8 {
		prefix = fill(orbits, prefix, rest, prefixMax)
	}
	return prefix, rest &^ prefix, low
}

// invariantSets returns the smallest hole sets that the group maps to themselves: orbits of holes, or (classes) unions
// of whole playable classes; largest first, then by lowest hole.
func invariantSets(b *peg.Board, group []peg.Perm, classes bool) []peg.Position {
	var sets []peg.Position
	var seen peg.Position
	for i := range b.Holes {
		if seen>>i&1 != 0 {
			continue
		}
		set := peg.Position(1) << i
		for {
			grown := set
			if classes {
				for h, c := range b.Class {
					for k := range b.Holes {
						if set>>k&1 != 0 && b.Class[k] == c {
							grown |= 1 << h
						}
					}
				}
			}
			for _, g := range group {
				grown |= g.Apply(grown)
			}
			if grown == set {
				break
			}
			set = grown
		}
		seen |= set
		sets = append(sets, set)
	}
	slices.SortStableFunc(sets, func(a, b peg.Position) int {
		return bits.OnesCount64(uint64(b)) - bits.OnesCount64(uint64(a))
	})
	return sets
}

// bestSubset returns the union of sets with the most holes, at most limit. There are at most four sets.
func bestSubset(sets []peg.Position, limit int) peg.Position {
	var best peg.Position
	for choice := range 1 << len(sets) {
		var u peg.Position
		for i, s := range sets {
			if choice>>i&1 != 0 {
				u |= s
			}
		}
		if n := bits.OnesCount64(uint64(u)); n <= limit && n > bits.OnesCount64(uint64(best)) {
			best = u
		}
	}
	return best
}

// fill adds orbits that lie in rest to set, largest first, while it has at most limit holes.
func fill(orbits []peg.Position, set, rest peg.Position, limit int) peg.Position {
	for _, o := range orbits {
		if o&rest == o && o&set == 0 && bits.OnesCount64(uint64(set|o)) <= limit {
			set |= o
		}
	}
	return set
}
