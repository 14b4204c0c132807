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

// mirror returns the reflection of a filling.
func (o *order) mirror(f *filling) (g filling) {
	for i := range o.bases {
		t := f[i]
		t[0] = mirrored(o.bases, t[0])
		if t[1] != free {
			t = pair(t[0], mirrored(o.bases, t[1]))
		}
		g[mirrored(o.bases, uint8(i))] = t
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
}

// reflect passes to dst the reflections of the configurations of src with that base free and base 0 filled in the way
// w. It looks at ctx often enough.
func (t *reflector) reflect(ctx context.Context, dst, src *field, w way, hole int) error {
	r := reflection{reflector: t, ctx: ctx, dst: dst, src: src, hole: hole, last: t.order.bases}
	r.last -= min(tailBases, t.order.bases-1-hole)
	r.put(0, w)
	return r.walk(1, w.at, w.rest)
}

type reflection struct {
	*reflector
	ctx      context.Context
	dst, src *field
	hole     int
	last     int // the bases from here on are the tail
	turned   filling
	ways     [MaxBases][]way
}

// put fills a base, in the reflection.
func (r *reflection) put(base int, w way) {
	n := r.order.bases
	t := [2]uint8{mirrored(n, w.a), free}
	if w.b != free {
		t = pair(t[0], mirrored(n, w.b))
	}
	r.turned[mirrored(n, uint8(base))] = t
}

// walk goes through the ways to fill the bases before the tail.
func (r *reflection) walk(base int, at uint64, left rest) error {
	if !r.src.any(at, r.order.left(left)) {
		return nil
	}
	if base == r.last {
		r.finish(at, left)
		return nil
	}
	if base <= 2 {
		if err := puzzle.Progress(r.ctx); err != nil {
			return err
		}
	}
	if base == r.hole {
		r.ways[base] = r.order.singles(r.ways[base][:0], left)
	} else {
		r.ways[base] = r.order.pairs(r.ways[base][:0], left)
	}
	for _, w := range r.ways[base] {
		r.put(base, w)
		if err := r.walk(base+1, at+w.at, w.rest); err != nil {
			return err
		}
	}
	return nil
}

// finish reflects the configurations that differ in the tail only.
func (r *reflection) finish(at uint64, left rest) {
	n := r.order.bases
	p := left.pattern()
	tails, ok := r.known[p]
	if !ok {
		tails = r.order.tails(left)
		r.known[p] = tails
	}
	var colour [MaxBases]uint8 // reflected, by index among those left
	for i, set := 0, left.two|left.one; set != 0; i, set = i+1, set&(set-1) {
		colour[i] = mirrored(n, set.member(0))
	}
	to := (n - r.hole) % n
	r.src.each(at, r.order.left(left), func(rank uint64) {
		t := &tails[rank-at]
		for i := r.last; i < n; i++ {
			k := t[i-r.last]
			r.turned[n-i] = pair(colour[k[0]], colour[k[1]])
		}
		r.dst.set(r.order.rank(&r.turned, to))
	})
}
