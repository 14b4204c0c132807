package peg

// Distances returns for each hole scale times the square of its distance from the middle of the pegs of p, of which
// there is at least one. It rounds down. On the triangular lattice dr^2 - dr dc + dc^2 is the square of a distance in
// the plane.
func (b *Layout) Distances(p Pegs, scale int) []int {
	var row, col, n int
	for i, h := range b.Holes {
		if p.Has(i) {
			row, col, n = row+h.Row, col+h.Col, n+1
		}
	}
	list := make([]int, b.Size())
	for i, h := range b.Holes {
		dr, dc := h.Row*n-row, h.Col*n-col
		d := dr*dr + dc*dc
		if b.Lattice == Triangular {
			d -= dr * dc
		}
		list[i] = scale * d / (n * n)
	}
	return list
}
