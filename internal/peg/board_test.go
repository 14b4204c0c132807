package peg_test

import (
	"fmt"
	"testing"

	"pagoda/internal/peg"
)

// TestNamedBoards pins what is known of the named boards: holes, jumps, sizes of the playable classes, symmetries,
// dimension of the invariants.
func TestNamedBoards(t *testing.T) {
	want := map[string]string{
		"english":    "33 holes, 76 jumps, classes [12 8 8 5], 8 symmetries, 4 invariants",
		"french":     "37 holes, 92 jumps, classes [12 8 8 9], 8 symmetries, 4 invariants",
		"diamond":    "41 holes, 100 jumps, classes [13 8 8 12], 8 symmetries, 4 invariants",
		"wiegleb":    "45 holes, 108 jumps, classes [9 12 12 12], 8 symmetries, 4 invariants",
		"square5":    "25 holes, 60 jumps, classes [9 6 6 4], 8 symmetries, 4 invariants",
		"square6":    "36 holes, 96 jumps, classes [9 9 9 9], 8 symmetries, 4 invariants",
		"square7":    "49 holes, 140 jumps, classes [16 12 12 9], 8 symmetries, 4 invariants",
		"triangle4":  "10 holes, 18 jumps, classes [3 1 3 3], 6 symmetries, 2 invariants",
		"triangle5":  "15 holes, 36 jumps, classes [6 3 3 3], 6 symmetries, 2 invariants",
		"triangle6":  "21 holes, 60 jumps, classes [6 3 6 6], 6 symmetries, 2 invariants",
		"triangle7":  "28 holes, 90 jumps, classes [10 6 6 6], 6 symmetries, 2 invariants",
		"triangle8":  "36 holes, 126 jumps, classes [10 6 10 10], 6 symmetries, 2 invariants",
		"triangle9":  "45 holes, 168 jumps, classes [15 10 10 10], 6 symmetries, 2 invariants",
		"triangle10": "55 holes, 216 jumps, classes [15 10 15 15], 6 symmetries, 2 invariants",
		"hexagon19":  "19 holes, 54 jumps, classes [7 4 4 4], 12 symmetries, 2 invariants",
		"hexagon37":  "37 holes, 138 jumps, classes [10 10 10 7], 12 symmetries, 2 invariants",
		"hexagon61":  "61 holes, 258 jumps, classes [19 14 14 14], 12 symmetries, 2 invariants",
	}
	for _, name := range peg.Names() {
		b, err := peg.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		var classes [4]int
		for k, m := range b.ClassMasks() {
			classes[k] = m.Pegs()
		}
		got := fmt.Sprintf("%d holes, %d jumps, classes %v, %d symmetries, %d invariants",
			b.Size(), len(b.Jumps), classes, len(b.Symmetries()), len(b.Invariants()))
		if got != want[name] {
			t.Errorf("%s: got %s, want %s", name, got, want[name])
		}
	}
}
