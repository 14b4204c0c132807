package counting

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/peg/pegtest"
	"pagoda/internal/puzzle/uint128"
)

// TestTurned picks counts of stretches, turned in both ways and left where they are, and finds those that are not zero,
// each with its pattern.
func TestTurned(t *testing.T) {
	ways := map[bool]int{}
	bothWays := func() bool { return ways[true] > 0 && ways[false] > 0 }
	pegtest.CheckUntil(t, bothWays, func(t *rapid.T) {
		type pair struct {
			count   uint128.Uint128
			pattern uint32
		}
		n := rapid.IntRange(1, 40).Draw(t, "addresses")
		stretches := rapid.IntRange(1, 40).Draw(t, "stretches")
		counts := newCounts(uint64(n*stretches), rapid.SampledFrom([]width{bits32, bits64}).Draw(t, "width"))
		most := uint64(1)<<rapid.SampledFrom([]int{1, 32}).Draw(t, "bits") - 1
		for i := range n * stretches {
			if rapid.Bool().Draw(t, "row") {
				counts.Set(uint64(i), uint128.From(rapid.Uint64Range(0, most).Draw(t, "count")))
			}
		}
		order := make([]uint64, stretches) // in which the stretches are turned
		for k := range order {
			order[k] = uint64(k * n)
		}
		order = rapid.Permutation(order).Draw(t, "order")
		addresses := make([]uint16, n)
		for i := range addresses {
			addresses[i] = uint16(i)
		}
		patterns := rapid.SliceOfN(rapid.Uint32(), n, n)
		lows := patterns.Draw(t, "lows")
		changes := rapid.SliceOfN(rapid.Uint32(), stretches, stretches).Draw(t, "changes")

		var turned Turned
		if rapid.Bool().Draw(t, "left") {
			turned.Leave(&counts, order)
		} else {
			addresses = rapid.Permutation(addresses).Draw(t, "addresses in order")
			turned.Turn(&counts, order, addresses, rapid.IntRange(1, n).Draw(t, "picked"))
			ways[turned.firsts == nil]++
		}
		var picked Picked
		for i := 0; i < n; {
			j := rapid.IntRange(i+1, n).Draw(t, "end")
			var want, got []pair
			for a := i; a < j; a++ {
				for k, first := range order {
					if c := counts.At(first + uint64(addresses[a])); !c.IsZero() {
						want = append(want, pair{c, lows[a] ^ changes[k]})
					}
				}
			}
			c, patterns := picked.Pick(&turned, i, j, lows, changes)
			for x, pattern := range patterns {
				got = append(got, pair{c.At(uint64(x)), pattern})
			}
			for _, list := range [][]pair{want, got} {
				slices.SortFunc(list, func(a, b pair) int {
					return slices.Compare([]uint64{a.count.Lo, uint64(a.pattern)}, []uint64{b.count.Lo, uint64(b.pattern)})
				})
			}
			if !slices.Equal(got, want) {
				t.Fatalf("addresses %d to %d: %v, want %v", i, j, got, want)
			}
			i = j
		}
	})
}
