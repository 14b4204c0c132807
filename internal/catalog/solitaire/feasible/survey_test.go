package feasible_test

import (
	"context"
	"testing"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/catalog/solitaire/feasible/feasibletest"
	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
	"pagoda/internal/peg/reference"
)

// smallBoards are boards of which all pairs of positions are tried.
var smallBoards = []struct {
	lattice peg.Lattice
	drawing string
}{
	{peg.Square, "ooo"},
	{peg.Square, "oooooooo"},
	{peg.Square, "ooo/ooo/ooo"},
	{peg.Square, "ooo/-o-/ooo"},
	{peg.Square, "-o-/ooo/-o-"},
	{peg.Square, "--o/--o/ooooo/--o"},
	{peg.Square, "o---/o---/oooo/o--o"},
	{peg.Square, "ooooo/oooo"},
	{peg.Square, "oooo/o--o/oooo"},
	{peg.Triangular, "o/oo/ooo"},
	{peg.Triangular, "oo/ooo/-oo"},
	{peg.Triangular, "o/oo/ooo/oooo"},
	{peg.Triangular, "ooo/oooo/-ooo"},
}

// TestAgainstBruteForce applies every criterion to every pair of positions of small boards; Survey fails when one
// forbids a problem that has a game. The table is logged.
func TestAgainstBruteForce(t *testing.T) {
	for _, c := range smallBoards {
		b := pegtest.Drawn(t, c.lattice, c.drawing)
		if testing.Short() && b.Size() > 8 {
			continue
		}
		t.Run(c.drawing, func(t *testing.T) {
			t.Parallel()
			solvable, err := feasibletest.Truth(b)
			if err != nil {
				t.Fatal(err)
			}
			s, err := feasible.New(b).Survey(context.Background(), feasibletest.AllPairs(b), solvable, feasible.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d problems, %d solvable, %d undecided", s.Problems, s.Solvable, s.Undecided)
			for _, r := range s.Rows {
				t.Logf("%+v", r)
				if r.GaveUp > 0 {
					t.Errorf("criterion %s gave up", r.Criterion)
				}
			}
		})
	}
}

// TestTruth compares the truth of the survey with the slow reference.
func TestTruth(t *testing.T) {
	b := pegtest.Drawn(t, peg.Square, "--o/--o/ooooo/--o")
	solvable, err := feasibletest.Truth(b)
	if err != nil {
		t.Fatal(err)
	}
	for start := peg.Position(0); start <= b.Full(); start++ {
		found := map[peg.Position]bool{}
		for _, layer := range reference.Play(b, start, -1) {
			for q := range layer.Paths {
				found[q] = true
			}
		}
		for goal := peg.Position(0); goal <= b.Full(); goal++ {
			if got := solvable(peg.Problem{Board: b, Start: start, Goal: goal}); got != found[goal] {
				t.Fatalf("%s to %s: %v, want %v", peg.Hex(start), peg.Hex(goal), got, found[goal])
			}
		}
	}
}
