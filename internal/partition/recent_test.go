package partition

import (
	"testing"

	"pagoda/internal/peg"
)

// TestLayoutsKept: of small layouts a space keeps two generations, the latest one among them.
func TestLayoutsKept(t *testing.T) {
	b, err := peg.Named("english")
	if err != nil {
		t.Fatal(err)
	}
	start := b.Full() &^ 1
	s, err := NewSpace(b, peg.Stabiliser(b.Symmetries(), start), start)
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	for _, layer := range s.Lattice() {
		for _, v := range layer {
			made++
			if l := s.Layout(v); l != s.Layout(v) {
				t.Fatalf("cell %s: its layout is made twice", v.Key())
			}
		}
	}
	if kept := len(s.layouts.young) + len(s.layouts.old); made < 3*layoutsKept || kept > 2*(layoutsKept+1) {
		t.Errorf("of %d layouts %d are kept", made, kept)
	}
}
