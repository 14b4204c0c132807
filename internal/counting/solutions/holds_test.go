package solutions

import (
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/counting"
	"pagoda/internal/counting/countingtest"
	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
)

// TestHolds: windows of both sweeps and of the join hold what they are said to hold at most, however wide the counts of
// either sweep are.
func TestHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := pegtest.Board(6, 14).Draw(t, "board")
		start := pegtest.Start(b).Draw(t, "start")
		game := pegtest.Play(t, b, start, 12)
		goal := game[len(game)-1]
		if goal.Pegs() >= start.Pegs() {
			return // no jump was made
		}
		s, err := New(counting.Params{
			Board: b, Start: start, Goal: goal, WindowAddresses: rapid.Uint64Range(70, 300).Draw(t, "window"),
		})
		if err != nil {
			t.Skip(err) // smaller windows than the board allows
		}
		wide := rapid.IntRange(0, len(s.enumerations)-1).Draw(t, "sweep with wide counts")
		// Not the largest: where one sweep is both sides of the join, solutions have its square.
		s.enumerations[wide].Unit = rapid.SampledFrom(countingtest.Units[:2]).Draw(t, "unit")
		countingtest.Weighed(t, s)
	})
}

// TestHoldsParents: windows hold more where any cell that they read has wide counts, of either sweep, and also where
// the layer that is joined is stored.
func TestHoldsParents(t *testing.T) {
	for drawing, c := range map[string]struct {
		lattice peg.Lattice
		stored  bool
	}{
		"ooo/oooo/ooooo/oooo/ooo": {peg.Triangular, false},
		"ooooo/ooooo/ooooo/ooooo": {peg.Square, true},
	} {
		b, err := peg.Draw("drawn", c.lattice, drawing)
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewPairs(counting.Params{Board: b, WindowAddresses: 400})
		if err != nil {
			t.Fatal(err)
		}
		if s.meetings[0].stored != c.stored {
			t.Errorf("%s: the layer is stored: %t", drawing, !c.stored)
		}
		countingtest.EachParentWeighs(t, s)
	}
}

// TestPairsHoldLittle: on larger boards that is far less than the plan says where counts are small, and not much more
// than windows hold, also where one sweep has wide counts.
func TestPairsHoldLittle(t *testing.T) {
	for board, window := range map[string]uint64{"hexagon19": 400, "triangle6": 1 << 15} {
		b, err := peg.Named(board)
		if err != nil {
			t.Fatal(err)
		}
		for wide := -1; ; wide++ { // the sweep that has wide counts
			s, err := NewPairs(counting.Params{Board: b, WindowAddresses: window})
			if err != nil {
				t.Fatal(err)
			}
			if wide == len(s.enumerations) {
				break
			}
			if wide >= 0 {
				s.enumerations[wide].Unit = countingtest.Units[1]
			}
			planned, said, held := countingtest.Weighed(t, s)
			t.Logf("%s, sweep %d wide: %d bytes planned, %d said, %d held", board, wide, planned, said, held)
			if wide < 0 && said > planned*2/3 || said > 2*held {
				t.Errorf("%d bytes are planned, %d are said to be held, %d are", planned, said, held)
			}
		}
	}
}
