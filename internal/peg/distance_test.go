package peg_test

import (
	"slices"
	"testing"

	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
)

// TestDistances: squares of distances from the middle of the pegs, scaled before they are rounded down.
func TestDistances(t *testing.T) {
	row := pegtest.Drawn(t, peg.Square, "oooo")
	triangle := pegtest.Drawn(t, peg.Triangular, "o/oo/ooo")
	for _, test := range []struct {
		board *peg.Board
		pegs  peg.Position
		scale int
		want  []int
	}{
		{row, 0b0001, 1, []int{0, 1, 4, 9}},
		{row, 0b0011, 16, []int{4, 4, 36, 100}},
		{row, 0b0011, 1, []int{0, 0, 2, 6}},
		{pegtest.Drawn(t, peg.Square, "ooo/ooo"), 0b001000, 1, []int{1, 2, 5, 0, 1, 4}},
		{triangle, 0b000001, 1, []int{0, 1, 1, 4, 3, 4}},
		{triangle, 0b101001, 9, []int{12, 3, 3, 12, 3, 12}},
	} {
		if got := test.board.Distances(test.pegs, test.scale); !slices.Equal(got, test.want) {
			t.Errorf("%s, pegs %b, times %d: %v, want %v", test.board.Name, test.pegs, test.scale, got, test.want)
		}
	}
}
