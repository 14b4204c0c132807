package blockstest

import (
	"slices"

	"pgregory.net/rapid"

	"pagoda/internal/puzzle"
)

// DrawWindow draws a window of at most three blocks.
func DrawWindow(t *rapid.T) puzzle.Window {
	return puzzle.Window{
		Cell: puzzle.Cell{
			Layer: rapid.IntRange(0, 3).Draw(t, "layer"),
			Key:   rapid.SampledFrom([]string{"a", "a.b", "0"}).Draw(t, "key"),
		},
		Part:      rapid.IntRange(0, 300).Draw(t, "part"),
		First:     rapid.OneOf(rapid.Just(uint64(0)), rapid.Uint64Range(0, 1<<40)).Draw(t, "first"),
		Addresses: rapid.OneOf(rapid.Uint64Range(1, 300), rapid.Uint64Range(1, 3*puzzle.BlockAddresses)).Draw(t, "addresses"),
	}
}

// drawColumn draws values of one of the shapes that a column's code distinguishes.
func drawColumn(t *rapid.T, rows int) []uint64 {
	next := Xorshift(rapid.Uint64Min(1).Draw(t, "column seed"))
	width := rapid.IntRange(0, 64).Draw(t, "width")
	spread := rapid.IntRange(0, 64).Draw(t, "spread")
	shift := rapid.IntRange(0, 8).Draw(t, "shift")
	odd := rapid.IntRange(0, 50).Draw(t, "odd ones in 50")
	v := make([]uint64, rows)
	for i := range v {
		w := width
		if spread > 0 {
			w = max(0, w-int(next()%uint64(spread)))
		}
		if w > 0 {
			v[i] = next() >> (64 - w)
		}
		if next()%50 >= uint64(odd) {
			v[i] = v[i] >> shift << shift
		}
	}
	return v
}

// DrawBlock draws the block of w that begins at first.
func DrawBlock(t *rapid.T, w puzzle.Window, first uint64) *puzzle.Block {
	b := &puzzle.Block{First: first, Addresses: int(min(puzzle.BlockAddresses, w.First+w.Addresses-first))}
	b.Occupied = make([]uint64, (b.Addresses+63)/64)
	next := Xorshift(rapid.Uint64Min(1).Draw(t, "bitmap seed"))
	density := rapid.SampledFrom([]uint64{1, 8, 20, 63, 64}).Draw(t, "density")
	b.Occupied[0] = 1
	for i := range b.Addresses {
		if next()%64 < density {
			b.Occupied[i/64] |= 1 << (i % 64)
		}
	}
	for range rapid.IntRange(0, 3).Draw(t, "columns") {
		b.Columns = append(b.Columns, drawColumn(t, b.Rows()))
	}
	return b
}

// Xorshift returns a generator of words that look random, from a seed that is not 0.
func Xorshift(s uint64) func() uint64 {
	return func() uint64 {
		s ^= s << 13
		s ^= s >> 7
		s ^= s << 17
		return s * 0x9e3779b97f4a7c15
	}
}

// Trimmed returns b without trailing columns that are all zero. The codec does not keep these.
func Trimmed(b *puzzle.Block) *puzzle.Block {
	c := *b
	for len(c.Columns) > 0 && !slices.ContainsFunc(c.Columns[len(c.Columns)-1], func(x uint64) bool { return x != 0 }) {
		c.Columns = c.Columns[:len(c.Columns)-1]
	}
	return &c
}

// Same reports whether two blocks hold the same.
func Same(a, b *puzzle.Block) bool {
	return a.First == b.First && a.Addresses == b.Addresses && slices.Equal(a.Occupied, b.Occupied) &&
		slices.EqualFunc(a.Columns, b.Columns, slices.Equal[[]uint64])
}
