package partition

import (
	"testing"

	"pagoda/internal/peg"
)

func TestAddressesEqualsLayout(t *testing.T) {
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
					if i%7 == 0 && s.Addresses(v) != s.Layout(v).Addresses() {
						t.Fatalf("%s without %d, layer %d, cell %s: %d addresses counted, layout has %d",
							name, vacancy, n, v.Key(), s.Addresses(v), s.Layout(v).Addresses())
					}
				}
			}
		}
	}
}

func TestStretchFinderEqualsLayout(t *testing.T) {
	for _, name := range []string{"english", "triangle6", "hexagon37", "wiegleb"} {
		b, err := peg.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		start := b.Full() &^ (1 << (b.Size() / 2))
		s, err := NewSpace(b, peg.Stabiliser(b.Symmetries(), start), start)
		if err != nil {
			t.Fatal(err)
		}
		layers := s.Lattice()
		layer := layers[min(8, len(layers)-1)]
		v := layer[len(layer)/2]
		l, find := s.Layout(v), s.stretchFinder(v)
		for i := range uint64(1000) {
			address := l.Addresses() * i / 1000
			first, end := find(address)
			first2, end2 := l.stretchAt(address)
			if first != first2 || end != end2 {
				t.Fatalf(
					"%s, cell %s, address %d: stretch %d..%d, layout has %d..%d",
					name,
					v.Key(),
					address,
					first,
					end,
					first2,
					end2,
				)
			}
		}
	}
}
