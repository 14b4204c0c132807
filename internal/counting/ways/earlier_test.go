package ways

import (
	"testing"

	"pagoda/internal/counting/countingtest"
)

// TestEarlier: the passes of both meetings find the same.
func TestEarlier(t *testing.T) { countingtest.Meetings(t, New, true) }
