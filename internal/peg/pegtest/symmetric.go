package pegtest

import (
	"pgregory.net/rapid"

	"pagoda/internal/peg"
)

// SymmetricBoard draws boards of at most most holes (at least 12), on both lattices, that have symmetries: a drawn
// board and its images under a reflection, a half turn, or both. [Board] hardly ever draws one.
func SymmetricBoard(most int) *rapid.Generator[*peg.Board] {
	return rapid.Custom(func(t *rapid.T) *peg.Board {
		b := Plain(3, most/4).Draw(t, "part")
		// Twice the centre of the half turn, which leaves no line empty between the board and its image.
		row := rapid.IntRange(0, min(4, 2*b.Holes[b.Size()-1].Row+1)).Draw(t, "centre row")
		col := rapid.IntRange(0, 4).Draw(t, "centre column")
		kind := rapid.IntRange(0, 3).Draw(t, "kind")
		if kind == 2 {
			col = row // for the two to commute
		}
		transpose := func(h peg.Hole) peg.Hole { return peg.Hole{Row: h.Col, Col: h.Row} }
		turn := func(h peg.Hole) peg.Hole { return peg.Hole{Row: row - h.Row, Col: col - h.Col} }
		maps := [][]func(peg.Hole) peg.Hole{{transpose}, {turn}, {transpose, turn}, {transpose}}[kind]
		if kind == 3 && b.Lattice == peg.Square {
			maps = []func(peg.Hole) peg.Hole{func(h peg.Hole) peg.Hole { return peg.Hole{Row: h.Row, Col: col - h.Col} }}
		}
		holes, in := append([]peg.Hole(nil), b.Holes...), map[peg.Hole]bool{}
		for _, h := range holes {
			in[h] = true
		}
		for _, m := range maps {
			for _, h := range holes {
				if image := m(h); !in[image] {
					holes, in[image] = append(holes, image), true
				}
			}
		}
		s, err := peg.Draw("drawn", b.Lattice, drawing(b.Lattice, holes))
		if err != nil {
			t.Fatalf("a random board was refused: %v", err)
		}
		if rapid.IntRange(0, 3).Draw(t, "rule") == 0 {
			rules := []string{"0,1", "1,0 0,2", "1,1 0,1 1,0", "0,1 1,0 1,1 1,-1", ">0,1 >0,-1 1,0 2,2"}
			r, err := s.WithRule(rapid.SampledFrom(rules).Draw(t, "vectors"))
			if err == nil { // else no jump is left
				return r
			}
		}
		return s
	})
}

// SymmetricStart draws a start that symmetries of b fix, all of them or at least the powers of one: mostly the full
// board without an orbit of holes, else any union of orbits. Not all have a legal jump.
func SymmetricStart(b *peg.Board) *rapid.Generator[peg.Position] {
	return rapid.Custom(func(t *rapid.T) peg.Position {
		group := b.Symmetries()
		if rapid.Bool().Draw(t, "one symmetry") {
			group = []peg.Perm{rapid.SampledFrom(group).Draw(t, "symmetry")}
		}
		orbit := func(p peg.Position) peg.Position {
			for {
				q := p
				for _, g := range group {
					q |= g.Apply(q)
				}
				if q == p {
					return p
				}
				p = q
			}
		}
		if rapid.IntRange(0, 3).Draw(t, "sparse") > 0 {
			j := rapid.SampledFrom(b.Jumps).Draw(t, "first jump")
			return b.Complement(orbit(1 << j.To))
		}
		return orbit(Position(b).Draw(t, "position") & Position(b).Draw(t, "and"))
	})
}
