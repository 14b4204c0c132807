package ways

import (
	"context"

	"pagoda/internal/counting"
	"pagoda/internal/partition"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

var rowColumns = []puzzle.Column{
	counting.ColumnPosition,
	counting.ColumnJumps,
	counting.ColumnOrbit,
	counting.ColumnPaths,
	{Name: "ways", Kind: puzzle.Count, Doc: "jump sequences from the canonical position to the goal"},
}

// RowColumns describes the exported rows: one for each class of positions that are reachable and winnable.
func (t *Puzzle) RowColumns() []puzzle.Column { return rowColumns }

// RowLayers implements puzzle.Regrouper: a layer for each number of jumps, none where nothing is counted.
func (t *Puzzle) RowLayers() int {
	if t.near == nil {
		return 0
	}
	return t.jumps + 1
}

// RowLayer implements puzzle.Regrouper.
func (t *Puzzle) RowLayer(n int) int {
	p, jumps := t.after(n)
	return p.layer(jumps)
}

// RowLayerColumn implements puzzle.Regrouper.
func (t *Puzzle) RowLayerColumn() int { return jumpsColumn }

// jumpsColumn is the index of counting.ColumnJumps in rowColumns.
const jumpsColumn = 1

// ExportRows emits the classes of a block of a pass: position, jumps, orbit size, paths, ways. Where one pass serves
// both halves of the game a row gives two. Rows of enumerations give none: not all of them are winnable.
func (t *Puzzle) ExportRows(c puzzle.Cell, b *puzzle.Block, emit func(row []puzzle.Value) error) error {
	row := make([]puzzle.Value, len(rowColumns))
	return t.eachClass(c, b, func(r class) error {
		row[0].S = t.problem.Board.Hex(t.near.Canonical(r.position))
		row[jumpsColumn] = counting.Number(r.jumps)
		row[2] = counting.Number(r.orbit)
		row[3].N, row[4].N = r.paths, r.ways
		return emit(row)
	})
}

// A class is a symmetry class of positions that are reachable and winnable.
type class struct {
	position    peg.Position // one of them, in the game from the start
	jumps       int          // from the start
	orbit       int
	paths, ways uint128.Uint128 // of each of its positions
}

// allClasses passes the classes of a finished run to fn. cells lists the cells of a layer of the run.
func (t *Puzzle) allClasses(
	ctx context.Context, in puzzle.Source, cells func(layer int) []puzzle.CellPlan, fn func(class) error,
) error {
	for n := t.first; n < t.Layers(); n++ {
		for _, c := range cells(n) {
			ws, err := in.Windows(c.Cell)
			if err != nil {
				return err
			}
			for _, w := range ws {
				err := in.Blocks(ctx, w, w.First, w.Addresses, func(b *puzzle.Block) error {
					return t.eachClass(c.Cell, b, fn)
				})
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// eachClass passes the classes of a block of a pass to fn, each class of the run from exactly one pass. Blocks of
// enumerations have none.
func (t *Puzzle) eachClass(c puzzle.Cell, b *puzzle.Block, fn func(class) error) error {
	p := t.passOf(c)
	if p == nil {
		return nil
	}
	n, v, err := p.Place(c)
	if err != nil {
		return err
	}
	layout := p.Near.Space.Layout(v)
	return p.eachRepresentative(layout, b, func(r int, x uint64, orbit int) error {
		row := class{p.Near.Space.Position(x), n, orbit, counting.Wide(b, columnPaths, r), counting.Wide(b, columnWays, r)}
		if p == t.passes[0] {
			if err := fn(row); err != nil {
				return err
			}
		}
		if after := t.jumps - n; after <= t.meeting || p != t.passes[len(t.passes)-1] {
			return nil // the other pass has these classes, or rows of this one do
		}
		row.position = t.turn.Inverse().Apply(t.problem.Board.Complement(row.position))
		return fn(class{row.position, t.jumps - n, orbit, row.ways, row.paths})
	})
}

// eachRepresentative passes to fn the rows of a block of the pass that stand for their classes: the number of the row,
// its position in the order of the space, and how many positions the class has.
func (p *Pass) eachRepresentative(
	layout *partition.Layout, b *puzzle.Block, fn func(r int, x uint64, orbit int) error,
) error {
	r := -1
	return counting.EachAddress(b, func(address uint64) error {
		r++
		x := layout.Ordered(address)
		stands, orbit := layout.Class(layout.PrefixOf(p.Near.Space.Prefix.Of(x)), x)
		if !stands {
			return nil
		}
		return fn(r, x, orbit)
	})
}
