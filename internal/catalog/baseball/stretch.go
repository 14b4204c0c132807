package baseball

import "sync"

// A swap says that a move between bases h and h+1 takes the ranks left, left+1, ..., left+n-1 with base h free to
// right, right+1, ... with base h+1 free, and back. The ranks count from the part that the bases before h make up,
// which is the same for both.
type swap struct{ left, right, n uint64 }

// swaps finds the moves between a free base and the one after it, for the tokens r that the bases before have left. The
// bases after the two keep their tokens and so their part of the rank.
func (o *order) swaps(r rest) []swap {
	var list []swap
	for _, x := range o.singles(nil, r) {
		for _, p := range o.pairs(nil, x.rest) {
			goes, stays := p.a, p.b
			for range 2 {
				both := pair(x.a, goes)
				at, after := o.both(r, both[0], both[1])
				single, _ := o.single(after, stays)
				list = append(list, swap{x.at + p.at, at + single, p.size})
				if p.a == p.b {
					break
				}
				goes, stays = stays, goes
			}
		}
	}
	return joinSwaps(list)
}

// joinSwaps joins swaps that follow each other on both sides. Of the moves of two tokens of a base, which alternate in
// the list, each has a chain of its own.
func joinSwaps(list []swap) []swap {
	out := list[:0]
	for _, s := range list {
		joined := false
		for i := len(out) - 1; i >= 0 && i >= len(out)-2; i-- {
			l := &out[i]
			if l.left+l.n == s.left && l.right+l.n == s.right {
				l.n += s.n
				joined = true
				break
			}
		}
		if !joined {
			out = append(out, s)
		}
	}
	return out
}

// A swapper keeps the swaps by the pattern of the tokens left. Safe for concurrent use.
type swapper struct {
	order *order
	known sync.Map // pattern -> []swap
}

// of returns the swaps for r. They depend on which of the colours left, counted in order, have two tokens; not on the
// colours themselves.
func (s *swapper) of(r rest) []swap {
	p := r.pattern()
	if v, ok := s.known.Load(p); ok {
		return v.([]swap)
	}
	v, _ := s.known.LoadOrStore(p, s.order.swaps(r))
	return v.([]swap)
}

// pattern is a number that two rests share exactly when one is the other with its colours renamed in order.
func (r rest) pattern() uint32 {
	p, bit := uint32(0), uint32(1)
	for left := r.two | r.one; left != 0; left &= left - 1 {
		if r.two&left&-left != 0 {
			p |= bit
		}
		bit <<= 1
	}
	return p | bit
}

// move adds to dst the configurations of src after the moves between bases h and h+1: with right the free place goes
// from h to h+1, otherwise back. Both cover the ranks of the way w to fill base 0, and h >= 1.
func (s *swapper) move(dst, src *field, w way, h int, right bool) {
	m := mover{s, dst, src, h, right}
	m.walk(1, w.at, w.rest)
}

type mover struct {
	*swapper
	dst, src *field
	h        int
	right    bool
}

// walk goes through the ways to fill the bases before h.
func (m *mover) walk(base int, at uint64, r rest) {
	if _, ok := m.src.next(at, at+m.order.left(r)); !ok {
		return
	}
	if base < m.h {
		for _, w := range m.order.pairsOf(r) {
			m.walk(base+1, at+w.at, w.rest)
		}
		return
	}
	if m.right {
		for _, s := range m.of(r) {
			m.dst.or(at+s.right, m.src, at+s.left, s.n)
		}
		return
	}
	for _, s := range m.of(r) {
		m.dst.or(at+s.left, m.src, at+s.right, s.n)
	}
}
