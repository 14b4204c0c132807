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

// TestDelay delays a run of many short layers: by each attack and mixtures of two to four, beside two honest workers,
// and by three attackers of a kind beside one. Everything an attacker does costs the run maxDelay at most, added up.
func TestDelay(t *testing.T) {
	names := slices.Sorted(maps.Keys(hostile.Behaviours))
	var singles, families [][]string
	for _, n := range names {
		singles = append(singles, []string{n})
		if b := hostile.Behaviours[n]; b.Rows == nil && b.Tally == nil { // others are refused before long
			families = append(families, []string{n, n, n})
		}
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	mixtures := slices.Clone(singles)
	for range 24 {
		m := make([]string, 2+rnd.IntN(3))
		for i := range m {
			m[i] = names[rnd.IntN(len(names))]
		}
		mixtures = append(mixtures, m)
	}
	p := &enginetest.Pascal{Depth: 12, Slots: 21, Window: 10}
	for _, c := range []struct {
		what     string
		mixtures [][]string
		honest   []string
		taskTime time.Duration
	}{
		{"each window a task", singles, []string{"a", "b"}, 1},
		{"small windows", mixtures, []string{"a", "b"}, time.Second},
		{"three and one", families, []string{"a"}, time.Second},
	} {
		o := engine.Options{AuditFraction: 1, AuditAlone: true, TaskTime: c.taskTime}
		var least time.Duration
		t.Run(c.what, bubble(func(t *testing.T) {
			least = attackedBy(t, 1, p, o, nil, c.honest...).took
		}))
		for i, m := range c.mixtures {
			if testing.Short() && i%30 != 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%q", c.what, m), beside(func(t *testing.T) {
				x := make(map[string]*hostile.Behaviour)
				for i, n := range m {
					x[fmt.Sprintf("x%d", i)] = hostile.Behaviours[n]
				}
				r := attackedBy(t, uint64(i), p, o, x, c.honest...)
				t.Logf("delayed by %v", r.took-least)
				if d := r.took - least; d > maxDelay*time.Duration(len(m)) {
					t.Errorf("the run took %v longer than without attackers", d)
				}
			}))
		}
	}
}
