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

	mu sync.Mutex // held while a list is built
}

// A pairList is the pairs of one shape, group element and low type of the run. It is small and lies beside those of the
// other low types, because the kernel looks at one for every run and bundle.
type pairList struct {
	to, from *uint16      // ranks in the run and in the parent run, padded to whole quads with zeros
	slots    int32        // of the parent run
	ready    atomic.Int32 // 0 until the list is built; the number of pairs, plus 1
}

func newPairTable(s *partition.Space, shapes [][]part) *pairTable {
	return &pairTable{space: s, shapes: shapes, all: make([]pairList, len(shapes)*len(s.Group)*s.LowTypes())}
}

// lists returns where the lists begin that are for undoing the jumps of a shape and then applying group element g; they
// come by low type of the run.
func (t *pairTable) lists(shape, g int) int32 {
	return int32((shape*len(t.space.Group) + g) * t.space.LowTypes())
}

// pairs returns the number of pairs of l, which has been built; -1 otherwise.
func (l *pairList) pairs() int { return int(l.ready.Load()) - 1 }

// ranks returns the pairs of l, which has been built and is not empty.
func (l *pairList) ranks() (to, from []uint16) {
	return unsafe.Slice(l.to, l.pairs()), unsafe.Slice(l.from, l.pairs())
}

// build builds a list unless it has been built, and returns its number of pairs.
func (t *pairTable) build(shape, g int, lowType int32) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.buildLocked(shape, g, lowType)
}

func (t *pairTable) buildLocked(shape, g int, lowType int32) int {
	l := &t.all[t.lists(shape, g)+lowType]
	if n := l.pairs(); n >= 0 {
		return n
	}
	s, patterns := t.space, t.space.LowPatterns(lowType)
	n := 0
	if g > 0 {
		n = t.buildLocked(shape, 0, lowType)
		l.to = t.all[t.lists(shape, 0)+lowType].to
	} else {
		for _, low := range t.shapes[shape] {
			for _, x := range patterns {
				if low.reverseOK(uint64(x)) {
					n++
				}
			}
		}
	}
	if n > 0 {
		room := (n + pairQuad - 1) / pairQuad * pairQuad
		from, to := make([]uint16, room), []uint16(nil)
		l.from = &from[0]
		if g == 0 {
			to = make([]uint16, room)
			l.to = &to[0]
		}
		i := 0
		for _, low := range t.shapes[shape] {
			for rank, x := range patterns {
				if !low.reverseOK(uint64(x)) {
					continue
				}
				ty, r := s.LowRank(s.LowImage(g, uint64(x)^low.mask))
				l.slots = int32(len(s.LowPatterns(ty)))
				from[i] = uint16(r)
				if g == 0 {
					to[i] = uint16(rank)
				}
				i++
			}
		}
	}
	l.ready.Store(int32(n) + 1)
	return n
}
