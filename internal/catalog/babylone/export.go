package babylone

import (
	"fmt"
	"math/bits"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// RowColumns implements puzzle.Exporter.
func (b *Puzzle) RowColumns() []puzzle.Column {
	columns := []puzzle.Column{
		numbered("piles", "piles left"),
		numbered("rank", "number of the position among those with as many piles"),
		worded("position", "letter of the top colour and height of each pile"),
		counted("colourings", "positions that are the same up to permutation of colours"),
	}
	if b.count != CountWinner {
		columns = append(columns, numbered("nimber", "Grundy value: 0 when the player to move loses"))
	}
	if b.count == CountGraph {
		columns = append(columns, numbered("moves", "positions after a move, up to permutation of colours"))
	}
	return columns
}

// ExportRows implements puzzle.Exporter. The rows of a run that counted winners are the lost positions.
func (b *Puzzle) ExportRows(c puzzle.Cell, block *puzzle.Block, emit func([]puzzle.Value) error) error {
	if c == insideCell {
		return nil
	}
	piles := b.piles(c.Layer)
	if c.Layer >= b.layers() || c != positionsCell(c.Layer) ||
		block.First+uint64(block.Addresses) > b.space.size(piles) {
		return fmt.Errorf("block %d of cell %d/%s does not belong to the game of bricks %s",
			block.First, c.Layer, c.Key, writeBricks(b.bricks))
	}
	var ids []int32
	row := make([]puzzle.Value, 0, len(b.RowColumns()))
	n := 0
	for i, word := range block.Occupied {
		for ; word != 0; word &= word - 1 {
			r := block.First + uint64(64*i+bits.TrailingZeros64(word))
			ids = b.space.unrank(r, piles, ids[:0])
			row = append(row[:0], number(piles), puzzle.Value{N: uint128.From(r)},
				puzzle.Value{S: b.space.position(ids).String()}, puzzle.Value{N: uint128.From(b.space.apart(ids))})
			for k := range b.Columns() {
				v := uint64(0)
				if column := block.Column(k); column != nil {
					v = column[n]
				}
				row = append(row, puzzle.Value{N: uint128.From(v)})
			}
			if err := emit(row); err != nil {
				return err
			}
			n++
		}
	}
	return nil
}

// position writes a position with piles of colours b, r, y, ...: the colour with the most bricks gets the partition of
// the largest weight, as far as that matters.
func (s *space) position(ids []int32) Position {
	var p Position
	for c, id := range ids {
		for _, h := range s.all[id].heights {
			p = append(p, Pile{letters[c], int(h)})
		}
	}
	p.sort()
	return p
}
