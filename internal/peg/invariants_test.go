package peg_test

import (
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
)

// TestInvariantsComplete compares the span of the basis with all masks of a small board that meet the three holes of
// every jump evenly.
func TestInvariantsComplete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := pegtest.Board(3, 11).Draw(t, "board")
		basis := b.Invariants()
		checkEchelon(t, basis)
		span := map[peg.Position]bool{}
		for choice := range 1 << len(basis) {
			var m peg.Position
			for i, v := range basis {
				if choice>>i&1 != 0 {
					m ^= v
				}
			}
			span[m] = true
		}
		for m := peg.Position(0); m <= b.Full(); m++ {
			even := true
			for _, j := range b.Jumps {
				even = even && (m&j.Mask()).Pegs()%2 == 0
			}
			if even != span[m] {
				t.Fatalf("mask %s: invariant %v, in the span %v", peg.Hex(m), even, span[m])
			}
		}
	})
}

func checkEchelon(t rapid.TB, basis []peg.Position) {
	t.Helper()
	last := -1
	for i, v := range basis {
		pivot := bits.TrailingZeros64(uint64(v))
		if pivot <= last {
			t.Fatalf("basis %x: pivots do not ascend", basis)
		}
		last = pivot
		for k, u := range basis {
			if k != i && u.Has(pivot) {
				t.Fatalf("basis %x is not reduced", basis)
			}
		}
	}
}

// TestInvariantsAreConstant plays random games on named and random boards.
func TestInvariantsAreConstant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.OneOf(
			pegtest.Board(3, 64),
			rapid.Map(rapid.SampledFrom(peg.Names()), func(n string) *peg.Board { b, _ := peg.Named(n); return b }),
		).Draw(t, "board")
		basis := b.Invariants()
		checkEchelon(t, basis)
		path := pegtest.Play(t, b, pegtest.Start(b).Draw(t, "start"), 30)
		for _, p := range path {
			if got, want := peg.Parities(basis, p), peg.Parities(basis, path[0]); got != want {
				t.Fatalf("parities %b at %s, %b at the start", got, peg.Hex(p), want)
			}
		}
	})
}
