package reserve

import (
	"strings"

	"pagoda/internal/counting"
	"pagoda/internal/puzzle"
)

var rowColumns = []puzzle.Column{
	counting.ColumnPosition,
	counting.ColumnJumps,
	{Name: "put_back", Kind: puzzle.Number, Doc: "1 when the reserve has been put back, else 0"},
	counting.ColumnOrbit,
	counting.ColumnPaths,
}

// RowColumns describes the exported rows: the symmetry classes before and after the reserve is put back.
func (s *Puzzle) RowColumns() []puzzle.Column { return rowColumns }

// ExportRows emits the symmetry classes of a block of the side from the start. Positions found backwards from the goal
// are not emitted.
func (s *Puzzle) ExportRows(c puzzle.Cell, b *puzzle.Block, emit func(row []puzzle.Value) error) error {
	if len(s.sides) == 0 {
		return nil
	}
	row := make([]puzzle.Value, len(rowColumns))
	for putBack, e := range []*counting.Enumeration{s.sides[0].before, s.sides[0].after} {
		if !strings.HasPrefix(c.Key, e.Name) {
			continue
		}
		return e.EachClass(c, b, func(x counting.Class) error {
			row[0].S = s.problem.Board.Hex(e.Canonical(x.Position))
			row[1], row[2], row[3] = counting.Number(x.Jumps), counting.Number(putBack), counting.Number(x.Orbit)
			row[4].N = x.Paths
			return emit(row)
		})
	}
	return nil
}
