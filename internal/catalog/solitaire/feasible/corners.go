package feasible

import (
	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/peg"
)

// A cornerGroup is a set of corners, holes that no jump goes over, none of them of class. Jumps that take a peg out of
// the group or into it all go over holes of class.
//
// On the English board there are two: the four ends of the left and right arms, and those of the upper and lower arms.
// Pegs leave the former over the class S (even row, odd column), the latter over T (odd row, even column).
type cornerGroup struct {
	class   int
	corners peg.Position
}

// cornerGroups finds for each class the largest group. It begins with the corners that are not of the class. It drops
// those with a jump over another class to or from a hole outside the group, until none is left to drop.
func cornerGroups(b *peg.Board) []cornerGroup {
	corners := b.Corners()
	var groups []cornerGroup
	for class, m := range b.ClassMasks() {
		g := corners &^ m
		for before := peg.Position(0); before != g; {
			before = g
			for _, j := range b.Jumps {
				if g.Has(int(j.From)) != g.Has(int(j.To)) && !m.Has(int(j.Over)) {
					g &^= 1<<j.From | 1<<j.To
				}
			}
		}
		var moves bool // corners without a jump in or out say nothing that the cone does not
		for _, j := range b.Jumps {
			moves = moves || g.Has(int(j.From)) != g.Has(int(j.To))
		}
		if moves {
			groups = append(groups, cornerGroup{class, g})
		}
	}
	return groups
}

// corners: each jump that changes the number e of pegs in a corner group takes a peg of its class. So s - e and s + e,
// where s counts the pegs of the class, never rise: they are pagoda functions. As s >= s - s', they forbid all that the
// inequality s < e - e' forbids. They are the same for the complements, and so forbid its second half.
func (f *Prover) corners(p peg.Problem) finding {
	for _, g := range f.groups {
		for _, sign := range []int64{-1, 1} {
			w := f.weights(f.classes[g.class], 1, g.corners, sign)
			if weigh(w, p.Goal) > weigh(w, p.Start) {
				return forbids(proofs.Proof{Kind: proofs.Pagoda, Weights: w})
			}
		}
	}
	return finding{}
}

// lastExit applies when the class has just as many pegs as have to leave the corners, and no jump is possible without
// it. Then the last jump of every game leaves a corner; it must be possible to undo one at the goal. The proof stands
// at the checker of such certificates. Reversed, it is applied to the complements.
func (f *Prover) lastExit(p peg.Problem) finding {
	for _, reversed := range []bool{false, true} {
		if reversed {
			p = p.Reverse()
		}
		for _, g := range f.groups {
			if empty, ok := f.endsWithExit(p, g); ok {
				return forbids(proofs.Proof{
					Kind: proofs.LastExit, Class: peg.FormatLine(f.board, f.classes[g.class]),
					Corners: peg.FormatLine(f.board, g.corners), Empty: peg.FormatLine(f.board, empty), Reversed: reversed,
				})
			}
		}
	}
	return finding{}
}

func (f *Prover) endsWithExit(p peg.Problem, g cornerGroup) (empty peg.Position, ok bool) {
	class := f.classes[g.class]
	exits := (p.Start & g.corners).Pegs() - (p.Goal & g.corners).Pegs()
	if exits <= 0 || exits != (p.Start&class).Pegs() {
		return 0, false
	}
	for _, m := range f.classes {
		if p.Start&m == 0 {
			empty |= m
		}
	}
	for _, j := range f.board.Jumps {
		if j.Need()&(class|empty) == 0 {
			return 0, false
		}
		exit := g.corners.Has(int(j.From)) && !g.corners.Has(int(j.To))
		if exit && p.Goal&j.Mask() == 1<<j.To {
			return 0, false
		}
	}
	return empty, true
}
