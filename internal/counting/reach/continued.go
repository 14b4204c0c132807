package reach

import (
	"maps"

	"pagoda/internal/partition"
)

// confine leaves of two enumerations the vectors that a game of so many jumps can go through: those of near whose
// complements far has, and these complements.
func confine(near, far *enumeration, jumps int) {
	through := func(w, other *enumeration) map[partition.Vector]int {
		cells := maps.Clone(w.cells)
		maps.DeleteFunc(cells, func(v partition.Vector, n int) bool {
			u, _ := other.canonical(w.complement(v))
			layer, ok := other.cells[u]
			return !ok || layer != jumps-n
		})
		return cells
	}
	near.cells, far.cells = through(near, far), through(far, near)
	for _, w := range []*enumeration{near, far} {
		for n, list := range w.layers {
			var left []partition.Vector
			for _, v := range list {
				if _, ok := w.cells[v]; ok {
					left = append(left, v)
				}
			}
			w.layers[n] = left
		}
		w.layers = w.layers[:min(len(w.layers), jumps+1)]
	}
}

// continued returns the enumeration that goes on from layer first on, and has only the positions whose complements far
// has after the other jumps.
func (w *enumeration) continued(name string, first int, far *enumeration, jumps int) *enumeration {
	c := emptyEnumeration(w.scheme, w.windowAddresses, name, []string{sumPositions, sumSymmetries})
	c.bundles.words = w.bundles.words
	c.before, c.first, c.far, c.jumps = w, first, far, jumps
	for n, list := range w.layers {
		var own []partition.Vector
		for _, v := range list {
			rep, _ := c.canonical(v)
			own, c.cells[rep] = append(own, rep), n
		}
		c.layers = append(c.layers, own)
	}
	return c
}

// holder is the enumeration that has the positions after n jumps.
func (w *enumeration) holder(n int) *enumeration {
	if w.before != nil && n < w.first {
		return w.before
	}
	return w
}

// canonical is that of the scheme; of an enumeration that is continued it is the vector whose complement that is. So
// the stretches that are met with their complements need no symmetry.
func (w *enumeration) canonical(v partition.Vector) (rep partition.Vector, back int) {
	if w.far == nil {
		return w.scheme.canonical(v)
	}
	rep, back = w.scheme.canonical(w.complement(v))
	return w.complement(rep), back
}
