package solitaire

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
	"pagoda/internal/puzzle/puzzletest"
)

// TestBoardKnown pins the numbers of boards that the literature names, and those of a line by hand.
func TestBoardKnown(t *testing.T) {
	for name, want := range map[string]string{
		"english":   "33 38 76 8, 8 [12 8 8 5] 7 12 4",
		"triangle5": "15 18 36 6, 3 [6 3 3 3] 4 6 2",
		"ooo":       "3 1 2 2, 2 [2 1 0 0] 2 1 2",
		"square6":   "36 48 96 8, 4 [9 9 9 9] 6 12 4",
	} {
		a := puzzletest.Ask(t, &boardQuestion, nil, name)
		doc := a.Document.(boardReport)
		var numbers []string
		for _, f := range a.Summary.Problem.Facts {
			if slices.Contains([]string{"holes", "triplets", "jumps", "symmetries"}, f.Name) {
				numbers = append(numbers, f.Value.N.String())
			}
		}
		got := fmt.Sprintf("%s, %d %v %d %d %d", strings.Join(numbers, " "), doc.Corners, doc.Classes, doc.HoleOrbits,
			doc.JumpOrbits, doc.Invariants)
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestBoardOrbits compares the orbits with Burnside's lemma, and corners with the places of the holes.
func TestBoardOrbits(t *testing.T) {
	for _, name := range peg.Names() {
		b := pegtest.Named(t, name)
		doc := puzzletest.Ask(t, &boardQuestion, nil, name).Document.(boardReport)
		holes, jumps, group := 0, 0, b.Symmetries()
		for _, g := range group {
			for h := range b.Holes {
				if int(g[h]) == h {
					holes++
				}
			}
			for _, j := range b.Jumps {
				if g.Jump(j) == j {
					jumps++
				}
			}
		}
		if doc.HoleOrbits*len(group) != holes || doc.JumpOrbits*len(group) != jumps {
			t.Errorf("%s: %+v, and the symmetries fix %d holes and %d jumps", name, doc, holes, jumps)
		}
		covered := 0
		for _, orbit := range jumpOrbits(b, group) {
			covered += len(orbit)
		}
		if covered != len(b.Jumps) {
			t.Errorf("%s: the orbits have %d of %d jumps", name, covered, len(b.Jumps))
		}
		var corners []string
		for i, h := range b.Holes {
			steps := [][2]int{{0, 1}, {1, 0}}
			if b.Lattice == peg.Triangular {
				steps = append(steps, [2]int{1, 1})
			}
			if !slices.ContainsFunc(steps, func(s [2]int) bool {
				_, before := b.Hole(h.Row-s[0], h.Col-s[1])
				_, after := b.Hole(h.Row+s[0], h.Col+s[1])
				return before && after
			}) {
				corners = append(corners, b.Label(i))
			}
		}
		if !slices.Equal(corners, doc.CornerHoles) {
			t.Errorf("%s: corners %v, want %v", name, doc.CornerHoles, corners)
		}
	}
}
