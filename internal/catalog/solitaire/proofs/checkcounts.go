package proofs

import (
	"fmt"

	"pagoda/internal/peg"
)

// MaxWalk bounds the states that the check of a walk visits.
const MaxWalk = 4_000_000

// checkLastExit verifies the proof that the last jump of every game takes a peg out of a corner, while none such can
// have led to the goal.
//
// Let M be the class, G the corners and Z the empty class, m, g and z the numbers of pegs in them, g' that of the goal.
//
//  1. No jump adds a peg to M, nor one to Z, where the start has none; so Z stays empty.
//  2. No jump goes over a hole of G. A jump that takes a peg into G or out of it goes over a hole of M.
//  3. Every jump has a peg of M or Z as the one that jumps or the one that is jumped.
//  4. m = g - g' > 0 at the start.
//
// By 2 each jump lowers g by at most one, and then lowers m by one. So by 4 all m pegs of M are removed by jumps that
// leave G. After the last of them M and Z are empty and by 3 the game is over: it ends with a jump that leaves G. The
// proof is complete when no jump out of G can be undone at the goal.
func (k *checker) checkLastExit() error {
	p := k.Problem
	if k.proof.Reversed {
		p = peg.Problem{Board: p.Board, Start: p.Board.Full() &^ p.Goal, Goal: p.Board.Full() &^ p.Start}
	}
	var sets [3]peg.Position
	for i, s := range []struct{ field, drawing string }{
		{"class", k.proof.Class}, {"corners", k.proof.Corners}, {"empty", k.proof.Empty},
	} {
		set, err := readSet(k.board, s.field, s.drawing)
		if err != nil {
			return err
		}
		sets[i] = peg.Position(set[0])
	}
	m, g, z := sets[0], sets[1], sets[2]
	if p.Start&z != 0 {
		return wrong("the start has pegs in the class that should be empty")
	}
	for _, j := range p.Board.Jumps {
		from, over, to := int(j.From), int(j.Over), int(j.To)
		leaves, enters := g.Has(from) && !g.Has(to), !g.Has(from) && g.Has(to)
		name := peg.FormatJump(p.Board, j)
		switch {
		case m.Has(to) && !m.Has(from), z.Has(to) && !z.Has(from) && !z.Has(over):
			return wrong("jump %s adds a peg to a class", name)
		case g.Has(over):
			return wrong("jump %s goes over a corner", name)
		case (leaves || enters) && !m.Has(over):
			return wrong("jump %s leaves or enters a corner over a hole outside the class", name)
		case !(m | z).Has(from) && !(m | z).Has(over):
			return wrong("jump %s needs no peg of the two classes", name)
		case leaves && !p.Goal.Has(from) && !p.Goal.Has(over) && p.Goal.Has(to):
			return wrong("jump %s, out of a corner, can have led to the goal", name)
		}
	}
	pegs, exits := (p.Start & m).Pegs(), (p.Start&g).Pegs()-(p.Goal&g).Pegs()
	if pegs != exits || exits <= 0 {
		return wrong("%d pegs of the class and %d to leave the corners: both numbers must be the same and positive",
			pegs, exits)
	}
	return nil
}

// checkWalk verifies that the numbers of pegs in the cells of a partition cannot go from those of the start to those of
// the goal. A jump is possible for the numbers when its cells have the pegs and the room for it. Every game is such a
// walk of the numbers, so where there is no walk there is no game.
func (k *checker) checkWalk() error {
	cells := k.proof.Cells
	if len(cells) != k.Board.Size() {
		return fmt.Errorf("%w: %d cells for %d holes", ErrForm, len(cells), k.Board.Size())
	}
	count := 0
	for _, c := range cells {
		if c < 0 || c >= len(cells) {
			return fmt.Errorf("%w: cell %d: the number must be from 0 to %d", ErrForm, c, len(cells)-1)
		}
		count = max(count, c+1)
	}
	numbers := func(p peg.Position) []byte {
		v := make([]byte, count)
		for i, c := range cells {
			if p.Has(i) {
				v[c]++
			}
		}
		return v
	}
	room, goal := numbers(k.Board.Full()), numbers(k.Goal)
	kinds := map[[3]int]bool{} // the jumps by cells: from, over, to
	for _, j := range k.Board.Jumps {
		kinds[[3]int{cells[j.From], cells[j.Over], cells[j.To]}] = true
	}
	level, visited := map[string]bool{string(numbers(k.Start)): true}, 1
	for range max(0, k.Jumps()) {
		if err := k.ctx.Err(); err != nil {
			return err
		}
		next := map[string]bool{}
		for v := range level {
			for t := range kinds {
				w := []byte(v)
				if w[t[0]]--; w[t[0]] == 255 {
					continue
				}
				if w[t[1]]--; w[t[1]] == 255 {
					continue
				}
				// The hole that the jump ends in was empty before it, so a cell that was full has none.
				if v[t[2]] == room[t[2]] {
					continue
				}
				w[t[2]]++
				next[string(w)] = true
			}
			if visited+len(next) > k.states {
				return wrong("the walk has more than %d states: this checker does not go on", k.states)
			}
		}
		visited += len(next)
		level = next
	}
	if level[string(goal)] {
		return wrong("the numbers of pegs in the cells can become those of the goal")
	}
	return nil
}
