package solutions

import (
	"testing"

	"pagoda/internal/counting/countingtest"
)

// TestEarlier: the enumerations of one problem meet where they take the least work, the middle, and met at an end in
// earlier programs. One enumeration that is both sides meets as before.
func TestEarlier(t *testing.T) {
	for _, c := range []struct{ board, start, goal, meeting string }{
		{"triangle6", "r1c0", "r2c2", "9"}, {"square5", "r2c2", "r2c2", ""},
	} {
		p, err := New(countingtest.Problem(t, c.board, c.start, c.goal, 0))
		if err != nil {
			t.Fatal(err)
		}
		if earlier := countingtest.Earlier(t, p, c.meeting); c.meeting != "" {
			countingtest.SameResults(t, p, earlier)
		}
	}
}
