package peg

import "slices"

// A Perm moves the holes of a board: the image of hole i is hole Perm[i].
type Perm []uint8

// Apply moves the pegs of p.
func (g Perm) Apply(p Position) Position {
	var q Position
	for i, to := range g {
		q |= p >> uint(i) & 1 << to
	}
	return q
}

// Inverse returns the permutation that undoes g.
func (g Perm) Inverse() Perm {
	inv := make(Perm, len(g))
	for i, to := range g {
		inv[to] = uint8(i)
	}
	return inv
}

// Compose returns the permutation that does h first and g after it: g.Compose(h).Apply(p) == g.Apply(h.Apply(p)).
func (g Perm) Compose(h Perm) Perm {
	c := make(Perm, len(g))
	for i, to := range h {
		c[i] = g[to]
	}
	return c
}

// Jump returns the image of j.
func (g Perm) Jump(j Jump) Jump {
	return Jump{uint16(g[j.From]), uint16(g[j.Over]), uint16(g[j.To])}
}

// Symmetries returns every way in which an isometry of the lattice maps the board to itself, holes and jumps, as
// permutations of the holes: a group, each element once, in lexicographic order, so that the identity comes first.
//
// A lattice isometry is a linear one followed by a translation, and only one translation can bring the image's bounding
// box back to where it was: so there are at most 8 on the square lattice and 12 on the triangular one.
func (b *Board) Symmetries() []Perm {
	var group []Perm
	for _, m := range b.maps() {
		g := make(Perm, len(m))
		for i, to := range m {
			g[i] = uint8(to)
		}
		group = append(group, g)
	}
	return group
}

// Turns is the number of symmetries; see [Board.Symmetries].
func (b *Layout) Turns() int { return len(b.maps()) }

// maps is the symmetries: for each the images of the holes.
func (b *Layout) maps() [][]uint16 {
	var group [][]uint16
	for _, image := range b.Lattice.linear() {
		moved := make([]Hole, len(b.Holes))
		for i, h := range b.Holes {
			moved[i] = image(h)
		}
		g := make([]uint16, len(b.Holes))
		inside := true
		for i, h := range normalise(moved) {
			to, ok := b.number[h]
			g[i], inside = uint16(to), inside && ok
		}
		if inside && (b.Rule == "" || b.keepsJumps(g)) {
			group = append(group, g)
		}
	}
	slices.SortFunc(group, slices.Compare)
	// On a board that lies on one line, different isometries are the same permutation.
	return slices.CompactFunc(group, slices.Equal)
}

// keepsJumps reports whether the images of all jumps are jumps.
func (b *Layout) keepsJumps(g []uint16) bool {
	images := make([]Jump, len(b.Jumps))
	for i, j := range b.Jumps {
		images[i] = Jump{g[j.From], g[j.Over], g[j.To]}
	}
	return slices.Equal(sorted(images), b.Jumps)
}

// Stabiliser returns the elements of group that fix p, in the order of group. It is a group when group is.
func Stabiliser(group []Perm, p Position) []Perm {
	var fix []Perm
	for _, g := range group {
		if g.Apply(p) == p {
			fix = append(fix, g)
		}
	}
	return fix
}

// Canonical returns the smallest image of p under group, and in how many group elements p is its own image; the orbit
// has len(group)/fixed positions. It is the plain way, for checks and for single positions.
func Canonical(group []Perm, p Position) (least Position, fixed int) {
	least = p
	for _, g := range group {
		q := g.Apply(p)
		least = min(least, q)
		if q == p {
			fixed++
		}
	}
	return least, fixed
}

// linear returns the isometries of the lattice that fix the origin, as powers of one rotation, each with and without a
// reflection.
func (l Lattice) linear() []func(Hole) Hole {
	// On the square lattice (row, col) turns to (col, -row). On the triangular one a turn by 60 degrees takes the steps
	// (0,1), (1,1), (1,0) round in that order, that is (row, col) to (col, col-row); in cube coordinates (col, -row,
	// row-col), whose sum is 0, the coordinates rotate and change sign. Swapping row and col reflects both lattices.
	turn, order := func(h Hole) Hole { return Hole{h.Col, -h.Row} }, 4
	if l == Triangular {
		turn, order = func(h Hole) Hole { return Hole{h.Col, h.Col - h.Row} }, 6
	}
	var all []func(Hole) Hole
	for n := range order {
		rotate := func(h Hole) Hole {
			for range n {
				h = turn(h)
			}
			return h
		}
		all = append(all, rotate, func(h Hole) Hole { return rotate(Hole{h.Col, h.Row}) })
	}
	return all
}
