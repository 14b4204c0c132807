package tiles

// A symmetry maps cells to cells: cell i of the image shows the colour of cell perm[i] of the grid.
type symmetry []uint8

// symmetries lists the symmetries of the grid, the identity first: eight for squares, four for other rectangles.
func (s Shape) symmetries() []symmetry {
	m, n := s.Rows, s.Cols
	from := []func(r, c int) (int, int){
		func(r, c int) (int, int) { return r, c },
		func(r, c int) (int, int) { return r, n - 1 - c },
		func(r, c int) (int, int) { return m - 1 - r, c },
		func(r, c int) (int, int) { return m - 1 - r, n - 1 - c },
	}
	if m == n {
		from = append(from,
			func(r, c int) (int, int) { return c, r },
			func(r, c int) (int, int) { return c, n - 1 - r },
			func(r, c int) (int, int) { return n - 1 - c, r },
			func(r, c int) (int, int) { return n - 1 - c, n - 1 - r },
		)
	}
	out := make([]symmetry, len(from))
	for k, f := range from {
		out[k] = make(symmetry, s.Cells())
		for i := range out[k] {
			r, c := f(i/n, i%n)
			out[k][i] = uint8(s.at(r, c))
		}
	}
	return out
}

// compare compares the image of g under p, colours renamed in order of appearance, with g: -1 when the image comes
// first. It looks no further than the first difference, which mostly comes within the first two rows.
func (p symmetry) compare(g *cells) int {
	var names renaming
	for i, j := range p {
		if v := names.of(g[j&(maxCells-1)]); v != g[i&(maxCells-1)] {
			if v < g[i&(maxCells-1)] {
				return -1
			}
			return 1
		}
	}
	return 0
}

// image returns the image of g under p, colours renamed in order of appearance.
func (p symmetry) image(g *cells) (h cells) {
	var names renaming
	for i, j := range p {
		h[i] = names.of(g[j])
	}
	return h
}

// canonical reports whether g, whose colours appear in order, is the first of its images, and how many of the
// symmetries leave it unchanged up to colours.
func canonical(syms []symmetry, g *cells) (stabiliser int, ok bool) {
	for _, p := range syms {
		switch p.compare(g) {
		case -1:
			return 0, false
		case 0:
			stabiliser++
		}
	}
	return stabiliser, true
}

// canonicalForm returns the first of the images of g, which may be coloured in any order.
func canonicalForm(syms []symmetry, g *cells) cells {
	best := syms[0].image(g)
	for _, p := range syms[1:] {
		if h := p.image(g); less(&h, &best) {
			best = h
		}
	}
	return best
}

func less(a, b *cells) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}
