package baseball

import (
	"context"

	"pagoda/internal/puzzle"
)

// The reflection of the ring takes base i, and colour i, to n-i modulo n. It keeps the goal and all distances, and
// takes configurations with base h free to those with base n-h free.

func mirrored(n int, i uint8) uint8 {
	if i == 0 {
		return 0
	}
	return uint8(n) - i
}

// mirrorTokens returns the reflection of the tokens of a base.
func (o *order) mirrorTokens(a, b uint8) [2]uint8 {
	if b == free {
		return [2]uint8{mirrored(o.bases, a), free}
	}
	return pair(mirrored(o.bases, a), mirrored(o.bases, b))
}

// mirror returns the reflection of a filling.
func (o *order) mirror(f *filling) (g filling) {
	for i := range o.bases {
		g[mirrored(o.bases, uint8(i))] = o.mirrorTokens(f[i][0], f[i][1])
	}
	return g
}

// tailBases are the last bases whose fillings are read from a table.
const tailBases = 3

// A tail is the tokens of up to tailBases bases, as indices among the colours that are left.
type tail [tailBases][2]uint8

// tails lists the ways to fill the last bases with r, none of them free, in order of rank.
func (o *order) tails(r rest) []tail {
	left := r.two | r.one
	var out []tail
	var fill func(depth int, r rest, t tail)
	fill = func(depth int, r rest, t tail) {
		if r == (rest{}) {
			out = append(out, t)
			return
		}
		for _, w := range o.pairs(nil, r) {
			t[depth] = [2]uint8{uint8(left.index(w.a)), uint8(left.index(w.b))}
			fill(depth+1, w.rest, t)
		}
	}
	fill(0, r, tail{})
	return out
}

// A reflector reflects sets of configurations. It serves one computation.
type reflector struct {
	order *order
	known map[uint32][]tail
	room  []uint32 // of a scatter
}

// reflect passes to dst the reflections of the configurations of src with that base free and base 0 filled in the way
// w. It looks at ctx often enough.
//
// The reflection fills base 0 first and the other bases the other way round. So the tail, the lower part of a rank, is
// the upper part of the reflection's. Its place there depends on the tokens left for it alone. A base before the tail
// is filled there when the tokens of the bases between base 0 and itself are left.
func (t *reflector) reflect(ctx context.Context, dst, src *field, w way, hole int) error {
	o := t.order
	if t.room == nil && dst.size > cachedRanks {
		t.room = make([]uint32, keptRanks)
	}
	r := reflection{
		reflector: t, ctx: ctx, src: src, dst: newScatter(dst, t.room), hole: hole, last: o.bases,
		places: map[rest][]uint32{},
	}
	r.last -= min(tailBases, o.bases-1-hole)
	turned := o.mirrorTokens(w.a, w.b)
	at, left := o.part(all(o.bases), &turned, w.b == free)
	r.left = left
	err := r.walk(1, w.at, w.rest, w.at, at, rest{})
	r.dst.flushAll()
	return err
}

type reflection struct {
	*reflector
	ctx    context.Context
	src    *field
	dst    *scatter
	hole   int
	last   int  // the bases from here on are the tail
	left   rest // the tokens after base 0, reflected
	single []way
	// places has, for each way to fill the tail with some tokens, its part of the reflection's rank. It is less than 2^32
	// for MaxBases.
	places map[rest][]uint32
}

// walk goes through the ways to fill the bases before the tail, from that of a rank on. The bases before have the part
// at of the rank, and to of the reflection's; between is their tokens without those of base 0, reflected.
func (r *reflection) walk(base int, at uint64, left rest, first, to uint64, between rest) error {
	if base == r.last {
		r.finish(at, left, to)
		return nil
	}
	if base <= 2 {
		if err := puzzle.Progress(r.ctx); err != nil {
			return err
		}
	}
	var ways []way
	if base == r.hole {
		r.single = r.order.singles(r.single[:0], left)
		ways = r.single
	} else {
		ways = r.order.pairsOf(left)
	}
	end := at + r.order.left(left)
	for _, w := range ways {
		after := at + w.at + w.size
		if first >= after {
			continue
		}
		var ok bool
		if first, ok = r.src.next(first, end); !ok {
			return nil
		}
		if first >= after {
			continue
		}
		turned := r.order.mirrorTokens(w.a, w.b)
		with := between.with(turned[0])
		if w.b != free {
			with = with.with(turned[1])
		}
		part, _ := r.order.part(with, &turned, w.b == free)
		if err := r.walk(base+1, at+w.at, w.rest, first, to+part, with); err != nil {
			return err
		}
		first = after
	}
	return nil
}

// finish reflects the configurations that differ in the tail only.
func (r *reflection) finish(at uint64, left rest, to uint64) {
	places, ok := r.places[left]
	if !ok {
		places = r.placesOf(left)
		r.places[left] = places
	}
	r.src.each(at, r.order.left(left), func(rank uint64) { r.dst.set(to + uint64(places[rank-at])) })
}

// placesOf returns the places of the ways to fill the tail with left.
func (r *reflection) placesOf(left rest) []uint32 {
	n, p := r.order.bases, left.pattern()
	tails, ok := r.known[p]
	if !ok {
		tails = r.order.tails(left)
		r.known[p] = tails
	}
	var colour [MaxBases]uint8 // reflected, by index among those left
	for i, set := 0, left.two|left.one; set != 0; i, set = i+1, set&(set-1) {
		colour[i] = mirrored(n, set.member(0))
	}
	places := make([]uint32, 0, len(tails))
	for _, t := range tails {
		place, left := uint64(0), r.left
		for i := n - 1; i >= r.last; i-- {
			k := t[i-r.last]
			turned := pair(colour[k[0]], colour[k[1]])
			var at uint64
			at, left = r.order.part(left, &turned, false)
			place += at
		}
		places = append(places, uint32(place))
	}
	return places
}
