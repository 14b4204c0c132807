package tiles

import (
	"math/big"
	"math/bits"
)

// A layer counts the ways to whatever can be reached in one number of moves. Keys and counts stand in slices, in the
// order in which they were reached, so that the map is asked once for a move and never walked.
type layer[K comparable] struct {
	index map[K]int32
	keys  []K
	ways  []wide
}

func newLayer[K comparable]() *layer[K] { return &layer[K]{index: map[K]int32{}} }

func (l *layer[K]) reset() {
	clear(l.index)
	l.keys, l.ways = l.keys[:0], l.ways[:0]
}

// add adds ways to those of key.
func (l *layer[K]) add(key K, ways *wide) {
	if i, ok := l.index[key]; ok {
		l.ways[i].add(ways)
		return
	}
	l.index[key] = int32(len(l.keys))
	l.keys = append(l.keys, key)
	l.ways = append(l.ways, *ways)
}

// wide is an integer below 2^320, lowest word first: enough for 64!, the orders of 64 cells without any constraint.
type wide [5]uint64

// add adds v to w.
func (w *wide) add(v *wide) {
	var carry uint64
	for i := range w {
		w[i], carry = bits.Add64(w[i], v[i], carry)
	}
}

func (w *wide) big() *big.Int {
	n := new(big.Int)
	for i := len(w) - 1; i >= 0; i-- {
		n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(w[i]))
	}
	return n
}
