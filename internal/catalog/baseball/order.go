package baseball

import (
	"math/bits"
	"sync/atomic"
)

// MaxBases is the largest number of bases whose configurations are numbered and searched.
const MaxBases = 9

// A colours is a set of colours, bit c for colour c.
type colours uint16

func (s colours) count() int { return bits.OnesCount16(uint16(s)) }

// index is the number of members below c.
func (s colours) index(c uint8) uint64 { return uint64((s & (1<<c - 1)).count()) }

// member returns the member with that index.
func (s colours) member(i uint64) uint8 {
	for ; i > 0; i-- {
		s &= s - 1
	}
	return uint8(bits.TrailingZeros16(uint16(s)))
}

// A rest is the tokens that are not placed yet: two of each colour in two, one of each in one.
type rest struct{ two, one colours }

// all returns the tokens of n bases.
func all(n int) rest { return rest{two: 1<<n - 2, one: 1} }

// without takes one token of colour c away.
func (r rest) without(c uint8) rest {
	b := colours(1) << c
	if r.two&b != 0 {
		return rest{r.two &^ b, r.one | b}
	}
	return rest{r.two, r.one &^ b}
}

// with adds a token of colour c; r has one of it at most.
func (r rest) with(c uint8) rest {
	b := colours(1) << c
	if r.one&b != 0 {
		return rest{r.two | b, r.one &^ b}
	}
	return rest{r.two, r.one | b}
}

// An order numbers the configurations of n bases that have the same base free: their ranks are 0 to ranks()-1. Safe for
// concurrent use.
//
// Bases are filled from base 0 up. The ways to fill a base are ordered by kind, and within a kind by colour:
//
//	a free base    a colour of which two are left; a colour of which one is left
//	another one    two of a colour; a colour of two with one of one; two colours of two; two colours of one
//
// The number of ways to fill the bases after depends only on how many colours have two tokens left, and how many one;
// it does not depend on which of the bases is the free one. All ways of a kind have the same number, and the rank is a
// sum of (index in the kind) x (ways of the rest).
type order struct {
	bases int
	// ways[d][s] is the number of ways to fill the remaining bases with two tokens of each of d colours and one of each
	// of s. If 2d+s is odd, one of the bases, which one is fixed, is the free one.
	ways  [MaxBases + 3][MaxBases + 3]uint64
	lists []atomic.Pointer[[]way] // of pairsOf, by r.two and r.one
}

func newOrder(n int) *order {
	o := &order{bases: n, lists: make([]atomic.Pointer[[]way], 1<<(2*n))}
	o.ways[0][0] = 1
	w := func(d, s int) uint64 {
		if d < 0 || s < 0 || d+s > n {
			return 0
		}
		return o.ways[d][s]
	}
	for tokens := 1; tokens < 2*n; tokens++ {
		for d := 0; 2*d <= tokens; d++ {
			s := tokens - 2*d
			if d+s > n {
				continue
			}
			ud, us := uint64(d), uint64(s)
			if tokens%2 == 1 {
				o.ways[d][s] = ud*w(d-1, s+1) + us*w(d, s-1)
			} else {
				o.ways[d][s] = ud*(1+us)*w(d-1, s) + ud*(ud-1)/2*w(d-2, s+2) + us*(us-1)/2*w(d, s-2)
			}
		}
	}
	return o
}

// ranks returns the number of configurations for each free base.
func (o *order) ranks() uint64 { return o.left(all(o.bases)) }

// left returns the number of ways to place r.
func (o *order) left(r rest) uint64 { return o.at(r.two.count(), r.one.count()) }

// at is ways[d][s], 0 where there is none.
func (o *order) at(d, s int) uint64 {
	if d < 0 || s < 0 {
		return 0
	}
	return o.ways[d][s]
}

// single returns the part of the rank for colour x in the free base, and the tokens after it.
func (o *order) single(r rest, x uint8) (uint64, rest) {
	d, s := r.two.count(), r.one.count()
	if r.two>>x&1 != 0 {
		return r.two.index(x) * o.at(d-1, s+1), r.without(x)
	}
	return uint64(d)*o.at(d-1, s+1) + r.one.index(x)*o.at(d, s-1), r.without(x)
}

// both returns the part of the rank for colours a <= b in a base, and the tokens after it.
func (o *order) both(r rest, a, b uint8) (uint64, rest) {
	d, s := r.two.count(), r.one.count()
	ud, us := uint64(d), uint64(s)
	if a == b {
		return r.two.index(a) * o.at(d-1, s), rest{r.two &^ (1 << a), r.one}
	}
	after := r.without(a).without(b)
	twoA, twoB := r.two>>a&1 != 0, r.two>>b&1 != 0
	mixed := ud * (1 + us) * o.at(d-1, s)
	switch {
	case twoA && twoB:
		return mixed + triangle(r.two.index(a), r.two.index(b))*o.at(d-2, s+2), after
	case twoA:
		return (ud + r.two.index(a)*us + r.one.index(b)) * o.at(d-1, s), after
	case twoB:
		return (ud + r.two.index(b)*us + r.one.index(a)) * o.at(d-1, s), after
	}
	return mixed + ud*(ud-1)/2*o.at(d-2, s+2) + triangle(r.one.index(a), r.one.index(b))*o.at(d, s-2), after
}

// triangle numbers the pairs i < j.
func triangle(i, j uint64) uint64 { return j*(j-1)/2 + i }

// A way fills one base: with the colour a alone in the free base (b is free), otherwise with a <= b.
type way struct {
	a, b uint8
	at   uint64 // its part of the rank
	size uint64 // of the stretch of ranks from there on
	rest rest
}

const wayBytes = 32 // memory of a way

// singles appends the ways to fill the free base, in order of rank.
func (o *order) singles(to []way, r rest) []way {
	for _, set := range [2]colours{r.two, r.one} {
		for ; set != 0; set &= set - 1 {
			x := set.member(0)
			at, after := o.single(r, x)
			to = append(to, way{x, free, at, o.left(after), after})
		}
	}
	return to
}

// pairs appends the ways to fill another base, in order of rank.
func (o *order) pairs(to []way, r rest) []way {
	add := func(a, b uint8) {
		p := pair(a, b)
		at, after := o.both(r, p[0], p[1])
		to = append(to, way{p[0], p[1], at, o.left(after), after})
	}
	for two := r.two; two != 0; two &= two - 1 {
		add(two.member(0), two.member(0))
	}
	for two := r.two; two != 0; two &= two - 1 {
		for one := r.one; one != 0; one &= one - 1 {
			add(two.member(0), one.member(0))
		}
	}
	for _, set := range [2]colours{r.two, r.one} {
		for upper := set; upper != 0; upper &= upper - 1 {
			for lower := set & (upper&-upper - 1); lower != 0; lower &= lower - 1 {
				add(lower.member(0), upper.member(0))
			}
		}
	}
	return to
}

// pairsOf returns the list of pairs, which it keeps.
func (o *order) pairsOf(r rest) []way {
	p := &o.lists[int(r.two)<<o.bases|int(r.one)]
	list := p.Load()
	if list == nil {
		made := o.pairs(nil, r)
		list = &made
		p.Store(list)
	}
	return *list
}

// listBytes bounds the memory of what pairsOf keeps. A colour has two tokens left, one or none, and half of the lists
// would have an odd number of tokens.
func (o *order) listBytes() uint64 {
	lists := uint64(1)
	for range o.bases {
		lists *= 3
	}
	n := uint64(o.bases)
	return lists / 2 * (n * (n + 1) / 2) * wayBytes
}
