package counting

import (
	"sync/atomic"

	"pagoda/internal/partition"
)

// A pair says that a slot of a run takes from a slot of a parent run: rank in the run in the low half, rank in the
// parent run in the high half.
type pair uint32

func (p pair) to() int   { return int(p & 0xffff) }
func (p pair) from() int { return int(p >> 16) }

// A pairTable holds the lists of rank pairs, built when first needed: one for each distinct low part of a jump (shape),
// group element and low type. All runs of all cells share them; the English board has 33 MB of them in all, of which a
// window uses a few hundred kilobytes.
type pairTable struct {
	space  *partition.Space
	shapes []part
	types  int
	lists  []atomic.Pointer[pairList]
}

// A pairList is the pairs of one shape, group element and low type of the run.
type pairList struct {
	fromType int32 // low type of the parent run
	plain    bool  // the pairs are (i, i) for all i
	pairs    []pair
}

func newPairTable(s *partition.Space, shapes []part) *pairTable {
	t := &pairTable{space: s, shapes: shapes, types: s.LowTypes()}
	t.lists = make([]atomic.Pointer[pairList], len(shapes)*len(s.Group)*t.types)
	return t
}

// list returns the pairs for undoing a jump of the given shape and then applying group element g, in a run of low type
// lowType.
func (t *pairTable) list(shape, g int, lowType int32) *pairList {
	p := &t.lists[(shape*len(t.space.Group)+g)*t.types+int(lowType)]
	if l := p.Load(); l != nil {
		return l
	}
	l := t.build(t.shapes[shape], g, lowType)
	p.Store(l) // two builders make equal lists
	return l
}

func (t *pairTable) build(shape part, g int, lowType int32) *pairList {
	l := &pairList{fromType: -1, plain: true}
	for rank, x := range t.space.LowPatterns(lowType) {
		if !shape.reverseOK(uint64(x)) {
			l.plain = false
			continue
		}
		y := t.space.LowImage(g, uint64(x)^shape.mask)
		ty, from := t.space.LowRank(y)
		l.fromType = ty
		l.plain = l.plain && from == rank
		l.pairs = append(l.pairs, pair(from<<16|rank))
	}
	return l
}
