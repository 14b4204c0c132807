package baseball

import (
	"fmt"
	"math/bits"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// RowColumns implements puzzle.Exporter: one row per configuration, reflections included.
func (s *Search) RowColumns() []puzzle.Column {
	return []puzzle.Column{
		{Name: "distance", Kind: puzzle.Number, Doc: "fewest moves to the goal"},
		{Name: "configuration", Kind: puzzle.Text, Doc: "the bases from base 0 up, _ for the free place"},
	}
}

// ExportRows implements puzzle.Exporter.
func (s *Search) ExportRows(c puzzle.Cell, b *puzzle.Block, emit func([]puzzle.Value) error) error {
	row := make([]puzzle.Value, 2)
	return s.each(c, b, func(c Configuration, distance int) error {
		row[0], row[1] = puzzle.Value{N: uint128.From(uint64(distance))}, puzzle.Value{S: c.String()}
		return emit(row)
	})
}

// each passes the configurations of a block and their reflections to fn.
func (s *Search) each(cell puzzle.Cell, b *puzzle.Block, fn func(c Configuration, distance int) error) error {
	h := 0
	for h < len(s.cells) && cell != cellOf(cell.Layer, h) {
		h++
	}
	if h == len(s.cells) {
		return fmt.Errorf("the search of %d bases has no cell %d/%s with rows", s.params.Bases, cell.Layer, cell.Key)
	}
	if n := s.order.ranks(); b.First >= n || uint64(b.Addresses) > n-b.First {
		return fmt.Errorf("block %d of %d ranks is past the %d ranks of %d bases", b.First, b.Addresses, n, s.params.Bases)
	}
	for i, word := range b.Occupied {
		for ; word != 0; word &= word - 1 {
			f := s.order.unrank(b.First+uint64(64*i+bits.TrailingZeros64(word)), h)
			if err := fn(s.order.configuration(&f, h), cell.Layer); err != nil {
				return err
			}
			if s.images(h) == 1 {
				continue
			}
			f = s.order.mirror(&f)
			if err := fn(s.order.configuration(&f, s.params.Bases-h), cell.Layer); err != nil {
				return err
			}
		}
	}
	return nil
}
