package counting

import (
	"sync"
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
	tables []atomic.Pointer[[]pairList] // by shape and element; each by low type
	mu     sync.Mutex
}

// A pairList is the pairs of one shape, group element and low type of the run.
type pairList struct {
	built    atomic.Bool
	plain    bool  // the pairs are (i, i) for all i
	fromType int32 // low type of the parent run, -1 when there are no pairs
	fromSize int   // slots of the parent run
	pairs    []pair
}

func newPairTable(s *partition.Space, shapes []part) *pairTable {
	return &pairTable{space: s, shapes: shapes, tables: make([]atomic.Pointer[[]pairList], len(shapes)*len(s.Group))}
}

// lists returns the lists for undoing a jump of the given shape and then applying group element g, by low type of the
// run. They are to be read through list.
func (t *pairTable) lists(shape, g int) []pairList {
	p := &t.tables[shape*len(t.space.Group)+g]
	if l := p.Load(); l != nil {
		return *l
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if l := p.Load(); l != nil {
		return *l
	}
	l := make([]pairList, t.space.LowTypes())
	p.Store(&l)
	return l
}

// build fills in a list unless somebody else has.
func (t *pairTable) build(l *pairList, shape part, g int, lowType int32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l.built.Load() {
		return
	}
	l.fromType, l.plain = -1, true
	for rank, x := range t.space.LowPatterns(lowType) {
		if !shape.reverseOK(uint64(x)) {
			l.plain = false
			continue
		}
		y := t.space.LowImage(g, uint64(x)^shape.mask)
		ty, from := t.space.LowRank(y)
		l.fromType, l.fromSize = ty, len(t.space.LowPatterns(ty))
		l.plain = l.plain && from == rank
		l.pairs = append(l.pairs, pair(from<<16|rank))
	}
	l.built.Store(true)
}
