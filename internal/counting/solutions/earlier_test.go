package solutions

import (
	"testing"

	"pagoda/internal/counting/countingtest"
)

// TestEarlier: the joins of both meetings count the same.
func TestEarlier(t *testing.T) { countingtest.Meetings(t, New, true) }
