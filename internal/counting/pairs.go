package counting

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"pagoda/internal/partition"
)

// A pairTable holds, for stretches of every low type, which addresses of the stretch take from which addresses of a
// parent stretch: lists of rank pairs, built when first needed. All stretches of all cells share them.
//
// Which addresses take depends on the set of low parts of the jumps (the shape) only, which addresses they take from
// also on the symmetry that is applied: the two halves of the pairs are kept apart, so that the first is shared. For
// the English board all lists have 25 MB, of which a window uses a few hundred kilobytes: they should stay in the
// second-level cache.
type pairTable struct {
	space  *partition.Space
	shapes [][]part
	sizes  []atomic.Int32  // by shape and low type: the number of pairs, plus 1; 0 until it is known
	source []int32         // likewise: low type of the parent stretch, before the symmetry
	all    []pairList      // by shape, element and low type
	built  []atomic.Uint64 // a bit for each of them: it has been built

	mu         sync.Mutex // held while a list is built
	to         []uint16   // of the list that is built
	from       []uint32   // likewise, the patterns
	ranks      []uint16
	first      atomic.Pointer[uint16] // of ranks; the ranks of finished lists stay where they are from there
	imageRanks [][]uint16             // by element and low type: see images
}

// A pairList is the pairs of one shape, group element and low type of the stretch: where the ranks in the stretch and
// in the parent stretch begin, padded to whole quads with zeros. It has no pointers, because the garbage collector
// would look at all of them. For the English board all lists have 1.9 MB. The kernel asks for every stretch and bundle
// how many pairs there are and whether they have been built: that is apart and has a tenth of the size.
type pairList struct{ to, from uint32 }

func newPairTable(s *partition.Space, shapes [][]part) *pairTable {
	types := s.LowTypes()
	lists := len(shapes) * len(s.Group) * types
	return &pairTable{space: s, shapes: shapes,
		sizes: make([]atomic.Int32, len(shapes)*types), source: make([]int32, len(shapes)*types),
		all: make([]pairList, lists), built: make([]atomic.Uint64, lists/64+1),
		imageRanks: make([][]uint16, len(s.Group)*types)}
}

// lists returns where the lists begin that are for undoing the jumps of a shape and then applying group element g; they
// come by low type of the stretch.
func (t *pairTable) lists(shape, g int) int32 {
	return int32((shape*len(t.space.Group) + g) * t.space.LowTypes())
}

// ofShape returns the sizes of a shape's lists by low type of the stretch, plus 1; 0 where it is not known yet.
func (t *pairTable) ofShape(shape int) []atomic.Int32 {
	types := t.space.LowTypes()
	return t.sizes[shape*types:][:types]
}

// isBuilt reports whether a list has been built.
func (t *pairTable) isBuilt(list int32) bool { return t.built[list>>6].Load()>>(list&63)&1 != 0 }

// ready returns the size that ofShape has for a list, less 1, and whether it can be used: it has been built, or needs
// not be as it is empty. A size that was not known a moment ago is none, also when the list has been built since.
func (t *pairTable) ready(list int32, size *atomic.Int32) (n int, ok bool) {
	n = int(size.Load()) - 1
	return n, n == 0 || n > 0 && t.isBuilt(list)
}

// of returns the pairs of a list that has been built and has so many of them.
func (t *pairTable) of(list int32, pairs int) (to, from []uint16) {
	l := &t.all[list]
	first := unsafe.Pointer(t.first.Load())
	at := func(i uint32) []uint16 { return unsafe.Slice((*uint16)(unsafe.Add(first, 2*uintptr(i))), pairs) }
	return at(l.to), at(l.from)
}

// build builds a list unless it has been built, and returns its number of pairs.
func (t *pairTable) build(shape, g int, lowType int32) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.buildLocked(shape, g, lowType)
}

func (t *pairTable) buildLocked(shape, g int, lowType int32) (n int) {
	list, size := t.lists(shape, g)+lowType, &t.ofShape(shape)[lowType]
	if t.isBuilt(list) {
		return int(size.Load()) - 1
	}
	l := &t.all[list]
	source := &t.source[shape*t.space.LowTypes()+int(lowType)]
	if g == 0 {
		n = t.undo(l, source, t.shapes[shape], lowType)
	} else {
		if n = t.buildLocked(shape, 0, lowType); n > 0 {
			t.permute(l, &t.all[t.lists(shape, 0)+lowType], n, t.images(g, *source))
		}
	}
	t.first.Store(unsafe.SliceData(t.ranks))
	size.Store(int32(n) + 1)
	t.built[list>>6].Or(1 << (list & 63))
	return n
}

const firstRoom = 1 << 19 // ranks, 1 MiB

// allot makes room for n ranks and returns where it begins.
func (t *pairTable) allot(n int) uint32 {
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

// undo builds a list for undoing jumps, with no symmetry after it, and finds the low type that it takes from.
func (t *pairTable) undo(l *pairList, source *int32, shape []part, lowType int32) (n int) {
	s, patterns := t.space, t.space.LowPatterns(lowType)
	if most := len(shape) * len(patterns); len(t.to) <= most {
		t.to, t.from = make([]uint16, most+1), make([]uint32, most+1)
	}
	to, from := t.to, t.from
	for _, low := range shape {
		mask, reverse := uint32(low.mask), uint32(low.reverse)
		for rank, x := range patterns {
			// Every pattern is written down, and kept if the jumps can be undone: a branch could not predict which.
			to[n], from[n] = uint16(rank), x^mask
			n += int((uint64(x&mask^reverse) - 1) >> 63)
		}
	}
	if n == 0 {
		return 0
	}
	*source, _ = s.LowRank(uint64(from[0]))
	l.to, l.from = t.allot(n), t.allot(n)
	copy(t.ranks[l.to:], to[:n])
	ranks := t.ranks[l.from:]
	for i, x := range from[:n] {
		_, r := s.LowRank(uint64(x))
		ranks[i] = uint16(r)
	}
	return n
}

// permute builds a list from the one without a symmetry, which has n pairs: the same addresses of the stretch take from
// the images of those that they took from.
func (t *pairTable) permute(l, still *pairList, n int, images []uint16) {
	l.to, l.from = still.to, t.allot(n)
	from := t.ranks[l.from:]
	for i, r := range t.ranks[still.from:][:n] {
		from[i] = images[r]
	}
}

// images returns, by rank of the low patterns of a type, the ranks of their images under element g.
func (t *pairTable) images(g int, lowType int32) []uint16 {
	s := t.space
	list := &t.imageRanks[g*s.LowTypes()+int(lowType)]
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
