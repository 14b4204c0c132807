package counting

import (
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// The plan takes every count to be as wide as counts can be. Once the layer before is computed, its largest counts say
// how wide they are, and how wide those of a window can become.

// Holds implements puzzle.Weigher.
func (s *Enumeration) Holds(w puzzle.Window, planned uint64, tally puzzle.Tallies) (uint64, error) {
	return s.HoldsBeside(w, planned, nil, tally)
}

// HoldsBeside is Holds of a window that is made and used with windows of other cells, which planned has too.
func (s *Enumeration) HoldsBeside(
	w puzzle.Window, planned uint64, others []puzzle.Cell, tally puzzle.Tallies,
) (uint64, error) {
	if s.feeder != nil || s.everywhere || w.Layer == 0 {
		return planned, nil
	}
	cell, err := s.named(w.Cell)
	if err != nil {
		return 0, err
	}
	read, err := widest(others, tally)
	if err != nil {
		return 0, err
	}
	made := bits32
	for _, v := range cell.vectors {
		var b bound
		for _, e := range s.Edges(v, w.Layer) {
			t, err := tally(s.cellOf(w.Layer-1, e.End))
			if err != nil {
				return 0, err
			}
			largest := t.Max(MaxPaths)
			read = max(read, widthOf(largest))
			b.add(largest, uint64(s.Moves.table.most[e.Removed]))
		}
		made = max(made, b.width(s.Space.MaxLow()))
	}
	addresses := planned / countBytes // of all
	own := min(w.Addresses, addresses)
	return weigh(own, made) + weigh(addresses-own, read) + narrowing*own, nil
}

// HoldsRead is Holds of windows that are read, and not made, where the plan has their counts as planned bytes.
func HoldsRead(planned uint64, cells []puzzle.Cell, tally puzzle.Tallies) (uint64, error) {
	read, err := widest(cells, tally)
	addresses := planned / countBytes
	return weigh(addresses, read) + narrowing*addresses/2, err
}

// widest bounds the counts of some cells.
func widest(cells []puzzle.Cell, tally puzzle.Tallies) (read width, err error) {
	for _, c := range cells {
		t, err := tally(c)
		if err != nil {
			return 0, err
		}
		read = max(read, widthOf(t.Max(MaxPaths)))
	}
	return read, nil
}

// narrowing is the memory of an address beside its count for a moment, in bytes: when counts that could have been wide
// are narrowed, or when counts that are read turn out wider than those before them.
const narrowing = 4

// weigh returns the memory of so many counts, in bytes, with the marks of those that are not zero.
func weigh(addresses uint64, w width) uint64 {
	return addresses*(countBytes>>(bits128-w)) + addresses/32
}

// A bound is how large the count of an address can become: it takes at most so many counts of each edge.
type bound struct {
	address uint128.Uint128
	over    bool // 128 bits
}

func (b *bound) add(largest uint128.Uint128, counts uint64) {
	p, ok := largest.Mul64(counts)
	sum, ok2 := b.address.Add(p)
	b.address, b.over = sum, b.over || !ok || !ok2
}

// width is that of the counts. The narrow kernels sum the counts that the two stretches of a twin job take in one word.
func (b *bound) width(maxLow int) width {
	if stretch, ok := b.address.Mul64(2 * uint64(maxLow)); b.over || !ok || stretch.Hi > 0 {
		return bits128
	}
	return widthOf(b.address)
}
