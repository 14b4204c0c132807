package engine_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pagoda/internal/run/engine"
	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/engine/enginetest/hostile"
)

// maxDelay is how much longer a run may take in all for each party that attacks it, in virtual time.
const maxDelay = 30 * time.Second

// TestDelay has one attack at a time, and mixtures of two to four, delay a run of many short layers beside two honest
// workers: all that an attacker does costs the run maxDelay at most, added up.
func TestDelay(t *testing.T) {
	names := slices.Sorted(maps.Keys(hostile.Behaviours))
	mixtures := make([][]string, len(names))
	for i, n := range names {
		mixtures[i] = []string{n}
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 24 {
		m := make([]string, 2+rnd.IntN(3))
		for i := range m {
			m[i] = names[rnd.IntN(len(names))]
		}
		mixtures = append(mixtures, m)
	}
	p := &enginetest.Pascal{Depth: 12, Slots: 21, Window: 10}
	o := engine.Options{AuditFraction: 1, AuditAlone: true}
	var least time.Duration
	t.Run("undisturbed", bubble(func(t *testing.T) {
		least = attackedBy(t, 1, p, o, nil, "a", "b").took
	}))
	for i, m := range mixtures {
		if testing.Short() && i%8 != 0 {
			continue
		}
		t.Run(fmt.Sprintf("%q", m), bubble(func(t *testing.T) {
			x := make(map[string]*hostile.Behaviour)
			for i, n := range m {
				x[fmt.Sprintf("x%d", i)] = hostile.Behaviours[n]
			}
			r := attackedBy(t, uint64(i), p, o, x, "a", "b")
			if d := r.took - least; d > maxDelay*time.Duration(len(m)) {
				t.Errorf("the run took %v longer than without attackers", d)
			}
		}))
	}
}
