package wordmap

import "math/bits"

// steps moves bits by powers of two: first down, to stand close together, then up to their places. A bit that has to go
// down by d places does so by the powers of two that d consists of, the smallest first; then no two bits meet. Going up
// is the same backwards.
type steps struct {
	from     uint64    // the bits that move at all
	down, up [6]uint64 // those that step i moves by 1<<i, where they are before it
}

func (m *Maps) prepare() {
	m.steps = make([][2]steps, len(m.moves))
	for k := range m.moves {
		for i, mv := range m.moves[k] {
			t := &m.steps[k][i]
			t.from = mv.from
			t.down, t.up = stepMasks(mv.from), stepMasks(mv.to)
			for i := range t.up { // as they stand after the step down, before the step up
				t.up[i] >>= 1 << i
			}
		}
	}
}

// stepMasks returns for each step down the places, before the step, of the bits of mask that it moves.
func stepMasks(mask uint64) (steps [6]uint64) {
	places := make([]int, 0, 64)
	for m := mask; m != 0; m &= m - 1 {
		places = append(places, bits.TrailingZeros64(m))
	}
	for i := range steps {
		for rank, at := range places {
			by := bits.TrailingZeros64(nth(mask, rank)) - rank
			if by>>i&1 != 0 {
				steps[i] |= 1 << at
				places[rank] = at - 1<<i
			}
		}
	}
	return steps
}

// nth is the n-th lowest bit of m.
func nth(m uint64, n int) uint64 {
	for range n {
		m &= m - 1
	}
	return m & -m
}

func (s *steps) move(x uint64) uint64 {
	x &= s.from
	for i, m := range s.down {
		t := x & m
		x = x ^ t | t>>(1<<i)
	}
	for i := 5; i >= 0; i-- {
		t := x & s.up[i]
		x = x ^ t | t<<(1<<i)
	}
	return x
}
