package runs

import (
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// tallied has one scalar in each layer.
type tallied struct {
	puzzle.Results
	layers []uint128.Uint128
	known  int
}

func (r tallied) Layers() int { return len(r.layers) }

func (r tallied) Layer(n int) (puzzle.Tally, bool) {
	return puzzle.Tally{Maxima: []puzzle.Scalar{{Name: "most", Value: r.layers[n]}}}, n < r.known
}

type columns struct {
	puzzle.Exporter
	list []puzzle.Column
}

func (c columns) RowColumns() []puzzle.Column { return c.list }

// TestOneTypeForAColumn demands that the largest count of any layer decides for all of them, and that a column whose
// bits the puzzle knows is left alone.
func TestOneTypeForAColumn(t *testing.T) {
	own := []puzzle.Column{{Name: "position", Kind: puzzle.Text}, {Name: "paths", Kind: puzzle.Count},
		{Name: "classes", Kind: puzzle.Count, Bits: puzzle.Enumerated}, {Name: "games", Kind: puzzle.Count}}
	small, large := uint128.From(7), uint128.Uint128{Hi: 1 << 62}
	for _, test := range []struct {
		layers []uint128.Uint128
		known  int
		bits   int
	}{
		{[]uint128.Uint128{small, small}, 2, 0},
		{[]uint128.Uint128{small, {Hi: 1<<62 - 1}}, 2, 0},
		{[]uint128.Uint128{small, large, small}, 3, 127},
		{[]uint128.Uint128{small, large}, 1, 0},
	} {
		list := rowColumns(columns{list: own}, tallied{layers: test.layers, known: test.known})
		if list[0].Bits != 0 || list[1].Bits != test.bits || list[2].Bits != puzzle.Enumerated ||
			list[3].Bits != test.bits {
			t.Errorf("%v, %d known: %v", test.layers, test.known, list)
		}
	}
	if own[1].Bits != 0 {
		t.Error("the puzzle's own list was changed")
	}
}
