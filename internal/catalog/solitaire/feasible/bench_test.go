package feasible_test

import (
	"context"
	"testing"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
)

func BenchmarkCriteria(b *testing.B) {
	for _, name := range []string{"english", "wiegleb", "square7", "triangle10", "hexagon61"} {
		board := pegtest.Named(b, name)
		f := feasible.New(board)
		p := peg.Problem{Board: board, Start: board.Complement(1 << 4), Goal: 1 << 4}
		b.Run(name+"/new", func(b *testing.B) {
			for b.Loop() {
				feasible.New(board)
			}
		})
		b.Run(name+"/lattice member", func(b *testing.B) {
			for b.Loop() {
				f.LatticeMember(p)
			}
		})
		for _, c := range []string{feasible.Lattice, feasible.Cone, feasible.ClassWalk, feasible.IntegerCone} {
			b.Run(name+"/"+c, func(b *testing.B) {
				for b.Loop() {
					f.Apply(context.Background(), c, p, feasible.Limits{})
				}
			})
		}
	}
}
