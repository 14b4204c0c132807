package mousetrap

import (
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/puzzle/puzzletest"
)

// TestKernels compares the ways to take sets of arrangements with a bit-by-bit one.
func TestKernels(t *testing.T) {
	puzzletest.EachVector(t, &setsBy, func(t *testing.T) { rapid.Check(t, checkKernels) })
}

func checkKernels(t *rapid.T) {
	words := vectorWords * rapid.IntRange(1, 13).Draw(t, "vectors")
	word := rapid.OneOf(rapid.Uint64(), rapid.SampledFrom([]uint64{0, 0, 1, 1 << 63, ^uint64(0)}))
	draw := func(n int, name string) []uint64 { return rapid.SliceOfN(word, n, n).Draw(t, name) }
	src, table := draw(words, "src"), draw(5*words, "table")
	var sets []int32
	for range rapid.IntRange(0, 6).Draw(t, "sets") {
		sets = append(sets, int32(words*rapid.IntRange(0, 4).Draw(t, "set")))
	}
	want, count := slices.Clone(src), 0
	for i := range want {
		for _, s := range sets {
			want[i] &= table[int(s)+i]
		}
		count += bits.OnesCount64(want[i])
	}
	dst := draw(words, "dst")
	if some := intersect(dst, src, table, sets); !slices.Equal(dst, want) || some != (count > 0) {
		t.Fatalf("%x, %v; want %x", dst, some, want)
	}
	if got := countIntersection(src, table, sets); got != uint64(count) {
		t.Fatalf("count %d, want %d", got, count)
	}
}

func TestPermanents(t *testing.T) {
	var p permanents
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 6).Draw(t, "n")
		forbidden := rapid.SliceOfN(rapid.Uint32Range(0, 1<<n-1), n, n).Draw(t, "forbidden")
		want := uint64(0)
		permutations(n, func(order []int) {
			for i, v := range order {
				if forbidden[i]>>(v-1)&1 != 0 {
					return
				}
			}
			want++
		})
		if got := p.of(forbidden); got != want {
			t.Fatalf("%b: %d, want %d", forbidden, got, want)
		}
	})
}

func TestScatteredVisitsEverySet(t *testing.T) {
	for n := 1; n <= 12; n++ {
		for k := 0; k <= n; k++ {
			seen := map[uint32]bool{}
			last := -1
			for a := range binomial(n, k) {
				set := scattered(n, k, a)
				if seen[set] || bits.OnesCount32(set) != k || set>>n != 0 {
					t.Fatalf("%d of %d: address %d has %b", k, n, a, set)
				}
				seen[set] = true
				if ordered := int(subset(n, k, a)); ordered <= last {
					t.Fatalf("%d of %d: rank %d has %b after %b", k, n, a, ordered, last)
				} else {
					last = ordered
				}
			}
		}
	}
	if binomial(24, 12) != 2704156 {
		t.Errorf("24 over 12 is %d", binomial(24, 12))
	}
}
