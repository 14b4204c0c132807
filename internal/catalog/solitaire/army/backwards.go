package army

import (
	"context"
	"math/bits"
	"slices"
)

// The window of places that a position can hold: columns -half..half and heights low..low+31.
const (
	half = 7
	low  = -20
)

// A position is a set of pegs: a word of 16 bits for each height, bit x+half for column x.
type position [32]uint16

func inside(p Point) bool { return p.X >= -half && p.X <= half && p.Y >= low && p.Y < low+32 }

func (q position) has(p Point) bool { return q[p.Y-low]>>(p.X+half)&1 != 0 }

func (q position) with(p Point) position {
	q[p.Y-low] |= 1 << (p.X + half)
	return q
}

func (q position) without(p Point) position {
	q[p.Y-low] &^= 1 << (p.X + half)
	return q
}

// points lists the pegs, the highest first, from left to right.
func (q position) points() []Point { return q.append(nil) }

func (q *position) append(list []Point) []Point {
	for y := len(q) - 1; y >= 0; y-- {
		for w := q[y]; w != 0; w &= w - 1 {
			list = append(list, Point{bits.TrailingZeros16(w) - half, y + low})
		}
	}
	return list
}

// mirrored is the smaller of q and its mirror image, which the target does not tell apart.
func (q position) mirrored() position {
	var m position
	for y, w := range q {
		m[y] = bits.Reverse16(w) >> (16 - 2*half - 1)
	}
	if slices.Compare(m[:], q[:]) < 0 {
		return m
	}
	return q
}

// powers are those of s up to the farthest place that an undone jump can look at from inside the window.
var powers = func() (list [48]Golden) {
	for n := range list {
		list[n] = Power(n)
	}
	return list
}()

// backwards undoes jumps from the target until all pegs are below the line. An undone jump adds one peg, and never
// lowers the weight.
type backwards struct {
	ctx   context.Context
	level int
	pegs  int    // of the army
	most  Golden // the greatest weight of so many pegs
	least Golden // the least weight of a peg: 1, less the greatest weight of the others
	need  []int  // by height of a peg: the least number of pegs below the line
	seen  map[position]bool
	army  position
	jumps []Jump
	// truncated says that a position was passed over because the window does not hold it.
	truncated bool
}

// search reports whether the army's pegs can come to q, which has count pegs and the given weight. If so, it leaves the
// army and the jumps.
func (s *backwards) search(q position, count int, weight Golden) (bool, error) {
	// Undone jumps make of each peg two. So different pegs come from disjoint parts of the army, and their needs add up.
	var room [64]Point
	pegs := q.append(room[:0])
	total, above := 0, false
	for _, p := range pegs {
		above = above || p.Y > 0
		switch h := max(0, p.Y); {
		case h < len(s.need):
			total += s.need[h]
		default:
			total += s.need[len(s.need)-1] + 1
		}
	}
	switch {
	case !above && count == s.pegs:
		s.army = q
		return true, nil
	case total > s.pegs, count >= s.pegs:
		return false, nil
	}
	m := q.mirrored()
	if s.seen[m] {
		return false, nil
	}
	s.seen[m] = true
	if err := s.ctx.Err(); err != nil {
		return false, err
	}
	for _, to := range pegs {
		for _, d := range []Point{{0, -1}, {-1, 0}, {1, 0}, {0, 1}} {
			over, from := Point{to.X + d.X, to.Y + d.Y}, Point{to.X + 2*d.X, to.Y + 2*d.Y}
			w := weight.Minus(s.weight(to)).Plus(s.weight(over)).Plus(s.weight(from))
			if w.Minus(s.most).Sign() > 0 || s.tooFar(over, w) || s.tooFar(from, w) {
				continue
			}
			if !inside(from) {
				s.truncated = true
				continue
			}
			if q.has(over) || q.has(from) {
				continue
			}
			found, err := s.search(q.without(to).with(over).with(from), count+1, w)
			if err != nil {
				return false, err
			}
			if found {
				s.jumps = append(s.jumps, Jump{from, to})
				return true, nil
			}
		}
	}
	return false, nil
}

// tooFar reports whether a peg at p, in a position of the given weight, can have no part in the army. All pegs of an
// army weigh 1 together at least, so each weighs at least as much as the others lack to 1. The pegs that p comes from
// weigh at most as much as p and the loss of the rest of the game.
func (s *backwards) tooFar(p Point, weight Golden) bool {
	return s.weight(p).Plus(s.most.Minus(weight)).Minus(s.least).Sign() < 0
}

// weight is the weight of a place, a power of s by its distance from the target.
func (s *backwards) weight(p Point) Golden {
	return powers[max(p.X, -p.X)+max(p.Y-s.level, s.level-p.Y)]
}
