package fewest

import (
	"math/bits"
	"slices"

	"pagoda/internal/peg"
)

// sweeps are the ways to make one sweep, or with back to undo one.
type sweeps struct {
	jumps [peg.MaxHoles][]peg.Jump // by the hole in which they begin, or with back end
	back  bool
	list  []peg.Position
	many  map[peg.Position]bool // those of the list from the present peg on, when they are many
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
// two pegs lead to is in it twice.
func (s *sweeps) of(p peg.Position) []peg.Position {
	s.list = s.list[:0]
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
		if q := p ^ j.Mask(); p&j.Mask() == need && s.fresh(begin, q) {
			s.list = append(s.list, q)
			s.extend(begin, q, next)
		}
	}
}

// fresh reports whether a position is not among those of the list from begin on. One that the peg reaches on two ways
// has it in the same hole, unless that is where it began; and from there the two go on alike.
func (s *sweeps) fresh(begin int, p peg.Position) bool {
	if len(s.list)-begin < few {
		return !slices.Contains(s.list[begin:], p)
	}
	if s.many == nil {
		s.many = map[peg.Position]bool{}
		for _, q := range s.list[begin:] {
			s.many[q] = true
		}
	}
	fresh := !s.many[p]
	s.many[p] = true
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
