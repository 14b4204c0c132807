package feasible

import (
	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/peg"
)

// counts: each jump takes one peg, so the goal has fewer pegs than the start, or it is the start.
func (f *Prover) counts(p peg.Problem) finding {
	switch {
	case p.Start == p.Goal:
		return finding{claim: proofs.Feasible, proof: proofs.Proof{Kind: proofs.Game}}
	case p.Goal.Pegs() >= p.Start.Pegs():
		return forbids(proofs.Proof{Kind: proofs.Pegs})
	}
	return finding{}
}

// dead: a start without a legal jump leads nowhere.
func (f *Prover) dead(p peg.Problem) finding {
	if !f.board.Dead(p.Start) {
		return finding{}
	}
	return forbids(proofs.Proof{Kind: proofs.NoJump})
}

// unreachable is dead for the problem played backwards.
func (f *Prover) unreachable(p peg.Problem) finding {
	if !f.board.Dead(f.board.Complement(p.Goal)) {
		return finding{}
	}
	return forbids(proofs.Proof{Kind: proofs.NoUndo})
}

// classGain: a peg keeps its playable class when it jumps, so no class gains pegs: its holes, weighed 1, are a pagoda
// function.
func (f *Prover) classGain(p peg.Problem) finding {
	if m, ok := f.gainingClass(p); ok {
		return forbids(proofs.Proof{Kind: proofs.Pagoda, Weights: f.weights(m, 1, 0, 0)})
	}
	return finding{}
}

func (f *Prover) gainingClass(p peg.Problem) (holes peg.Position, ok bool) {
	for _, m := range f.classes {
		if (p.Goal & m).Pegs() > (p.Start & m).Pegs() {
			return m, true
		}
	}
	return 0, false
}

// ruleOfThree compares the parities of the pegs on the sets of holes that meet the three holes of each jump in an even
// number (Suremain de Missery 1841; de Bruijn, A solitaire game and its relation to a finite field, 1972).
func (f *Prover) ruleOfThree(p peg.Problem) finding {
	if m, ok := f.changedInvariant(p); ok {
		return forbids(proofs.Proof{Kind: proofs.Modular, Modulus: 2, Weights: f.weights(m, 1, 0, 0)})
	}
	return finding{}
}

func (f *Prover) changedInvariant(p peg.Problem) (holes peg.Position, ok bool) {
	for _, m := range f.masks {
		if ((p.Start^p.Goal)&m).Pegs()%2 != 0 {
			return m, true
		}
	}
	return 0, false
}

// weights is v on the holes of m plus w on those of n.
func (f *Prover) weights(m peg.Position, v int64, n peg.Position, w int64) []int64 {
	list := make([]int64, f.board.Size())
	for i := range list {
		if m.Has(i) {
			list[i] += v
		}
		if n.Has(i) {
			list[i] += w
		}
	}
	return list
}
