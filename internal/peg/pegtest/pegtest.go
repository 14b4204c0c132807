// Package pegtest draws random boards, positions and problems for property tests.
package pegtest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"pagoda/internal/peg"
)

// Board draws boards as [Plain] does; one in four has a rule of its own.
func Board(least, most int) *rapid.Generator[*peg.Board] {
	return rapid.Custom(func(t *rapid.T) *peg.Board {
		b := Plain(least, most).Draw(t, "plain")
		if rapid.IntRange(0, 3).Draw(t, "rule") == 0 {
			return ruled(t, b)
		}
		return b
	})
}

// Plain draws connected boards of least to most holes (at least 3), on both lattices, with at least one jump. It grows
// three holes in line by random neighbours, so small boards of any shape turn up, with and without symmetries.
func Plain(least, most int) *rapid.Generator[*peg.Board] {
	return rapid.Custom(func(t *rapid.T) *peg.Board {
		l := rapid.SampledFrom([]peg.Lattice{peg.Square, peg.Triangular}).Draw(t, "lattice")
		steps := []peg.Hole{{Row: 0, Col: 1}, {Row: 1, Col: 0}, {Row: 0, Col: -1}, {Row: -1, Col: 0}}
		if l == peg.Triangular {
			steps = append(steps, peg.Hole{Row: 1, Col: 1}, peg.Hole{Row: -1, Col: -1})
		}
		holes := []peg.Hole{{Row: 0, Col: 0}, {Row: 0, Col: 1}, {Row: 0, Col: 2}}
		in := map[peg.Hole]bool{holes[0]: true, holes[1]: true, holes[2]: true}
		for n := rapid.IntRange(least, most).Draw(t, "holes"); len(holes) < n; {
			from := holes[rapid.IntRange(0, len(holes)-1).Draw(t, "from")]
			step := rapid.SampledFrom(steps).Draw(t, "step")
			// Walk on to the first free place, so that every draw adds a hole.
			h := from
			for in[h] {
				h = peg.Hole{Row: h.Row + step.Row, Col: h.Col + step.Col}
			}
			holes, in[h] = append(holes, h), true
		}
		b, err := peg.Draw("drawn", l, drawing(l, holes))
		if err != nil {
			t.Fatalf("a random board was refused: %v", err)
		}
		return b
	})
}

// Apart draws boards of 3 to most holes of the square lattice, no two of which are neighbours in a row. Their rule is
// mostly one that leaves the lattice its jumps, so that it is none.
func Apart(most int) *rapid.Generator[*peg.Board] {
	return rapid.Custom(func(t *rapid.T) *peg.Board {
		holes := Plain(3, most).Filter(func(b *peg.Board) bool { return b.Lattice == peg.Square }).Draw(t, "near").Holes
		holes = slices.Clone(holes)
		gap := rapid.IntRange(2, 3).Draw(t, "gap")
		for i, h := range holes {
			holes[i] = peg.Hole{Row: h.Col, Col: gap * h.Row} // its three holes in line are in a column then
		}
		rules := []string{"0,1 1,0", "1,0", ">0,1 1,0", peg.Diagonal, "1,0 0,2", ">1,0 0,3"}
		line := strings.ReplaceAll(drawing(peg.Square, holes), " ", "-")
		b, err := peg.DrawRule("drawn", peg.Square, line, rapid.SampledFrom(rules).Draw(t, "rule"))
		if err == nil && rapid.Bool().Draw(t, "triplets") {
			var words []string
			for _, j := range b.Jumps {
				words = append(words, b.HoleName(int(j.From))+">"+b.HoleName(int(j.Over))+">"+b.HoleName(int(j.To)))
			}
			b, err = b.WithRule(strings.Join(words, " "))
		}
		if err != nil {
			t.Fatalf("a random board was refused: %v", err)
		}
		return b
	})
}

