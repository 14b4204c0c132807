package peg_test

import (
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
)

// TestOrbits compares with the plain way, under all symmetries of a board and under those that fix a position.
func TestOrbits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.OneOf(
			pegtest.SymmetricBoard(24),
			pegtest.Board(3, 20),
			rapid.Map(rapid.SampledFrom(peg.Names()), func(n string) *peg.Board { b, _ := peg.Named(n); return b }),
		).Draw(t, "board")
		group := b.Symmetries()
		if rapid.Bool().Draw(t, "stabiliser") {
			group = peg.Stabiliser(group, pegtest.Position(b).Draw(t, "fixed"))
		}
		o := peg.NewOrbits(group)
		for range 4 {
			p := pegtest.Position(b).Draw(t, "position")
			want, fixed := peg.Canonical(group, p)
			if o.Least(p) != want {
				t.Fatalf("%s: the least image of %s is %s, want %s", b.Name, b.Hex(p), b.Hex(o.Least(p)), b.Hex(want))
			}
			if n := o.Size(p); n != len(group)/fixed {
				t.Fatalf("%s: the class of %s has %d positions, want %d", b.Name, b.Hex(p), n, len(group)/fixed)
			}
			if least, g := o.LeastBy(p); least != want || group[g].Apply(p) != want {
				t.Fatalf("%s: symmetry %d does not take %s to %s", b.Name, g, b.Hex(p), b.Hex(want))
			}
		}
	})
}

func BenchmarkOrbits(b *testing.B) {
	english, err := peg.Named("english")
	if err != nil {
		b.Fatal(err)
	}
	o := peg.NewOrbits(english.Symmetries())
	p := peg.Position(0x123456789)
	for b.Loop() {
		p = o.Least(p) ^ p<<1&english.Full()
	}
}
