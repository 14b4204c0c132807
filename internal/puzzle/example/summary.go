package example

import (
	"math/bits"
	"strconv"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

var layerColumns = []puzzle.Column{
	{Name: "moves", Kind: puzzle.Number, Doc: "moves made"},
	{Name: "squares", Kind: puzzle.Number, Doc: "squares on which a walk ends"},
	{Name: "walks", Kind: puzzle.Count, Doc: "walks of this length from the corner"},
}

// Summarise implements puzzle.Puzzle: a table of layers, and in the end the number of the longest walks.
func (k *Walks) Summarise(known puzzle.Results) (puzzle.Summary, error) {
	var s puzzle.Summary
	s.AddNumber("side", uint64(k.side), "squares on a side of the board")
	layers := puzzle.Table{Name: "layers", Columns: layerColumns}
	for n := range known.Layers() {
		t, ok := known.Layer(n)
		if !ok {
			continue
		}
		layers.Rows = append(layers.Rows,
			[]puzzle.Value{{N: uint128.From(uint64(n))}, {N: t.Sum("squares")}, {N: t.Sum("walks")}})
		if n == k.moves {
			s.AddCount("walks", t.Sum("walks"), "walks of all moves")
		}
	}
	s.Tables = []puzzle.Table{layers}
	return s, nil
}

// RowColumns implements puzzle.Exporter.
func (k *Walks) RowColumns() []puzzle.Column {
	return []puzzle.Column{
		{Name: "square", Kind: puzzle.Text, Doc: "square, by row and column from 0"},
		{Name: "walks", Kind: puzzle.Count, Doc: "walks that end on it"},
	}
}

// ExportRows implements puzzle.Exporter.
func (k *Walks) ExportRows(_ puzzle.Cell, b *puzzle.Block, emit func(row []puzzle.Value) error) error {
	row, r := make([]puzzle.Value, 2), 0
	for i, word := range b.Occupied {
		for ; word != 0; word &= word - 1 {
			row[0].S = k.square(b.First + uint64(i*64+bits.TrailingZeros64(word)))
			row[1].N = uint128.Uint128{}
			if c := b.Column(0); c != nil {
				row[1].N.Lo = c[r]
			}
			if c := b.Column(1); c != nil {
				row[1].N.Hi = c[r]
			}
			r++
			if err := emit(row); err != nil {
				return err
			}
		}
	}
	return nil
}

// square is the name of a square, such as r1c2.
func (k *Walks) square(address uint64) string {
	return "r" + strconv.Itoa(int(address)/k.side) + "c" + strconv.Itoa(int(address)%k.side)
}
