package counting

import (
	"math/bits"

	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// Number makes a value of a small number.
func Number(n int) puzzle.Value { return puzzle.Value{N: uint128.From(uint64(n))} }

// Columns of exported rows, one row for each symmetry class.
var (
	ColumnPosition = puzzle.Column{Name: "position", Kind: puzzle.Text,
		Doc: "canonical position: the least of the class, x and as many hexadecimal digits as the board takes, bit i is " +
			"hole i in row-major order"}
	ColumnJumps = puzzle.Column{Name: "jumps", Kind: puzzle.Number, Doc: "jumps from the start"}
	ColumnOrbit = puzzle.Column{Name: "orbit", Kind: puzzle.Number, Doc: "positions in the class"}
	ColumnPaths = puzzle.Column{Name: "paths", Kind: puzzle.Count,
		Doc: "jump sequences from the start to the canonical position"}
)

// RowColumns describes the rows that ExportClasses emits.
var RowColumns = []puzzle.Column{ColumnPosition, ColumnJumps, ColumnOrbit, ColumnPaths}

// A Class is a symmetry class of the positions of an enumeration.
type Class struct {
	// Position is one that is stored. Which one depends on the order of addresses; the result of Canonical does not.
	Position peg.Position
	Jumps    int
	Orbit    int
	Paths    uint128.Uint128 // to each of its positions
}

// Canonical returns the least of the images of a position under the symmetries of the enumeration.
func (g *Enumeration) Canonical(p peg.Position) peg.Position { return g.orbits().Least(p) }

// ExportClasses emits the symmetry classes of a block of a cell: position, jumps, orbit size, paths.
func (g *Enumeration) ExportClasses(c puzzle.Cell, b *puzzle.Block, emit func(row []puzzle.Value) error) error {
	row := make([]puzzle.Value, len(RowColumns))
	return g.EachClass(c, b, func(x Class) error {
		row[0].S = g.Space.Board.Hex(g.Canonical(x.Position))
		row[1], row[2], row[3].N = Number(x.Jumps), Number(x.Orbit), x.Paths
		return emit(row)
	})
}

// EachClass passes the symmetry classes of a block of a cell to fn, each class of the cell from exactly one row.
func (g *Enumeration) EachClass(c puzzle.Cell, b *puzzle.Block, fn func(Class) error) error {
	cell, err := g.named(c)
	if err != nil {
		return err
	}
	return cell.pieces(b, func(i int, b *puzzle.Block) error {
		layout, r := g.Space.Layout(cell.vectors[i]), -1
		return EachAddress(b, func(address uint64) error {
			r++
			x := layout.Ordered(address)
			stands, orbit := layout.Class(layout.PrefixOf(g.Space.Prefix.Of(x)), x)
			if !stands {
				return nil
			}
			return fn(Class{g.Space.Position(x), c.Layer, orbit, Wide(b, 0, r)})
		})
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

// Hole is a hole as a value: its row and column for files, its label for people.
func Hole(b peg.Grid, i int) puzzle.Value {
	return puzzle.Value{S: b.Laid().HoleName(i), Shown: b.Laid().Label(i)}
}
