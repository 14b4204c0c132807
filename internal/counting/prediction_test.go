package counting

import (
	"slices"
	"testing"

	"pagoda/internal/peg"
)

// TestFindFirst compares the first layers of the English board with the published numbers of classes. Of a board with
// few positions all layers are found, with the numbers of a search by hand.
func TestFindFirst(t *testing.T) {
	for _, c := range []struct {
		board string
		start peg.Position
		want  []uint64 // classes, by layer
		over  bool
	}{
		{"english", 1 << 16, []uint64{1, 1, 2, 8, 39, 171, 719, 2757, 9751}, false},
		{"triangle4", 1 << 0, []uint64{1, 1, 2, 4, 7, 5, 3}, true},
	} {
		b, err := peg.Named(c.board)
		if err != nil {
			t.Fatal(err)
		}
		e, err := New(b, b.Full()&^c.start, 1<<22, "")
		if err != nil {
			t.Fatal(err)
		}
		layers, over := e.findFirst()
		var have []uint64
		for n, cells := range layers {
			have = append(have, 0)
			for v, rows := range cells {
				have[n] += rows
				if layer, ok := e.cells[v]; !ok || layer != n {
					t.Errorf("%s: the cell of vector %v is not in layer %d", c.board, v, n)
				}
			}
		}
		if over != c.over || !slices.Equal(have, c.want) {
			t.Errorf("%s: %d classes, over %t; want %d, %t", c.board, have, over, c.want, c.over)
		}
	}
}
