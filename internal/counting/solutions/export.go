package solutions

import (
	"pagoda/internal/counting"
	"pagoda/internal/puzzle"
)

// Of all pairs, and of several goals, every row says from which start its paths come.
var pairColumns = []puzzle.Column{
	counting.ColumnPosition,
	{Name: "start", Kind: puzzle.Text, Doc: "the start, written as the position is"},
	counting.ColumnJumps,
	counting.ColumnOrbit,
	counting.ColumnPaths,
}

// RowColumns describes the exported rows: one for each symmetry class of the positions reached from a start.
func (s *Puzzle) RowColumns() []puzzle.Column {
	if s.several() {
		return pairColumns
	}
	return counting.RowColumns
}

// ExportRows emits the symmetry classes of a block of an enumeration. Of one problem the positions found backwards from
// the goal are not emitted.
func (s *Puzzle) ExportRows(c puzzle.Cell, b *puzzle.Block, emit func(row []puzzle.Value) error) error {
	en, err := s.enumerationOf(c)
	if err != nil {
		return err
	}
	row := make([]puzzle.Value, 0, len(pairColumns))
	if s.several() {
		start := s.board.Hex(en.Start)
		return en.EachClass(c, b, func(x counting.Class) error {
			return emit(append(row[:0], puzzle.Value{S: s.board.Hex(en.Canonical(x.Position))}, puzzle.Value{S: start},
				counting.Number(x.Jumps), counting.Number(x.Orbit), puzzle.Value{N: x.Paths}))
		})
	}
	q := s.problems[0]
	if en != q.join.Near {
		return nil
	}
	orbits := q.orbits()
	return en.EachClass(c, b, func(x counting.Class) error {
		canonical := orbits.Least(q.fromNear.Apply(x.Position))
		return emit(append(row[:0], puzzle.Value{S: s.board.Hex(canonical)}, counting.Number(x.Jumps),
			counting.Number(x.Orbit), puzzle.Value{N: x.Paths}))
	})
}