// ruled gives b a random rule: vectors, diagonals among them, or triplets, some of one direction alone. Its first jump
// is possible.
func ruled(t *rapid.T, b *peg.Board) *peg.Board {
	one := func() string { return rapid.SampledFrom([]string{"", ">"}).Draw(t, "one way") }
	var words []string
	if rapid.Bool().Draw(t, "vectors") {
		words = append(words, one()+rapid.SampledFrom([]string{"0,1", "0,1 1,0 1,1 1,-1"}).Draw(t, "first"))
		for range rapid.IntRange(0, 3).Draw(t, "more") {
			row, col := rapid.IntRange(-2, 2).Draw(t, "rows"), rapid.IntRange(1, 2).Draw(t, "columns")
			words = append(words, fmt.Sprintf("%s%d,%d", one(), row, col))
		}
	} else {
		name := func(hole int) string { return b.HoleName(hole) }
		ends := map[[2]int]bool{}
		for range rapid.IntRange(1, 3*b.Size()).Draw(t, "triplets") {
			h := func() int { return rapid.IntRange(0, b.Size()-1).Draw(t, "hole") }
			from, over, to := h(), h(), h()
			if from == over || over == to || from == to || ends[[2]int{from, to}] {
				continue
			}
			ends[[2]int{from, to}], ends[[2]int{to, from}] = true, true
			sign := cmp.Or(one(), "-")
			words = append(words, name(from)+sign+name(over)+sign+name(to))
		}
		if words == nil {
			words = append(words, name(0)+"-"+name(1)+"-"+name(2))
		}
	}
	r, err := b.WithRule(strings.Join(words, " "))
	if err != nil {
		t.Fatalf("a random rule was refused: %v", err)
	}
	return r
}

// drawing draws holes as peg.Draw reads them: places of the square lattice, pictures of the triangular one.
func drawing(l peg.Lattice, holes []peg.Hole) string {
	picture := map[peg.Hole]bool{} // by line and column of the text
	var low, high peg.Hole
	for _, h := range holes {
		if l == peg.Triangular {
			h.Col = 2*h.Col - h.Row
		}
		picture[h] = true
		low = peg.Hole{Row: min(low.Row, h.Row), Col: min(low.Col, h.Col)}
		high = peg.Hole{Row: max(high.Row, h.Row), Col: max(high.Col, h.Col)}
	}
	var s strings.Builder
	for row := low.Row; row <= high.Row; row++ {
		for col := low.Col; col <= high.Col; col++ {
			if picture[peg.Hole{Row: row, Col: col}] {
				s.WriteByte('.')
			} else {
				s.WriteByte(' ')
			}
		}
		s.WriteByte('\n')
	}
	return s.String()
}

// Position draws any position of b, all numbers of pegs being about equally likely.
func Position(b *peg.Board) *rapid.Generator[peg.Position] {
	return rapid.Custom(func(t *rapid.T) peg.Position {
		holes := make([]int, b.Size())
		for i := range holes {
			holes[i] = i
		}
		holes = rapid.Permutation(holes).Draw(t, "order")
		var p peg.Position
		for _, i := range holes[:rapid.IntRange(0, b.Size()).Draw(t, "pegs")] {
			p |= 1 << i
		}
		return p
	})
}

// Start draws a position of b on which a jump is legal: mostly the full board without one peg, as players start.
func Start(b *peg.Board) *rapid.Generator[peg.Position] {
	return rapid.Custom(func(t *rapid.T) peg.Position {
		j := rapid.SampledFrom(b.Jumps).Draw(t, "first jump")
		if rapid.IntRange(0, 3).Draw(t, "sparse") > 0 {
			return b.Complement(1 << j.To)
		}
		return Position(b).Draw(t, "position")&^j.Mask() | j.Need()
	})
}

// Play plays up to most random jumps from p and returns the positions it passes, p first.
func Play(t *rapid.T, b *peg.Board, p peg.Position, most int) []peg.Position {
	path := []peg.Position{p}
	for n := rapid.IntRange(0, most).Draw(t, "jumps"); n > 0; n-- {
		var legal []peg.Jump
		b.Moves(p, func(j peg.Jump) { legal = append(legal, j) })
		if len(legal) == 0 {
			break
		}
		p = rapid.SampledFrom(legal).Draw(t, "jump").Play(p)
		path = append(path, p)
	}
	return path
}
