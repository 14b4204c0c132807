package counting

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/puzzle/puzzletest"
)

// someCounts draws counts of one word, many of them zero. Sums of them may pass 2^64: every way forgets the same then.
func someCounts(most int) *rapid.Generator[Counts] {
	return rapid.Custom(func(t *rapid.T) Counts {
		short := rapid.Bool().Draw(t, "short")
		largest := uint64(math.MaxUint64)
		if short {
			largest = math.MaxUint32
		}
		list := rapid.SliceOfN(rapid.OneOf(rapid.Just(uint64(0)), rapid.Uint64Range(0, largest)), 1, most).Draw(t, "list")
		if short {
			return as[uint32](list)
		}
		return as[uint64](list)
	})
}

// packedPortable is pack in Go; summedPortable is stretchSums.add.
func packedPortable(c *Counts, occupied, out []uint64) (rows int) {
	if c.short != nil {
		return packPortable(c.short, occupied, out)
	}
	return packPortable(c.lo, occupied, out)
}

func summedPortable(s *stretchSums, c *Counts, low *lowSets, high []uint64) (rows int) {
	if c.short != nil {
		return addPortable(s, c.short, low, high)
	}
	return addPortable(s, c.lo, low, high)
}

// byVectors checks a property at every level of this machine.
func byVectors(t *testing.T, check func(*rapid.T)) {
	puzzletest.EachVector(t, &sumsBy, func(t *testing.T) { rapid.Check(t, check) })
}

// TestStretchSums compares the sums with those of the portable way.
func TestStretchSums(t *testing.T) {
	byVectors(t, func(t *rapid.T) {
		var got, want stretchSums
		for range rapid.IntRange(1, 4).Draw(t, "stretches") {
			c := someCounts(70).Draw(t, "counts")
			addresses := len(c.short) + len(c.lo)
			one := rapid.Map(rapid.IntRange(0, 63), func(b int) uint64 { return 1 << b })
			set := rapid.OneOf(rapid.Uint64(), rapid.Just(uint64(0)), one)
			low := newLowSets(addresses, 4, rapid.Bool().Draw(t, "narrow"))
			for i, jumps := range rapid.SliceOfN(set, 4*addresses, 4*addresses).Draw(t, "low") {
				low.set(i/addresses, i%addresses, jumps)
			}
			high := rapid.SliceOfN(set, 4, 4).Draw(t, "high")
			if r, w := got.add(&c, &low, high), summedPortable(&want, &c, &low, high); r != w {
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

// TestPack compares the packing with the portable way.
func TestPack(t *testing.T) {
	byVectors(t, func(t *rapid.T) {
		c := someCounts(200).Draw(t, "counts")
		addresses := len(c.short) + len(c.lo)
		words := (addresses + 63) / 64
		occupied, want := slices.Repeat([]uint64{^uint64(0)}, words), make([]uint64, words)
		out, wantOut := make([]uint64, addresses+7), make([]uint64, addresses+7)
		rows := pack(&c, occupied, out)
		if n := packedPortable(&c, want, wantOut); rows != n || !slices.Equal(occupied, want) ||
			!slices.Equal(out[:rows], wantOut[:n]) {
			t.Fatalf("packed %v at %x, portable %v at %x", out[:rows], occupied, wantOut[:n], want)
		}
	})
}
