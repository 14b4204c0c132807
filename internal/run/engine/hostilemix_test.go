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
	"pagoda/internal/run/engine/enginetest/hostile"
)

var (
	mixSeed    = flag.Uint64("seed", 0, "of TestHostileMix, as a failure has printed it; 0 draws one")
	mixtures   = flag.Int("mixtures", 100, "how many runs TestHostileMix carries out")
	mixAttacks = flag.String("attacks", "", "what the worker of TestHostileMix does, with ; between; none draws four")
)

// TestHostileMix has a worker do several things that it should not, at random, beside two honest ones.
func TestHostileMix(t *testing.T) {
	names := slices.Sorted(maps.Keys(hostile.Behaviours))
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
			var list []*hostile.Behaviour
			for _, c := range chosen {
				list = append(list, hostile.Behaviours[c])
			}
			attacked(t, rnd.Uint64(), &enginetest.Pascal{Depth: 4, Slots: 101, Window: 40}, hostile.Mix(rnd, list...), "a", "b")
		}))
	}
}
