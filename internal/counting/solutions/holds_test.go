package solutions

import (
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/counting"
	"pagoda/internal/counting/countingtest"
	"pagoda/internal/peg"
)

// TestHolds: windows of both sweeps and of the join hold what they are said to hold at most.
func TestHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := countingtest.Draw(t)
		p.WindowAddresses = rapid.SampledFrom([]uint64{0, 7, 60}).Draw(t, "window addresses")
		s, err := New(p)
		if err != nil {
			t.Skip(err)
		}
		countingtest.Weighed(t, s)
	})
}

// TestPairsHoldLittle: that is far less than the plan says where counts are small, and not much more than windows hold.
func TestPairsHoldLittle(t *testing.T) {
	for board, window := range map[string]uint64{"hexagon19": 400, "triangle6": 1 << 15} {
		b, err := peg.Named(board)
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewPairs(counting.Params{Board: b, WindowAddresses: window})
		if err != nil {
			t.Fatal(err)
		}
		planned, said, held := countingtest.Weighed(t, s)
		t.Logf("%s: %d bytes planned, %d said, %d held", board, planned, said, held)
		if said > planned*2/3 || said > 2*held {
			t.Errorf("%s: %d bytes are planned, %d are said to be held, %d are", board, planned, said, held)
		}
	}
}
