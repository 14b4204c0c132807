package counting

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// someCounts draws counts, many of them zero, that add up below 2^64 with any number of jumps.
func someCounts(most int) *rapid.Generator[[]uint64] {
	return rapid.SliceOfN(rapid.OneOf(rapid.Just(uint64(0)), rapid.Uint64Range(0, 1<<44)), 1, most)
}

// TestRunSums compares the sums as this machine makes them with the portable way.
func TestRunSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var got, want runSums
		for range rapid.IntRange(1, 4).Draw(t, "runs") {
			counts := someCounts(70).Draw(t, "counts")
			one := rapid.Map(rapid.IntRange(0, 63), func(b int) uint64 { return 1 << b })
			set := rapid.OneOf(rapid.Uint64(), rapid.Just(uint64(0)), one)
			low := rapid.SliceOfN(set, 4*len(counts), 4*len(counts)).Draw(t, "low")
			high := rapid.SliceOfN(set, 4, 4).Draw(t, "high")
			if r, w := got.add(counts, low, high), want.addPortable(counts, low, high); r != w {
				t.Fatalf("%d rows, portable %d", r, w)
			}
		}
		if total(&got.paths) != total(&want.paths) || total(&got.ended) != total(&want.ended) || got.dead != want.dead ||
			slices.Max(got.largest[:]) != slices.Max(want.largest[:]) {
			t.Fatalf("sums %v, portable %v", got, want)
		}
		for k := range got.out {
			if total(&got.out[k]) != total(&want.out[k]) {
				t.Fatalf("class %d: %v, portable %v", k, got.out[k], want.out[k])
			}
		}
	})
}

// TestPack compares the packing as this machine does it with the portable way.
func TestPack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := someCounts(200).Draw(t, "counts")
		words := (len(counts) + 63) / 64
		occupied, want := slices.Repeat([]uint64{^uint64(0)}, words), make([]uint64, words)
		out, wantOut := make([]uint64, len(counts)+7), make([]uint64, len(counts)+7)
		rows := pack(counts, occupied, out)
		if n := packPortable(counts, want, wantOut); rows != n || !slices.Equal(occupied, want) ||
			!slices.Equal(out[:rows], wantOut[:n]) {
			t.Fatalf("packed %v at %x, portable %v at %x", out[:rows], occupied, wantOut[:n], want)
		}
	})
}
