package fewest

import (
	"math/bits"

	"pagoda/internal/peg"
)

// sweeps are the ways to make one sweep, or with back to undo one.
type sweeps struct {
	jumps [peg.MaxHoles][]peg.Jump // by the hole in which they begin, or with back end
	back  bool
	list  []peg.Position
	holes []uint16       // by position of the list: where the peg of the sweep is
	many  map[swept]bool // those of the list from the present peg on, when they are many
}

// A swept is a position after a sweep, and the hole of its peg.
type swept struct {
	at   peg.Position
	hole uint16
}

func newSweeps(b *peg.Board, back bool) *sweeps {
	s := &sweeps{back: back}
	for _, j := range b.Jumps {
		h := j.From
		if back {
			h = j.To
		}
		s.jumps[h] = append(s.jumps[h], j)
	}
	return s
}

// few is how many positions are compared one by one.
const few = 64

// of returns the positions after one sweep, or before; the list is valid until the next call. A position that sweeps of
// two pegs lead to is in it twice, and so is one where the peg may be in either of two holes.
func (s *sweeps) of(p peg.Position) []peg.Position {
	s.list, s.holes = s.list[:0], s.holes[:0]
	for rest := p; rest != 0; rest &= rest - 1 {
		s.many = nil
		s.extend(len(s.list), p, uint16(trailing(rest)))
	}
	return s.list
}

func (s *sweeps) extend(begin int, p peg.Position, h uint16) {
	for _, j := range s.jumps[h] {
		need, next := j.Need(), j.To
		if s.back {
			need, next = 1<<j.To, j.From
		}
		if q := p ^ j.Mask(); p&j.Mask() == need && s.fresh(begin, swept{q, next}) {
			s.list, s.holes = append(s.list, q), append(s.holes, next)
			s.extend(begin, q, next)
		}
	}
}

// fresh reports whether a position is not among those of the list from begin on, with the peg in that hole: from there
// two ways to it go on alike. The hole tells two ways apart on boards with a rule of their own, where a peg can end in
// a hole over which it has jumped.
func (s *sweeps) fresh(begin int, x swept) bool {
	if len(s.list)-begin < few {
		for i, p := range s.list[begin:] {
			if p == x.at && s.holes[begin+i] == x.hole {
				return false
			}
		}
		return true
	}
	if s.many == nil {
		s.many = map[swept]bool{}
		for i, p := range s.list[begin:] {
			s.many[swept{p, s.holes[begin+i]}] = true
		}
	}
	fresh := !s.many[x]
	s.many[x] = true
	return fresh
}

// jumpsTo returns the jumps of a sweep to a position that is wanted.
func (s *sweeps) jumpsTo(p peg.Position, wanted func(peg.Position) bool) []peg.Jump {
	var visit func(p peg.Position, h uint16) []peg.Jump
	visit = func(p peg.Position, h uint16) []peg.Jump {
		for _, j := range s.jumps[h] {
			if !j.Legal(p) {
				continue
			}
			q := j.Play(p)
			if wanted(q) {
				return []peg.Jump{j}
			}
			if more := visit(q, j.To); more != nil {
				return append([]peg.Jump{j}, more...)
			}
		}
		return nil
	}
	for h := range uint16(peg.MaxHoles) {
		if jumps := visit(p, h); jumps != nil {
			return jumps
		}
	}
	return nil
}

// trailing is the first hole of p.
func trailing(p peg.Position) int { return bits.TrailingZeros64(uint64(p)) }
