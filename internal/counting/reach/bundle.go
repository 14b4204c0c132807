package reach

import (
	"fmt"
	"sync"

	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
)

// A bundle is the class-count vectors of one cell, one after the other.
type bundle struct {
	cell    puzzle.Cell
	vectors []partition.Vector
	words   int // of all
	heads   int // likewise
}

// A spot is the place of a vector in its bundle.
type spot struct {
	*bundle
	index int   // among the vectors
	heads heads // of its stretches
	shape shape
	// Where its words and heads begin in the bundle, and how many words they are.
	words, head, size int
}

// Bundles are the cells of an enumeration.
type bundles struct {
	mu     sync.Mutex
	words  int            // of a bundle of several vectors, at most
	layers map[int]*bound // those that were needed so far
}

// A bound is the bundles of a layer.
type bound struct {
	list  []*bundle
	spots map[partition.Vector]*spot
}

// bound puts the vectors of a layer into bundles, neighbours together.
func (w *enumeration) bound(n int) *bound {
	w.bundles.mu.Lock()
	defer w.bundles.mu.Unlock()
	l, ok := w.bundles.layers[n]
	if ok {
		return l
	}
	l = &bound{spots: map[partition.Vector]*spot{}}
	w.bundles.layers[n] = l
	if n < w.first || n >= len(w.layers) {
		return l
	}
	var b *bundle
	for _, v := range w.layers[n] {
		at := &spot{shape: w.shape(v), heads: w.headsAt(v)}
		at.size = len(at.heads.list) * at.shape.stretchWords
		if b == nil || b.words+at.size > w.bundles.words {
			b = &bundle{cell: puzzle.Cell{Layer: n, Key: w.name + v.Key()}}
			l.list = append(l.list, b)
		}
		at.bundle, at.index, at.words, at.head = b, len(b.vectors), b.words, b.heads
		l.spots[v] = at
		b.vectors, b.words, b.heads = append(b.vectors, v), b.words+at.size, b.heads+len(at.heads.list)
	}
	return l
}

// spotOf is the place of a representative.
func (w *enumeration) spotOf(rep partition.Vector) *spot { return w.bound(w.cells[rep]).spots[rep] }

// bundleOf is the bundle of a cell.
func (w *enumeration) bundleOf(c puzzle.Cell) (*bundle, error) {
	for _, b := range w.bound(c.Layer).list {
		if b.cell == c {
			return b, nil
		}
	}
	return nil, fmt.Errorf("cell %d/%s: no such cell in this run", c.Layer, c.Key)
}

// part numbers what element g makes of a vector, among all that is made of its cell.
func (s *spot) part(g int) int { return s.index*maxElements + g }
