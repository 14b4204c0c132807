package counting

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"pagoda/internal/partition"
)

// A pairTable holds, for runs of every low type, which slots of the run take from which slots of a parent run: lists of
// rank pairs, built when first needed. All runs of all cells share them.
//
// Which slots take depends on the set of low parts of the jumps (the shape) only, which slots they take from also on
// the symmetry that is applied: the two halves of the pairs are kept apart, so that the first is shared. For the
// English board all lists have 25 MB, of which a window uses a few hundred kilobytes: they should stay in the
// second-level cache.
type pairTable struct {
	space  *partition.Space
	shapes [][]part
	all    []pairList // by shape, element and low type

	mu       sync.Mutex // held while a list is built
	to, from []uint16   // of the list that is built
	ranks    []uint16
	first    atomic.Pointer[uint16] // of ranks; what lists that are ready have stays where it is from there
	turns    [][]uint16             // by element and low type: see turned
}

// A pairList is the pairs of one shape, group element and low type of the run. It is small and lies beside those of the
// other low types, because the kernel looks at one for every run and bundle; and it has no pointers, because the
// garbage collector would look at all of them.
type pairList struct {
	to, from uint32       // where the ranks in the run and in the parent run begin, padded to whole quads with zeros
	source   int32        // low type of the parent run, before the symmetry
	ready    atomic.Int32 // 0 until the list is built; the number of pairs, plus 1
}

func newPairTable(s *partition.Space, shapes [][]part) *pairTable {
	return &pairTable{space: s, shapes: shapes, all: make([]pairList, len(shapes)*len(s.Group)*s.LowTypes()),
		turns: make([][]uint16, len(s.Group)*s.LowTypes())}
}

// lists returns where the lists begin that are for undoing the jumps of a shape and then applying group element g; they
// come by low type of the run.
func (t *pairTable) lists(shape, g int) int32 {
	return int32((shape*len(t.space.Group) + g) * t.space.LowTypes())
}

// pairs returns the number of pairs of l, which has been built; -1 otherwise.
func (l *pairList) pairs() int { return int(l.ready.Load()) - 1 }

// of returns the pairs of a list that has been built and is not empty.
func (t *pairTable) of(list int32) (to, from []uint16) {
	l := &t.all[list]
	first := unsafe.Pointer(t.first.Load())
	at := func(i uint32) []uint16 { return unsafe.Slice((*uint16)(unsafe.Add(first, 2*uintptr(i))), l.pairs()) }
	return at(l.to), at(l.from)
}

// build builds a list unless it has been built, and returns its number of pairs.
func (t *pairTable) build(shape, g int, lowType int32) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.buildLocked(shape, g, lowType)
	return l.pairs()
}

func (t *pairTable) buildLocked(shape, g int, lowType int32) *pairList {
	l := &t.all[t.lists(shape, g)+lowType]
	if l.pairs() >= 0 {
		return l
	}
	var n int
	if g == 0 {
		n = t.undo(l, t.shapes[shape], lowType)
	} else {
		n = t.turn(l, t.buildLocked(shape, 0, lowType), g)
	}
	t.first.Store(unsafe.SliceData(t.ranks))
	l.ready.Store(int32(n) + 1)
	return l
}

const firstRoom = 1 << 19 // ranks, 1 MiB

// room makes room for n ranks and returns where it begins.
func (t *pairTable) room(n int) uint32 {
	first, padded := len(t.ranks), (n+pairQuad-1)/pairQuad*pairQuad
	if free := cap(t.ranks) - first; free < padded {
		// append would copy more often, and it would write zeros to all of the new room.
		more := make([]uint16, first, first+max(firstRoom, 2*cap(t.ranks), padded))
		copy(more, t.ranks)
		t.ranks = more
	}
	t.ranks = t.ranks[:first+padded]
	return uint32(first)
}

// undo builds a list for undoing jumps, with no symmetry after it.
func (t *pairTable) undo(l *pairList, shape []part, lowType int32) (n int) {
	s, patterns := t.space, t.space.LowPatterns(lowType)
	to, from := t.to[:0], t.from[:0]
	for _, low := range shape {
		for rank, x := range patterns {
			if low.reverseOK(uint64(x)) {
				source, r := s.LowRank(uint64(x) ^ low.mask)
				to, from, l.source = append(to, uint16(rank)), append(from, uint16(r)), source
			}
		}
	}
	t.to, t.from = to, from
	if n = len(to); n > 0 {
		l.to, l.from = t.room(n), t.room(n)
		copy(t.ranks[l.to:], to)
		copy(t.ranks[l.from:], from)
	}
	return n
}

// turn builds a list from the one without a symmetry: the same slots of the run take from the images.
func (t *pairTable) turn(l, still *pairList, g int) (n int) {
	if n = still.pairs(); n == 0 {
		return 0
	}
	l.to, l.from, l.source = still.to, t.room(n), still.source
	images, from := t.turned(g, l.source), t.ranks[l.from:]
	for i, r := range t.ranks[still.from:][:n] {
		from[i] = images[r]
	}
	return n
}

// turned returns, by rank of the low patterns of a type, the ranks of their images under element g.
func (t *pairTable) turned(g int, lowType int32) []uint16 {
	s := t.space
	list := &t.turns[g*s.LowTypes()+int(lowType)]
	if *list == nil {
		patterns := s.LowPatterns(lowType)
		*list = make([]uint16, len(patterns))
		for i, x := range patterns {
			_, r := s.LowRank(s.LowImage(g, uint64(x)))
			(*list)[i] = uint16(r)
		}
	}
	return *list
}
