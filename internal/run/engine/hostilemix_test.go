//go:build hostile

package engine_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/protocol"
)

var (
	mixSeed    = flag.Uint64("seed", 0, "of TestHostileMix, as a failure has printed it; 0 draws one")
	mixtures   = flag.Int("mixtures", 100, "how many runs TestHostileMix carries out")
	mixAttacks = flag.String("attacks", "", "what the worker of TestHostileMix does, with ; between; none draws four")
)

// TestHostileMix has a worker do several things that it should not, at random, beside two honest ones.
func TestHostileMix(t *testing.T) {
	names := slices.Sorted(maps.Keys(attacks))
	for i := range *mixtures {
		seed := *mixSeed
		if seed == 0 || i > 0 {
			seed = rand.Uint64()
		}
		t.Run(fmt.Sprintf("%#x", seed), bubble(func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			chosen := strings.Split(*mixAttacks, ";")
			if *mixAttacks == "" {
				chosen = make([]string, 4)
				for j := range chosen {
					chosen[j] = names[rnd.IntN(len(names))]
				}
			}
			t.Logf("attacks: %q", chosen)
			attacked(t, rnd.Uint64(), &enginetest.Pascal{Depth: 4, Slots: 101, Window: 40}, mixed(rnd, chosen), "a", "b")
		}))
	}
}

// mixed does one of some attacks with each report, and all of the rest.
func mixed(rnd *rand.Rand, names []string) *hostile {
	x := &hostile{}
	var choices []*hostile
	for _, n := range names {
		a := attacks[n]
		choices = append(choices, a)
		if a.computes != nil && x.computes == nil {
			x.computes = a.computes
		}
		if a.beats != nil {
			x.beats = a.beats
		}
		if a.joins != nil {
			x.joins = a.joins
		}
		if a.serves != nil {
			x.serves = a.serves
		}
		if a.floods != nil {
			x.floods = a.floods
		}
	}
	x.reports = func(at *attacker, r protocol.Report) []protocol.Report {
		at.mu.Lock()
		c := choices[rnd.IntN(len(choices))]
		at.mu.Unlock()
		if c.reports == nil {
			return []protocol.Report{r}
		}
		return c.reports(at, r)
	}
	return x
}
