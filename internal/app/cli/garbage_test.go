package cli

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// TestGarbagePercent: little garbage is left beside much memory, and beside little memory as much as by default.
func TestGarbagePercent(t *testing.T) {
	for live, want := range map[uint64]int{
		0: 100, 1 << 20: 100, 12 << 20: 100, 24 << 20: 50, 60 << 20: 20, 80 << 20: 15, 81 << 20: 15, 1 << 40: 15,
	} {
		if got := garbagePercent(live); got != want {
			t.Errorf("beside %d bytes: %d %%, want %d", live, got, want)
		}
	}
}

// TestLimitsGarbage: it is limited where memory is little and GOGC is not set.
func TestLimitsGarbage(t *testing.T) {
	for _, test := range []struct {
		gogc   string
		memory uint64
		want   bool
	}{{"300", 1, false}, {"", littleMemory + 1, false}, {"", littleMemory, true}} {
		if got := limitsGarbage(test.gogc, test.memory); got != test.want {
			t.Errorf("GOGC=%s, %d bytes: %v", test.gogc, test.memory, got)
		}
	}
}

// TestLimitMemoryLimitsGarbage: the limit is set again after every collection.
func TestLimitMemoryLimitsGarbage(t *testing.T) {
	t.Setenv("GOGC", "")
	LimitMemory(littleMemory, littleMemory) // all of it is taken, so memory itself is not limited
	for range 2 {
		const other = 300
		for debug.SetGCPercent(other); debug.SetGCPercent(other) == other; { // until the collector has told of a collection
			runtime.GC()
		}
	}
}
