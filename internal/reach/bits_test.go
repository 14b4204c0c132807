package reach

import (
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// bitsOf lists the bits of a mask, lowest first.
func bitsOf(mask uint64) (list []int) {
	for ; mask != 0; mask &= mask - 1 {
		list = append(list, bits.TrailingZeros64(mask))
	}
	return list
}

// TestMovePairs compares moves of bits as this machine does them, the portable way, and bit by bit.
func TestMovePairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const values = 4
		s := segment{moves: make([]move, values)}
		for v := range s.moves {
			m := &s.moves[v]
			m.from = rapid.Uint64().Draw(t, "from")
			for _, at := range rapid.Permutation(bitsOf(^uint64(0))).Draw(t, "to")[:bits.OnesCount64(m.from)] {
				m.to |= 1 << at
			}
		}
		s.prepare()
		dst := rapid.SliceOfN(rapid.Uint64(), 1, 40).Draw(t, "dst")
		src := rapid.SliceOfN(rapid.Uint64(), 1, 40).Draw(t, "src")
		var list []pair
		for range rapid.IntRange(0, 50).Draw(t, "pairs") {
			list = append(list, pair{
				to:    uint16(rapid.IntRange(0, len(dst)-1).Draw(t, "to")),
				from:  uint16(rapid.IntRange(0, len(src)-1).Draw(t, "from")),
				value: uint32(rapid.IntRange(0, values-1).Draw(t, "value") * moveBytes),
			})
		}
		value := uint32(rapid.IntRange(0, values-1).Draw(t, "value of the head"))
		want := slices.Clone(dst)
		for _, p := range list {
			m := s.moves[p.value/moveBytes^value]
			from, to := bitsOf(m.from), bitsOf(m.to)
			for i := range from {
				want[p.to] |= src[p.from] >> from[i] & 1 << to[i]
			}
		}
		fast := slices.Clone(dst)
		movePairs(fast, src, list, &s, value)
		movePairsPortable(dst, src, list, &s, value)
		if !slices.Equal(fast, want) || !slices.Equal(dst, want) {
			t.Fatalf("moved %x, portable %x, want %x", fast, dst, want)
		}
	})
}

// TestShuffleStretch compares permutations of bits as this machine does them, the portable way, and bit by bit.
func TestShuffleStretch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const values = 4
		s := shuffle{index: make([][64]uint8, values), mask: make([]uint64, values)}
		for v := range s.index {
			s.mask[v] = rapid.Uint64().Draw(t, "mask")
			for i, at := range rapid.Permutation(bitsOf(^uint64(0))).Draw(t, "index") {
				s.index[v][i] = uint8(at)
			}
		}
		s.prepare()
		src := rapid.SliceOfN(rapid.Uint64(), 1, 40).Draw(t, "src")
		dst := rapid.SliceOfN(rapid.Uint64(), 1, 40).Draw(t, "dst")
		targets := make([]target, rapid.IntRange(0, len(src)).Draw(t, "rows"))
		for i := range targets {
			targets[i].offset = uint32(rapid.IntRange(0, len(dst)-1).Draw(t, "offset"))
			targets[i].value = uint32(rapid.IntRange(0, values-1).Draw(t, "value"))
		}
		value := uint32(rapid.IntRange(0, values-1).Draw(t, "value of the head"))
		want := slices.Clone(dst)
		for i, to := range targets {
			v := to.value ^ value
			for b, at := range s.index[v] {
				want[to.offset] |= src[i] >> at & 1 << b & s.mask[v]
			}
		}
		fast := slices.Clone(dst)
		shuffleStretch(fast, src, targets, &s, value)
		shuffleStretchPortable(dst, src, targets, &s, value)
		if !slices.Equal(fast, want) || !slices.Equal(dst, want) {
			t.Fatalf("permuted %x, portable %x, want %x", fast, dst, want)
		}
	})
}
