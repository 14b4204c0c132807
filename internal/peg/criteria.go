package peg

import (
	"fmt"
	"strings"

	"pagoda/internal/puzzle/plural"
)

// A Problem asks for the jump sequences from Start to Goal.
type Problem struct {
	Board       *Board
	Start, Goal Position
}

// Jumps is the number of jumps from start to goal: each takes one peg.
func (p Problem) Jumps() int { return p.Start.Pegs() - p.Goal.Pegs() }

// Check says whether the question makes sense at all: pegs on the board only, at least one peg in the goal, and fewer
// than in the start. The error wraps ErrPosition. A question that makes sense can still be [Problem.Forbidden].
func (p Problem) Check() error {
	for _, q := range []struct {
		name string
		pegs Position
	}{{"start", p.Start}, {"goal", p.Goal}} {
		if q.pegs&^p.Board.Full() != 0 {
			return fmt.Errorf("%w: the %s %s has pegs outside the %d holes of board %s", ErrPosition, q.name, Hex(q.pegs),
				p.Board.Size(), p.Board.Name)
		}
	}
	switch s, g := p.Start.Pegs(), p.Goal.Pegs(); {
	case g == 0:
		return fmt.Errorf("%w: the goal has no peg, but every jump leaves one", ErrPosition)
	case g >= s:
		return fmt.Errorf("%w: the goal has %s and the start %d: every jump takes one, so the goal must have fewer",
			ErrPosition, plural.Of(g, "peg"), s)
	}
	return nil
}

// Symmetries returns the symmetries of the board that fix both start and goal.
func (p Problem) Symmetries() []Perm {
	return Stabiliser(Stabiliser(p.Board.Symmetries(), p.Start), p.Goal)
}

// Reverse is the same problem played backwards, on the complements; it has as many solutions.
func (p Problem) Reverse() Problem {
	return Problem{p.Board, p.Board.Complement(p.Goal), p.Board.Complement(p.Start)}
}

// Forbidden looks for a proof, without search, that the problem has no solution. reason names the criterion and the
// numbers that prove it, in one line for people. The criteria are tried from the cheapest to the dearest; a problem
// that none of them forbids may still be unsolvable.
//
//	rule of three   an invariant over GF(2) differs (de Bruijn 1972)
//	class counts    a playable class would have to gain pegs, or the way down through the class counts is blocked
//	pagoda function a weight that no jump increases is larger at the goal (Conway; Beasley, The Ins and Outs of Peg
//	                Solitaire, chapter 5)
func (p Problem) Forbidden() (reason string, forbidden bool) {
	for _, criterion := range []func() (string, bool){p.ruleOfThree, p.classCounts, p.classLattice, p.pagodaFunction} {
		if reason, forbidden = criterion(); forbidden {
			return reason, true
		}
	}
	return "", false
}

func (p Problem) ruleOfThree() (string, bool) {
	for _, m := range p.Board.Invariants() {
		s, g := (p.Start & m).Pegs(), (p.Goal & m).Pegs()
		if s&1 != g&1 {
			return fmt.Sprintf("rule of three (de Bruijn 1972): no jump changes the parity of the pegs on %s, "+
				"the start has %d there and the goal %d", p.Board.describe(m), s, g), true
		}
	}
	return "", false
}

// describe names a set of holes: one by one when they are few, else as a hexadecimal position.
func (b *Board) describe(m Position) string {
	const few = 9
	if m.Pegs() > few {
		return fmt.Sprintf("the %d holes of %s", m.Pegs(), Hex(m))
	}
	return strings.Join(b.Labels(m), " ")
}

// classCounts: a jump takes a peg of one playable class and moves another within its class, so no class ever gains a
// peg.
func (p Problem) classCounts() (string, bool) {
	for k, m := range p.Board.ClassMasks() {
		if s, g := (p.Start & m).Pegs(), (p.Goal & m).Pegs(); g > s {
			return fmt.Sprintf("class counts: the goal has %s in the holes of %s, the start %d, and no jump adds one there",
				plural.Of(g, "peg"), p.Board.ClassName(k), s), true
		}
	}
	return "", false
}

// classLattice looks for a way down from the class counts of the start to those of the goal, one class losing one peg
// at each step. Class k can lose a peg when another class m has a peg to jump over it and an empty hole to land in, and
// the board such a jump.
func (p Problem) classLattice() (string, bool) {
	masks := p.Board.ClassMasks()
	var start, goal, size [4]int
	for k, m := range masks {
		start[k], goal[k], size[k] = (p.Start & m).Pegs(), (p.Goal & m).Pegs(), m.Pegs()
	}
	var jumps [4][4]bool // [class that loses a peg][class that moves]
	for _, j := range p.Board.Jumps {
		jumps[p.Board.Class[j.Over]][p.Board.Class[j.From]] = true
	}
	can := func(v [4]int, k int) bool {
		for m, ok := range jumps[k] {
			if ok && v[k] > goal[k] && v[m] > 0 && v[m] < size[m] {
				return true
			}
		}
		return false
	}
	level := map[[4]int]bool{start: true}
	for range p.Jumps() {
		next := map[[4]int]bool{}
		for v := range level {
			for k := range v {
				if can(v, k) {
					w := v
					w[k]--
					next[w] = true
				}
			}
		}
		level = next
	}
	if level[goal] {
		return "", false
	}
	return fmt.Sprintf("class counts: no order of jumps lowers the pegs of the four playable classes from %v to %v: "+
		"a jump needs a peg and an empty hole of one class and a peg of another", start, goal), true
}
