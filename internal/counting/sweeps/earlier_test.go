package sweeps

import (
	"testing"

	"pagoda/internal/counting/countingtest"
)

// TestEarlier: a run of sweeps is an earlier one where its ways are.
func TestEarlier(t *testing.T) { countingtest.Meetings(t, New, false) }
