package tiles

import (
	"errors"
	"fmt"
	"math/big"
	"math/bits"
)

// ErrTooManyIdeals is wrapped when counting the orders of play would take more memory than granted.
var ErrTooManyIdeals = errors.New("too many partial orders of play to count")

// A partialOrder is the partial order in which the tiles of one final grid must be laid.
type partialOrder struct {
	before []uint64 // before[c]: cells that must be played before c, directly or not
}

// newOrder derives the order from the initial colours a and the final ones f. ok is false when f is no solution.
func newOrder(s Shape, a, f *cells) (o *partialOrder, ok bool) {
	o = &partialOrder{before: make([]uint64, s.Cells())}
	for c, near := range s.neighbours() {
		if f[c] == a[c] {
			return nil, false
		}
		for _, d := range near {
			if f[c] == f[d] {
				return nil, false
			}
			if f[c] == a[d] {
				o.before[c] |= 1 << d
			}
		}
	}
	// Warshall's closure, on rows of bits.
	for k := range o.before {
		for c := range o.before {
			if o.before[c]>>k&1 == 1 {
				o.before[c] |= o.before[k]
			}
		}
	}
	for c := range o.before {
		if o.before[c]>>c&1 == 1 {
			return nil, false
		}
	}
	return o, true
}

// covers lists the pairs (d, c) of cells where c must wait for d and for nothing between them, by c and then d: the
// other pairs of the partial order follow from these.
func (o *partialOrder) covers() [][2]int {
	var out [][2]int
	for c, before := range o.before {
		direct := before
		for s := before; s != 0; s &= s - 1 {
			direct &^= o.before[bits.TrailingZeros64(s)]
		}
		for ; direct != 0; direct &= direct - 1 {
			out = append(out, [2]int{bits.TrailingZeros64(direct), c})
		}
	}
	return out
}

// first returns the lexicographically first order of play: the cells, as they are played.
func (o *partialOrder) first() []int {
	var out []int
	var done uint64
	for range o.before {
		for c, before := range o.before {
			if done>>c&1 == 0 && before&^done == 0 {
				out = append(out, c)
				done |= 1 << c
				break
			}
		}
	}
	return out
}

// count returns the number of orders of play: the linear extensions of the partial order, counted over its ideals (the
// sets of cells that can be covered at some time), by size. maxIdeals bounds the ideals of one size, some 100 bytes
// each, zero for no bound; past it the error wraps ErrTooManyIdeals. A final of 36 cells has some ten thousands of
// one size, one of 64 cells may have many millions.
//
// budget is the number of ideals of all sizes that may be looked at, nil for no bound; count takes off those that it
// has looked at.
func (o *partialOrder) count(maxIdeals int, budget *int) (*big.Int, error) {
	now, next := newLayer[uint64](), newLayer[uint64]()
	now.add(0, &wide{1})
	all := ^uint64(0) >> (maxCells - len(o.before))
	for range o.before {
		next.reset()
		for i, done := range now.keys {
			for rest := all &^ done; rest != 0; rest &= rest - 1 {
				c := bits.TrailingZeros64(rest)
				if o.before[c]&^done == 0 {
					next.add(done|1<<c, &now.ways[i])
				}
			}
			if maxIdeals > 0 && len(next.keys) > maxIdeals {
				return nil, fmt.Errorf("%w: more than %d sets of cells of one size", ErrTooManyIdeals, maxIdeals)
			}
		}
		if budget != nil {
			if *budget -= len(next.keys); *budget < 0 {
				return nil, fmt.Errorf("%w: the sets of cells are too many in all", ErrTooManyIdeals)
			}
		}
		now, next = next, now
	}
	return now.ways[0].big(), nil // an order without cycles has an extension, so the set of all cells is there
}
