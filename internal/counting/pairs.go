package counting

import (
	"sync/atomic"

	"pagoda/internal/partition"
)

// A pairTable holds, for runs of every low type, which slots of the run take from which slots of a parent run: lists of
// rank pairs, built when first needed. All runs of all cells share them.
//
// Which slots take depends on the set of low parts of the jumps (the shape) only, which slots they take from also on the
// symmetry that is applied: the two halves of the pairs are kept apart, so that the first is shared. For the English
// board all lists have 25 MB, of which a window uses a few hundred kilobytes: they should stay in the second-level cache.
type pairTable struct {
	space  *partition.Space
	shapes [][]part
	tables [][]atomic.Pointer[pairList] // by shape and element; each by low type
}

// A pairList is the pairs of one shape, group element and low type of the run.
type pairList struct {
	to, from []uint16 // ranks in the run and in the parent run; their capacity is padded to whole quads with zeros
	fromSize int      // slots of the parent run
	fromType int32    // low type of the parent run, -1 when there are no pairs
}

func newPairTable(s *partition.Space, shapes [][]part) *pairTable {
	t := &pairTable{space: s, shapes: shapes, tables: make([][]atomic.Pointer[pairList], len(shapes)*len(s.Group))}
	for i := range t.tables {
		t.tables[i] = make([]atomic.Pointer[pairList], s.LowTypes())
	}
	return t
}

// lists returns the lists for undoing the jumps of a shape and then applying group element g, by low type of the run. A
// nil one has not been built.
func (t *pairTable) lists(shape, g int) []atomic.Pointer[pairList] {
	return t.tables[shape*len(t.space.Group)+g]
}

// build makes a list and stores it. Two workers may build the same list at a time: the lists are equal.
func (t *pairTable) build(shape, g int, lowType int32) *pairList {
	at := &t.lists(shape, g)[lowType]
	if l := at.Load(); l != nil {
		return l
	}
	l := &pairList{fromType: -1}
	if g > 0 {
		l.to = t.build(shape, 0, lowType).to
	}
	for _, low := range t.shapes[shape] {
		for rank, x := range t.space.LowPatterns(lowType) {
			if !low.reverseOK(uint64(x)) {
				continue
			}
			ty, from := t.space.LowRank(t.space.LowImage(g, uint64(x)^low.mask))
			l.fromType, l.fromSize = ty, len(t.space.LowPatterns(ty))
			l.from = append(l.from, uint16(from))
			if g == 0 {
				l.to = append(l.to, uint16(rank))
			}
		}
	}
	if g == 0 {
		l.to = padded(l.to)
	}
	l.from = padded(l.from)
	at.Store(l)
	return l
}

// padded copies a list to room for whole quads.
func padded(list []uint16) []uint16 {
	room := make([]uint16, (len(list)+pairQuad-1)/pairQuad*pairQuad)
	return room[:copy(room, list)]
}
