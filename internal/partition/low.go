package partition

import "math/bits"

// A need is what the rest of a position must contribute: class counts and invariants.
type need struct {
	v   Vector
	inv uint64
}

// less the contribution of a part; ok is false when the part has too many pegs of a class.
func (n need) less(v Vector, inv uint64) (need, bool) {
	if !v.within(n.v) {
		return n, false
	}
	return need{n.v.minus(v), n.inv ^ inv}, true
}

// A lowTable groups the patterns of the low field by their class counts and invariants: the low types. A pattern's rank
// is its place among the patterns of its type, in numeric order.
type lowTable struct {
	types    map[need]int32
	typeOf   []uint16 // by pattern
	rankOf   []uint16 // by pattern
	patterns [][]uint16
}

func newLowTable(s *Space) lowTable {
	n := s.Low.Size()
	t := lowTable{types: map[need]int32{}, typeOf: make([]uint16, n), rankOf: make([]uint16, n)}
	contrib := make([]need, n)
	for x := range n {
		if x > 0 {
			b := bits.TrailingZeros(uint(x))
			c := contrib[x&(x-1)]
			u := s.bitVector[b]
			for k := range c.v {
				c.v[k] += u[k]
			}
			c.inv ^= s.bitInv[b]
			contrib[x] = c
		}
		ty, ok := t.types[contrib[x]]
		if !ok {
			ty = int32(len(t.patterns))
			t.types[contrib[x]] = ty
			t.patterns = append(t.patterns, nil)
		}
		t.typeOf[x] = uint16(ty)
		t.rankOf[x] = uint16(len(t.patterns[ty]))
		t.patterns[ty] = append(t.patterns[ty], uint16(x))
	}
	return t
}

// LowTypes is the number of low types.
func (s *Space) LowTypes() int { return len(s.lows.patterns) }

// LowPatterns returns the patterns of a low type in rank order; not to be modified.
func (s *Space) LowPatterns(lowType int32) []uint16 { return s.lows.patterns[lowType] }

// LowRank returns the type of a low pattern and its rank in it.
func (s *Space) LowRank(pattern uint64) (lowType int32, rank int) {
	return int32(s.lows.typeOf[pattern]), int(s.lows.rankOf[pattern])
}

// MaxLow is the largest number of patterns of a low type: the longest run of addresses that share lead and mid.
func (s *Space) MaxLow() int {
	longest := 0
	for _, p := range s.lows.patterns {
		longest = max(longest, len(p))
	}
	return longest
}
