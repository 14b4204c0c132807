package counting

import (
	"strings"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// cut is a source of a cell with some windows, none of which has rows.
type cut struct {
	claims
	windows []puzzle.Window
}

func (s cut) Windows(puzzle.Cell) ([]puzzle.Window, error) { return s.windows, nil }

// TestMaskedWindow: a window is masked by the window of the other enumeration that has the same part, first address and
// addresses, and by no other.
func TestMaskedWindow(t *testing.T) {
	g := english(t, "r0c2")
	v := g.Layers[15][0]
	cell := puzzle.Cell{Layer: 15, Key: g.Key(v)}
	w := puzzle.Window{Cell: cell, Part: 1, First: 100, Addresses: 50}
	first := puzzle.Window{Cell: cell, Addresses: 100}
	moved, longer := w, w
	moved.First++
	longer.Addresses++
	for name, windows := range map[string][]puzzle.Window{
		"another first address": {first, moved}, "more addresses": {first, longer}, "no such part": {first}, "none": nil,
	} {
		_, err := g.MaskedKernel(t.Context(), nil, w, cell, cut{claims{most: uint128.From(1)}, windows})
		if err == nil || !strings.Contains(err.Error(), "has no window of the same addresses") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
