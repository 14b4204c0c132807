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

// Problem returns the problem of two positions as people write them.
func Problem(t testing.TB, b *peg.Board, start, goal string) peg.Problem {
	t.Helper()
	s, err := peg.ParseStart(b, start)
	if err != nil {
		t.Fatal(err)
	}
	g, err := peg.ParseGoal(b, goal)
	if err != nil {
		t.Fatal(err)
	}
	return peg.Problem{Board: b, Start: s, Goal: g}
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
