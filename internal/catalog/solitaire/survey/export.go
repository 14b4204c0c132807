package survey

import (
	"math/bits"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// RowColumns implements puzzle.Exporter: a row for each start, or with Vacancies for each problem, up to the symmetries
// of the board.
func (s *Survey) RowColumns() []puzzle.Column {
	list := []puzzle.Column{{Name: "start", Kind: puzzle.Text,
		Doc: "the least start of its symmetry class, x and as many hexadecimal digits as the board takes, bit i is hole i " +
			"in row-major order"}}
	if s.params.Kind == Vacancies {
		list[0].Doc = "a start, one of each symmetry class of problems, x and as many hexadecimal digits as the board takes"
		list = append(list, puzzle.Column{Name: "goal", Kind: puzzle.Text, Doc: "the goal, written as the start is"})
	}
	return append(list,
		puzzle.Column{Name: "orbit", Kind: puzzle.Number, Doc: "how many there are in the symmetry class"},
		puzzle.Column{Name: "problems", Kind: puzzle.Number, Doc: "goals"},
		puzzle.Column{Name: "solvable", Kind: puzzle.Number, Doc: "goals that a game leads to"},
		puzzle.Column{Name: "open", Kind: puzzle.Number, Doc: "goals that no game leads to and no criterion forbids"},
	)
}

// ExportRows implements puzzle.Exporter.
func (s *Survey) ExportRows(c puzzle.Cell, b *puzzle.Block, emit func([]puzzle.Value) error) error {
	k, err := s.find(c)
	if err != nil {
		return err
	}
	row := make([]puzzle.Value, 0, 2+columns)
	r := 0
	for i, word := range b.Occupied {
		for ; word != 0; word &= word - 1 {
			address := b.First + uint64(64*i+bits.TrailingZeros64(word))
			row = row[:0]
			if s.params.Kind == Vacancies {
				p, _ := s.vacancy(address)
				row = append(row, puzzle.Value{S: s.params.Board.Hex(p.Start)}, puzzle.Value{S: s.params.Board.Hex(p.Goal)})
			} else {
				row = append(row, puzzle.Value{S: s.params.Board.Hex(unrank(address, s.params.Board.Size(), k.pegs))})
			}
			for col := range columns {
				v := uint64(0)
				if values := b.Column(col); values != nil {
					v = values[r]
				}
				row = append(row, puzzle.Value{N: uint128.From(v)})
			}
			if err := emit(row); err != nil {
				return err
			}
			r++
		}
	}
	return nil
}
