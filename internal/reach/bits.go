package reach

import "math/bits"

// orPairsPortable is orPairs where there is no assembly.
func orPairsPortable(dst, src []uint64, list []pair) {
	for _, p := range list {
		dst[p.to] |= src[p.from]
	}
}

// orWordsPortable is orWords where there is no assembly.
func orWordsPortable(dst, src []uint64) {
	src = src[:len(dst)]
	for i, x := range src {
		dst[i] |= x
	}
}

// pull adds rows to rows of stretches with the bits mapped: dst[to] |= the bits of src[from], by the map of the value
// that the row of to leaves to the word. Maps are numbered from base on.
func (m *wordMaps) pull(dst, src []uint64, jobs []job, list []pair, base int) {
	switch {
	case len(list) == 0 || len(jobs) == 0:
	case m.index != nil:
		permutePairsFast(dst, src, jobs, list, m, base)
	case haveMovesFast:
		movePairsFast(dst, src, jobs, list, m, base)
	default:
		movePairsPortable(dst, src, jobs, list, m, base)
	}
}

func movePairsPortable(dst, src []uint64, jobs []job, list []pair, m *wordMaps, base int) {
	for _, j := range jobs {
		dst, src := dst[j.dst:], src[j.src:]
		for _, p := range list {
			if x := src[p.from]; x != 0 {
				s := &m.steps[base+int(p.at/mapStep^j.value)]
				dst[p.to] |= s[0].move(x) | s[1].move(x)
			}
		}
	}
}

// steps moves bits by powers of two: first down, to stand close together, then up to their places. A bit that has to go
// down by d places does so by the powers of two that d consists of, the smallest first; then no two bits meet. Going up
// is the same backwards.
type steps struct {
	from     uint64    // the bits that move at all
	down, up [6]uint64 // those that step i moves by 1<<i, where they are before it
}

func (m *wordMaps) prepare() {
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

// A target is where unfolding takes the row of a stretch pattern: offset of its word, and what the pattern adds to the
// invariants of the row that it comes from.
type target struct{ offset, value uint32 }

// shuffleStretch adds the rows of a stretch to their images: dst[offset] |= the permuted bits of src[i].
func shuffleStretch(dst, src []uint64, targets []target, s *shuffle, value uint32) {
	if len(targets) == 0 {
		return
	}
	if haveShuffleFast {
		shuffleStretchFast(dst, src, targets, s, value)
		return
	}
	shuffleStretchPortable(dst, src, targets, s, value)
}

func shuffleStretchPortable(dst, src []uint64, targets []target, s *shuffle, value uint32) {
	for i, t := range targets {
		if x := src[i]; x != 0 {
			dst[t.offset] |= s.nibbles[t.value^value].permute(x)
		}
	}
}

// nibbles holds, for each four bits of a word and each state of them, the bits that they become.
type nibbles [16][16]uint64

func (s *shuffle) prepare() {
	s.nibbles = make([]nibbles, len(s.index))
	for v := range s.index {
		t := &s.nibbles[v]
		for m := s.mask[v]; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			at := s.index[v][i]
			for state := range 16 {
				if state>>(at%4)&1 != 0 {
					t[at/4][state] |= 1 << i
				}
			}
		}
	}
}

func (t *nibbles) permute(x uint64) uint64 {
	var y uint64
	for i := range t {
		y |= t[i][x&15]
		x >>= 4
	}
	return y
}
