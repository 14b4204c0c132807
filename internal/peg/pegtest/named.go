package pegtest

import (
	"testing"

	"pagoda/internal/peg"
)

// Named returns a board of the list of boards.
func Named(t testing.TB, name string) *peg.Board {
	t.Helper()
	b, err := peg.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Drawn returns the board of a drawing.
func Drawn(t testing.TB, l peg.Lattice, drawing string) *peg.Board {
	t.Helper()
	b, err := peg.Draw("drawn", l, drawing)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
