package counting

import (
	"fmt"
	"math/bits"

	"pagoda/internal/puzzle"
	"pagoda/internal/uint128"
)

// Number makes a value of a small number.
func Number(n int) puzzle.Value { return puzzle.Value{N: uint128.From(uint64(n))} }

// RowColumns describes the rows that ExportClasses emits: one for each symmetry class.
var RowColumns = []puzzle.Column{
	{Name: "position", Kind: puzzle.Text,
		Doc: "canonical position of the class, hexadecimal of fixed width, bit i is hole i in row-major order"},
	{Name: "orbit", Kind: puzzle.Number, Doc: "positions in the class"},
	{Name: "paths", Kind: puzzle.Count, Doc: "jump sequences from the start to the canonical position"},
}

// ExportClasses emits the symmetry classes of a block of a cell: position, orbit size, paths.
func (g *Enumeration) ExportClasses(c puzzle.Cell, b *puzzle.Block, emit func(row []puzzle.Value) error) error {
	v, err := g.Vector(c)
	if err != nil {
		return err
	}
	layout := g.Space.Layout(v)
	lo, hi := b.Column(0), b.Column(1)
	row := make([]puzzle.Value, len(RowColumns))
	r := 0
	return EachAddress(b, func(address uint64) error {
		n := uint128.Uint128{}
		if lo != nil {
			n.Lo = lo[r]
		}
		if hi != nil {
			n.Hi = hi[r]
		}
		r++
		x := layout.Ordered(address)
		stands, orbit := layout.Class(layout.PrefixOf(g.Space.Prefix.Of(x)), x)
		if !stands {
			return nil
		}
		row[0].S = fmt.Sprintf("0x%0*x", (g.Space.Board.Size()+3)/4, uint64(g.Space.Position(x)))
		row[1].N = uint128.From(uint64(orbit))
		row[2].N = n
		return emit(row)
	})
}

// Wide returns the r-th value of a column of two words.
func Wide(b *puzzle.Block, column, r int) (n uint128.Uint128) {
	if lo := b.Column(column); lo != nil {
		n.Lo = lo[r]
	}
	if hi := b.Column(column + 1); hi != nil {
		n.Hi = hi[r]
	}
	return n
}

// EachAddress calls fn with the address of each row of b, in order.
func EachAddress(b *puzzle.Block, fn func(address uint64) error) error {
	for i, w := range b.Occupied {
		for ; w != 0; w &= w - 1 {
			if err := fn(b.First + uint64(i*64+bits.TrailingZeros64(w))); err != nil {
				return err
			}
		}
	}
	return nil
}
