package tiles

// A walk visits the grids of a shape in rank order, colours in order of appearance.
type walk struct {
	shape Shape
	grid  cells
	used  [maxCells + 1]uint8 // used[i]: colours that have appeared in the first i cells
}

// newWalk starts at g.
func newWalk(s Shape, g cells) *walk {
	w := &walk{shape: s, grid: g}
	for i := range s.Cells() {
		w.used[i+1] = max(w.used[i], g[i]+1)
	}
	return w
}

// next moves to the grid of the next rank; false at the end.
func (w *walk) next() bool {
	for i := w.shape.Cells() - 1; i >= 0; i-- {
		if !w.raise(i, w.grid[i]+1) {
			continue
		}
		// A cell sees at most four earlier ones, so with five colours the rest can always be filled.
		for i++; i < w.shape.Cells(); i++ {
			w.raise(i, 0)
		}
		return true
	}
	return false
}

// raise gives cell i the first possible colour from v on.
func (w *walk) raise(i int, v uint8) bool {
	n, col := w.shape.Cols, i%w.shape.Cols
	var seen uint8
	if col > 0 {
		seen = 1 << w.grid[i-1]
	}
	if i >= n {
		seen |= 1 << w.grid[i-n]
		if col > 0 {
			seen |= 1 << w.grid[i-n-1]
		}
		if col < n-1 {
			seen |= 1 << w.grid[i-n+1]
		}
	}
	for ; v <= w.used[i] && int(v) < w.shape.Colours; v++ {
		if seen>>v&1 == 0 {
			w.grid[i] = v
			w.used[i+1] = max(w.used[i], v+1)
			return true
		}
	}
	return false
}
