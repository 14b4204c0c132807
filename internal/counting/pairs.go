package counting

import (
	"slices"
	"sync/atomic"

	"pagoda/internal/partition"
)

// A pair says that a slot of a run takes from a slot of a parent run: rank in the run in the low half, rank in the
// parent run in the high half.
type pair uint32

func (p pair) to() int   { return int(p & 0xffff) }
func (p pair) from() int { return int(p >> 16) }

// A pairTable holds the lists of rank pairs, built when first needed: one for each set of low parts (shape), group
// element and low type. All runs of all cells share them; the English board has 33 MB of them in all, of which a
// window uses a few hundred kilobytes.
type pairTable struct {
	space  *partition.Space
	shapes [][]part
	tables [][]atomic.Pointer[pairList] // by shape and element; each by low type
}

// A pairList is the pairs of one shape, group element and low type of the run.
type pairList struct {
	pairs    []pair
	fromSize int   // slots of the parent run
	fromType int32 // low type of the parent run, -1 when there are no pairs
	plain    bool  // the pairs are (i, i) for all i
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
func (t *pairTable) build(at *atomic.Pointer[pairList], shape, g int, lowType int32) *pairList {
	l := &pairList{fromType: -1, plain: len(t.shapes[shape]) == 1}
	for _, low := range t.shapes[shape] {
		for rank, x := range t.space.LowPatterns(lowType) {
			if !low.reverseOK(uint64(x)) {
				l.plain = false
				continue
			}
			ty, from := t.space.LowRank(t.space.LowImage(g, uint64(x)^low.mask))
			l.fromType, l.fromSize = ty, len(t.space.LowPatterns(ty))
			l.plain = l.plain && from == rank
			l.pairs = append(l.pairs, pair(from<<16|rank))
		}
	}
	l.pairs = slices.Clip(l.pairs)
	at.Store(l)
	return l
}
