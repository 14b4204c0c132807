package partition

import (
	"testing"

	"pagoda/internal/peg"
)

func TestSlotsEqualsLayout(t *testing.T) {
	for _, name := range []string{"english", "french", "triangle6", "hexagon19"} {
		b, err := peg.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, vacancy := range []int{0, b.Size() / 2} {
			start := b.Full() &^ (1 << vacancy)
			s, err := NewSpace(b, peg.Stabiliser(b.Symmetries(), start), start)
			if err != nil {
				t.Fatal(err)
			}
			for n, layer := range s.Lattice() {
				for i, v := range layer {
					if i%7 == 0 && s.Slots(v) != s.Layout(v).Slots() {
						t.Fatalf("%s without %d, layer %d, cell %s: %d slots counted, layout has %d",
							name, vacancy, n, v.Key(), s.Slots(v), s.Layout(v).Slots())
					}
				}
			}
		}
	}
}
