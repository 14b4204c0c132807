package feasible

import (
	"context"
	"math/big"

	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle/plural"
)

// difference is the vector P'-P.
func (f *Prover) difference(p peg.Problem) []int64 {
	d := make([]int64, f.board.Size())
	for i := range d {
		d[i] = int64(p.Goal>>uint(i)&1) - int64(p.Start>>uint(i)&1)
	}
	return d
}

func weigh(w []int64, p peg.Position) int64 {
	sum := int64(0)
	for i, v := range w {
		if p.Has(i) {
			sum += v
		}
	}
	return sum
}

// cone asks whether P'-P is a combination of jumps with coefficients >= 0 (Boardman and Conway, in Beasley, The Ins and
// Outs of Peg Solitaire; Avis and Deza, On the solitaire cone and its relationship to multi-commodity flows, 2001). If
// not, the dual solution of the linear program is a pagoda function that forbids the problem.
func (f *Prover) cone(p peg.Problem) finding {
	t := newTableau(f.columns, f.difference(p))
	inside, err := t.solve()
	if err != nil {
		return finding{gaveUp: true, note: err.Error()}
	}
	if !inside {
		return forbids(proofs.Proof{Kind: proofs.Pagoda, Weights: t.dual()})
	}
	x, den := t.solution()
	return finding{claim: proofs.InCone, proof: f.combination(x, den)}
}

// Pagoda returns weights of the holes that no jump raises and that are larger at the goal than at the start, when
// there are such; they prove that the goal cannot be reached.
func (f *Prover) Pagoda(p peg.Problem) (weights []int64, ok bool) {
	t := newTableau(f.columns, f.difference(p))
	inside, err := t.solve()
	if err != nil || inside {
		return nil, false
	}
	return t.dual(), true
}

// combination writes how often each jump is taken, x/den times.
func (f *Prover) combination(x []int64, den int64) proofs.Proof {
	proof := proofs.Proof{Kind: proofs.Combination}
	for i, j := range f.board.Jumps {
		if x[i] != 0 {
			proof.Multipliers = append(proof.Multipliers,
				proofs.Multiplier{Jump: peg.FormatJump(f.board, j), Times: big.NewRat(x[i], den).RatString()})
		}
	}
	return proof
}

// integerCone asks whether P'-P is a combination of jumps with integer coefficients >= 0, by branch and bound (Avis,
// Deza and Onn, A combinatorial approach to the solitaire game, 2000). The coefficients sum to the number of jumps, so
// there are finitely many to try. Jumps that sum to P'-P are looked for first. Outside the lattice there are none, and
// branching would be slow to see it.
func (f *Prover) integerCone(ctx context.Context, p peg.Problem, limits Limits) finding {
	if r := f.latticeCriterion(p); r.claim != "" {
		return r
	}
	if sums := newSumming(f.board); sums != nil && sums.solve(f.difference(p), p.Jumps(), patientSums) == allowed {
		x := make([]int64, len(f.columns))
		for _, i := range sums.taken {
			x[i]++
		}
		return finding{claim: proofs.InIntegerCone, proof: f.combination(x, 1)}
	}
	s := &branching{prover: f, ctx: ctx, left: limits.Nodes, difference: f.difference(p)}
	s.least, s.most = make([]int64, len(f.columns)), make([]int64, len(f.columns))
	for i := range s.most {
		s.most[i] = -1
	}
	root, x, err := s.solve()
	switch {
	case err != nil:
		return finding{gaveUp: true, note: err.Error()}
	case x != nil:
		return finding{claim: proofs.InIntegerCone, proof: f.combination(x, 1)}
	}
	return finding{
		claim: proofs.Infeasible, proof: proofs.Proof{Kind: proofs.Tree, Tree: root},
		note: plural.Of(limits.Nodes-s.left, "node"),
	}
}

// ConeMember returns the proof that P'-P is in the cone; ok is false when it is not.
func (f *Prover) ConeMember(p peg.Problem) (c *proofs.Certificate, ok bool) {
	p.Board = f.board
	r := f.cone(p)
	if r.claim != proofs.InCone {
		return nil, false
	}
	return proofs.New(p, r.claim, r.proof), true
}

// IntegerCone applies the criterion of the integer cone alone. The certificate claims that p is infeasible or that P'-P
// is in the integer cone; it is nil when the limit of nodes was reached, which note says.
func (f *Prover) IntegerCone(
	ctx context.Context, p peg.Problem, limits Limits,
) (c *proofs.Certificate, note string) {
	p.Board = f.board
	r := f.integerCone(ctx, p, limits.withDefaults())
	if r.claim == "" {
		return nil, r.note
	}
	return proofs.New(p, r.claim, r.proof), r.note
}

// Board is the board of the prover.
func (f *Prover) Board() *peg.Board { return f.board }
