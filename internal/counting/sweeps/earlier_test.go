package sweeps

import (
	"testing"

	"pagoda/internal/counting/countingtest"
)

// TestEarlier: a run of sweeps is an earlier one where its ways are.
func TestEarlier(t *testing.T) {
	for _, c := range []struct{ board, start, goal, meeting string }{
		{"triangle6", "r1c0", "r2c2", "9"}, {"square5", "r2c2", "r2c2", ""},
	} {
		p, err := New(countingtest.Problem(t, c.board, c.start, c.goal, 0))
		if err != nil {
			t.Fatal(err)
		}
		countingtest.Earlier(t, p, c.meeting)
	}
}
