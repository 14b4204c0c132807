package enginetest

import (
	"context"
	"math/bits"

	"pagoda/internal/puzzle"
)

// emit writes the rows of a window from a dense column: val(address) is the row's value, 0 means that there is none.
func emit(w puzzle.Window, out puzzle.Sink, val func(addr uint64) uint64) (rows, sum uint64, err error) {
	var b puzzle.Block
	for first := uint64(0); first < w.Addresses; first += puzzle.BlockAddresses {
		n := min(puzzle.BlockAddresses, w.Addresses-first)
		b = puzzle.Block{First: w.First + first, Addresses: int(n), Occupied: make([]uint64, (n+63)/64)}
		var col []uint64
		for i := range n {
			if v := val(w.First + first + i); v != 0 {
				b.Occupied[i/64] |= 1 << (i % 64)
				col = append(col, v)
				sum += v
			}
		}
		if len(col) == 0 {
			continue
		}
		rows += uint64(len(col))
		b.Columns = [][]uint64{col}
		if err := out.Block(&b); err != nil {
			return 0, 0, err
		}
	}
	return rows, sum, nil
}

// Each passes the rows of a block to fn.
func Each(b *puzzle.Block, fn func(addr, value uint64)) {
	r := 0
	col := b.Column(0)
	for i, word := range b.Occupied {
		for ; word != 0; word &= word - 1 {
			v := uint64(0)
			if col != nil {
				v = col[r]
			}
			fn(b.First+uint64(i*64+bits.TrailingZeros64(word)), v)
			r++
		}
	}
}

// dense reads a cell of the given size into a column, through the cache when it is there.
func dense(ctx context.Context, in puzzle.Source, c puzzle.Cell, slots uint64) ([]uint64, error) {
	ws, err := in.Windows(c)
	if err != nil {
		return nil, err
	}
	all := make([]uint64, slots)
	for _, w := range ws {
		if v, ok := in.Cache().Get(w.ID()); ok {
			copy(all[w.First:], v.([]uint64))
			continue
		}
		err := in.Blocks(ctx, w, w.First, w.Addresses, func(b *puzzle.Block) error {
			Each(b, func(addr, v uint64) { all[addr] = v })
			return nil
		})
		if err != nil {
			return nil, err
		}
		in.Cache().Put(w.ID(), append([]uint64(nil), all[w.First:w.First+w.Addresses]...), 8*w.Addresses)
	}
	return all, nil
}

// cuts divides slots into windows of at most size.
func cuts(slots, size uint64) []uint64 {
	if size == 0 {
		size = slots
	}
	var out []uint64
	for at := uint64(0); at < slots; at += size {
		out = append(out, at)
	}
	return out
}
