package wordmap

import (
	"math/bits"

	"pagoda/internal/puzzle/vector"
)

// A Shuffle is the share of a permutation of bits that goes from one plane to another, for each value. Bit i of the
// result is bit index[value][i] of the source, where bit i of mask[value] is 1.
type Shuffle struct {
	From, To int
	index    [][64]uint8
	mask     []uint64
	bytes    []byteMap // the same for AVX2
	nibbles  []nibbles // the same for the portable way
}

// NewShuffle makes a shuffle that takes no bit anywhere. It is to be filled by Add and ended by Done.
func NewShuffle(from, to, values int) Shuffle {
	return Shuffle{From: from, To: to, index: make([][64]uint8, values), mask: make([]uint64, values)}
}

// Add says that for a value bit from of plane From goes to bit to of plane To, both below 64.
func (s *Shuffle) Add(value, from, to int) {
	s.index[value][to] = uint8(from)
	s.mask[value] |= 1 << to
}

// Done ends the making of a shuffle.
func (s *Shuffle) Done() {
	switch permutesBy {
	case vector.None:
		s.prepare()
	case vector.AVX2:
		s.bytes = byteMaps(s.index, s.mask)
	}
}

// A byteMap has for each bit of the result the byte of the source that its bit comes from, and that bit; or no bit.
type byteMap struct{ place, bit [64]uint8 }

// byteMaps makes the byte maps that do the same.
func byteMaps(index [][64]uint8, mask []uint64) []byteMap {
	list := make([]byteMap, len(index))
	for v := range list {
		for m := mask[v]; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			from := index[v][i]
			list[v].place[i], list[v].bit[i] = from/8, 1<<(from%8)
		}
	}
	return list
}

// A Target is the destination of a word: its place, and its share in the value.
type Target struct{ Offset, Value uint32 }

// Words shuffles words and adds them to others: the place of targets[i] gets the bits of src[i].
func (s *Shuffle) Words(dst, src []uint64, targets []Target, value uint32) {
	switch {
	case len(targets) == 0:
	case permutesBy != vector.None:
		s.wordsFast(dst, src, targets, value)
	default:
		s.wordsPortable(dst, src, targets, value)
	}
}

func (s *Shuffle) wordsPortable(dst, src []uint64, targets []Target, value uint32) {
	for i, t := range targets {
		if x := src[i]; x != 0 {
			dst[t.Offset] |= s.nibbles[t.Value^value].permute(x)
		}
	}
}

// nibbles holds, for each four bits of a word and each state of them, the bits that they become.
type nibbles [16][16]uint64

func (s *Shuffle) prepare() {
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
