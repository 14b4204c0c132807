package partition

import (
	"cmp"
	"math/bits"
	"slices"
)

// A need is the sum that the rest of a position must contribute: class counts, one byte each, and invariants.
type need struct {
	counts uint32
	inv    uint64
}

func (n need) order(m need) int {
	return cmp.Or(cmp.Compare(n.counts, m.counts), cmp.Compare(n.inv, m.inv))
}

// highBits marks the top bit of every byte. Class counts stay below 128, which leaves it free to catch borrows.
const highBits = 0x80808080

// less takes the contribution of a part away; ok is false when the part has too many pegs of a class.
func (n need) less(part need) (rest need, ok bool) {
	d := n.counts | highBits
	d -= part.counts
	return need{d &^ highBits, n.inv ^ part.inv}, d&highBits == highBits
}

// pack puts class counts in one word.
func (v Vector) pack() uint32 {
	return uint32(v[0]) | uint32(v[1])<<8 | uint32(v[2])<<16 | uint32(v[3])<<24
}

// contributions tabulates the contributions of the patterns of a field.
func (s *Space) contributions(f Field) []need {
	t := make([]need, f.Size())
	for x := 1; x < len(t); x++ {
		c, b := t[x&(x-1)], f.Shift+bits.TrailingZeros(uint(x))
		t[x] = need{c.counts + s.bitVector[b].pack(), c.inv ^ s.bitInv[b]}
	}
	return t
}

// A lowTable groups the patterns of the low field by their contribution: the low types. A pattern's rank is its place
// among the patterns of its type, in numeric order.
type lowTable struct {
	typeOf   []uint32 // by pattern; on boards of few jumps nearly every pattern is a type
	rankOf   []uint16 // by pattern
	patterns [][]uint32

	// The type that meets a need: an array over class counts and invariants where that is small, a map elsewhere.
	sizes  [4]uint32 // class sizes in the low field, plus 1
	dim    int       // of the invariants
	direct []int32   // type, -1 for none
	byNeed map[need]int32
}

const maxDirect = 1 << 20

func newLowTable(s *Space, dim int) lowTable {
	n := s.Low.Size()
	t := lowTable{typeOf: make([]uint32, n), rankOf: make([]uint16, n), dim: dim}
	t.index(s)
	contrib := s.contributions(s.Low)
	var types []need
	for _, c := range contrib {
		if t.meeting(c) < 0 {
			t.set(c, 0)
			types = append(types, c)
		}
	}
	// The types of a cell mostly share their class counts: in this order they are neighbours in every table.
	slices.SortFunc(types, need.order)
	for i, c := range types {
		t.set(c, int32(i))
	}
	t.patterns = make([][]uint32, len(types))
	for x, c := range contrib {
		ty := t.meeting(c)
		t.typeOf[x] = uint32(ty)
		t.rankOf[x] = uint16(len(t.patterns[ty]))
		t.patterns[ty] = append(t.patterns[ty], uint32(x))
	}
	return t
}

// index makes the empty array of types, or, where it would be large, the map.
func (t *lowTable) index(s *Space) {
	t.sizes = [4]uint32{1, 1, 1, 1}
	for b := range s.Low.Bits {
		for k, n := range s.bitVector[s.Low.Shift+b] {
			t.sizes[k] += uint32(n)
		}
	}
	size := uint64(1)
	for _, n := range t.sizes {
		size *= uint64(n)
	}
	if t.dim > 16 || size<<t.dim > maxDirect {
		t.byNeed = map[need]int32{}
		return
	}
	t.direct = slices.Repeat([]int32{-1}, int(size<<t.dim))
}

// set says which type contributes n.
func (t *lowTable) set(n need, lowType int32) {
	if t.direct != nil {
		t.direct[t.place(n)] = lowType
	} else {
		t.byNeed[n] = lowType
	}
}

func (t *lowTable) place(n need) uint64 {
	c := n.counts
	i := c>>24*t.sizes[2] + c>>16&255
	i = i*t.sizes[1] + c>>8&255
	return uint64(i*t.sizes[0]+c&255)<<t.dim | n.inv
}

// meeting returns the low type that contributes n, -1 when none does.
func (t *lowTable) meeting(n need) int32 {
	c := n.counts
	if c&255 >= t.sizes[0] || c>>8&255 >= t.sizes[1] || c>>16&255 >= t.sizes[2] || c>>24 >= t.sizes[3] {
		return -1
	}
	if t.direct != nil {
		return t.direct[t.place(n)]
	}
	if ty, ok := t.byNeed[n]; ok {
		return ty
	}
	return -1
}

// LowTypes is the number of low types.
func (s *Space) LowTypes() int { return len(s.lows.patterns) }

// LowPatterns returns the patterns of a low type in rank order; not to be modified.
func (s *Space) LowPatterns(lowType int32) []uint32 { return s.lows.patterns[lowType] }

// LowRank returns the type of a low pattern and its rank in it.
func (s *Space) LowRank(pattern uint64) (lowType int32, rank int) {
	return int32(s.lows.typeOf[pattern]), int(s.lows.rankOf[pattern])
}

// LowImageRanks applies group element g to low patterns and writes their ranks among the patterns of their types to
// ranks.
func (s *Space) LowImageRanks(g int, patterns []uint32, ranks []uint16) {
	ranks, rankOf := ranks[:len(patterns)], s.lows.rankOf
	if g == 0 { // the identity
		for i, x := range patterns {
			ranks[i] = rankOf[x]
		}
		return
	}
	image := s.lowPerm[g]
	for i, x := range patterns {
		ranks[i] = rankOf[image[x]]
	}
}

// MaxLow is the largest number of patterns of a low type: the longest stretch of addresses that share prefix and mid.
func (s *Space) MaxLow() int {
	longest := 0
	for _, p := range s.lows.patterns {
		longest = max(longest, len(p))
	}
	return longest
}
