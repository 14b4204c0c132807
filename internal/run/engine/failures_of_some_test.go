package engine_test

import (
	"fmt"
	"testing"

	"pagoda/internal/run/engine"
	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/engine/enginetest/hostile"
)

// TestFailuresOfMany has six workers fail at all windows from a layer on, beside two that do not: the run is completed.
func TestFailuresOfMany(t *testing.T) {
	for _, layer := range []int{0, 2} {
		t.Run(fmt.Sprintf("from layer %d", layer), bubble(func(t *testing.T) {
			seed, _ := printedSeed(t)
			x := make(map[string]*hostile.Behaviour)
			for i := range 6 {
				x[fmt.Sprintf("x%d", i)] = hostile.FailsFrom(layer)
			}
			p := &enginetest.Pascal{Depth: 5, Slots: 101, Window: 20}
			r := attackedBy(t, seed, p, engine.Options{}, x, "a", "b")
			if !r.completed || len(r.refused) > 0 {
				t.Errorf("completed %t, refused %v", r.completed, r.refused)
			}
		}))
	}
}
