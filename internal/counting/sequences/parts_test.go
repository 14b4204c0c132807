package sequences

import (
	"testing"

	"pagoda/internal/counting/countingtest"
)

// TestInParts computes a run whose windows read their parents in parts where they can.
func TestInParts(t *testing.T) {
	p, err := New(countingtest.Problem(t, "triangle5", "r0c0", "", 40), false)
	if err != nil {
		t.Fatal(err)
	}
	if countingtest.SameInParts(t, p, 1) == 0 {
		t.Error("no window read its parents in parts")
	}
}
