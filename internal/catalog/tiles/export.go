package tiles

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// RowColumns implements puzzle.Exporter: one row per class.
func (s *Survey) RowColumns() []puzzle.Column {
	return []puzzle.Column{
		enumerated("rank", "number of the grid among the grids up to colours"),
		worded("grid", "the canonical grid, colours in order of appearance, rows separated by /"),
		counted("orbit", "initial grids in the class"),
		enumerated("finals", "number of final grids"),
		enumerated("permutations", "finals that are the initial grid with its colours permuted"),
		colTableEqual,
		worded("missing", "colours that each 2x2 block misses, rows of blocks separated by /"),
		worded("cells", "cells of colour 0, 1, 2, ..."),
		enumerated("distributions", "number of different tile distributions among the finals"),
		worded("tiles", "tiles of colour 0, 1, 2, ...: number of finals that need them; the next"),
		enumerated("cyclic", "candidates whose blocks agree in pairs but not as a whole"),
	}
}

// enumerated is a column of counts that a survey has made one by one.
func enumerated(name, doc string) puzzle.Column {
	c := counted(name, doc)
	c.Bits = puzzle.Enumerated
	return c
}

// ExportRows implements puzzle.Exporter. The columns that a row does not store follow from its rank; for the tile
// distributions the grid is solved again, and the error says so when the stored numbers are not confirmed.
func (s *Survey) ExportRows(c puzzle.Cell, b *puzzle.Block, emit func([]puzzle.Value) error) error {
	if c != surveyCell {
		return fmt.Errorf("survey of %v has no cell %d/%s", s.shape, c.Layer, c.Key)
	}
	if b.First >= s.addresses || uint64(b.Addresses) > s.addresses-b.First {
		return fmt.Errorf("block %d of %d ranks is past the %d ranks of %v", b.First, b.Addresses, s.addresses, s.shape)
	}
	sv := s.solver()
	defer s.solvers.Put(sv)
	walk := newWalk(s.shape, s.census.unrank(uint128.From(b.First)))
	at := uint64(0)
	r := 0
	row := make([]puzzle.Value, 0, len(s.RowColumns()))
	for i, word := range b.Occupied {
		for ; word != 0; word &= word - 1 {
			address := uint64(64*i + bits.TrailingZeros64(word))
			for ; at < address; at++ {
				walk.next()
			}
			g, err := s.confirm(sv, &walk.grid, b, r)
			if err != nil {
				return fmt.Errorf("rank %d of %v: %w", b.First+address, s.shape, err)
			}
			g.rank = b.First + address
			if err := emit(s.exportRow(row[:0], g, &walk.grid)); err != nil {
				return err
			}
			r++
		}
	}
	return nil
}

// confirm solves the grid of row r again and compares.
func (s *Survey) confirm(sv *finalSolver, g *cells, b *puzzle.Block, r int) (*class, error) {
	stabiliser, ok := canonical(s.syms, g)
	if !ok {
		return nil, fmt.Errorf("grid %s has a row and is not canonical; verify the run", s.shape.write(g, plainLetters))
	}
	c := new(class)
	if err := s.survey(context.Background(), sv, g, stabiliser, c); err != nil {
		return nil, err
	}
	for k, want := range c.row() {
		got := uint64(0)
		if col := b.Column(k); col != nil {
			got = col[r]
		}
		if got != want {
			return nil, fmt.Errorf("grid %s has %d stored as %s and %d by computing again; verify the run",
				s.shape.write(g, plainLetters), got, s.Columns()[k], want)
		}
	}
	return c, nil
}

func (s *Survey) exportRow(row []puzzle.Value, c *class, g *cells) []puzzle.Value {
	slices.SortFunc(c.tiles, func(a, b distribution) int {
		for v := range s.shape.Colours {
			if a.tiles.of(v) != b.tiles.of(v) {
				return cmp.Compare(b.tiles.of(v), a.tiles.of(v))
			}
		}
		return 0
	})
	tiles := make([]string, len(c.tiles))
	for i, d := range c.tiles {
		tiles[i] = s.countText(d.tiles) + ":" + strconv.FormatUint(d.finals, 10)
	}
	return append(row,
		number(c.rank),
		puzzle.Value{S: s.shape.write(g, plainLetters)},
		number(c.orbit), number(c.finals), number(c.permutations), number(uint64(c.equal)),
		puzzle.Value{S: s.missingText(g)},
		puzzle.Value{S: s.countText(c.grid)},
		number(uint64(len(c.tiles))),
		puzzle.Value{S: strings.Join(tiles, " ")},
		number(c.cyclic),
	)
}

// countText writes counts by colour, with dots between.
func (s *Survey) countText(t tileCount) string { return dotted(t.digits(s.shape.Colours)) }

// missingText writes the missing colours of the blocks: with five colours a digit each, with more several and dots
// between the blocks.
func (s *Survey) missingText(g *cells) string {
	var b strings.Builder
	for i, set := range s.shape.missing(g) {
		switch w := s.shape.Cols - 1; {
		case i > 0 && i%w == 0:
			b.WriteByte('/')
		case i > 0 && s.shape.Colours > 5:
			b.WriteByte('.')
		}
		for ; set != 0; set &= set - 1 {
			b.WriteByte(plainLetters[bits.TrailingZeros8(set)])
		}
	}
	return b.String()
}
