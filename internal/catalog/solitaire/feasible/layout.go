package feasible

import (
	"context"

	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

// An Open problem is one on a board of any size. Its goals are the positions with pegs on Pegs, perhaps on holes of
// Free, and on no others.
type Open struct {
	Board             *peg.Layout
	Start, Pegs, Free peg.Set
}

// Has reports whether s is a goal.
func (p *Open) Has(s *peg.Set) bool { return s.Less(p.Free) == p.Pegs }

// Certificate is a certificate about p.
func (p *Open) Certificate(claim proofs.Claim, proof proofs.Proof) *proofs.Certificate {
	return proofs.NewOpen(p.Board, p.Start, p.Pegs, p.Free, claim, proof)
}

// difference is P'-P, for the goal without pegs on Free.
func (p *Open) difference() []int64 {
	d := make([]int64, p.Board.Size())
	for i := range d {
		if p.Pegs.Has(i) {
			d[i]++
		}
		if p.Start.Has(i) {
			d[i]--
		}
	}
	return d
}

// Trivial applies the criteria of the peg counts, the dead start and the undone jump.
func (p *Open) Trivial() (proof proofs.Proof, criterion string) {
	switch {
	case p.Has(&p.Start):
		return proofs.Proof{Kind: proofs.Game}, Counts
	case p.Pegs.Pegs() >= p.Start.Pegs():
		return proofs.Proof{Kind: proofs.Pegs}, Counts
	case p.Board.DeadSet(&p.Start):
		return proofs.Proof{Kind: proofs.NoJump}, Dead
	}
	for _, j := range p.Board.Jumps {
		from, over, to := int(j.From), int(j.Over), int(j.To)
		if !p.Pegs.Has(from) && !p.Pegs.Has(over) && (p.Pegs.Has(to) || p.Free.Has(to)) {
			return proof, ""
		}
	}
	return proofs.Proof{Kind: proofs.NoUndo}, Unreachable
}

// RuleOfThree is the criterion of that name: the parities of the pegs on sets of holes, none of them of Free.
func (p *Open) RuleOfThree() (proof proofs.Proof, forbidden bool, note string) {
	for _, m := range p.Board.Invariants(p.Free) {
		if both := m.Less(m.Less(p.Start.Xor(p.Pegs))); both.Pegs()%2 != 0 {
			proof = proofs.Proof{Kind: proofs.Modular, Modulus: 2, Weights: make([]int64, p.Board.Size())}
			for i := range proof.Weights {
				if m.Has(i) {
					proof.Weights[i] = 1
				}
			}
			return proof, true, ""
		}
	}
	return proof, false, ""
}

// Lattice asks whether P'-P is in L for one of the goals, where those of Free may have any number of pegs. If not, the
// proof has weights that are multiples of the modulus on Free.
func (p *Open) Lattice() (proof proofs.Proof, forbidden bool, note string) {
	r := hermite(p.Board, p.Free, false).outside(p.difference())
	return r.proof, r.claim == proofs.Infeasible, r.note
}

// Cone asks whether P'-P is in C for one of the goals, where those of Free may have any number of pegs. If not, the
// proof is a pagoda function that is not negative on Free.
func (p *Open) Cone(ctx context.Context) (proof proofs.Proof, forbidden bool, note string) {
	columns := vectors(p.Board)
	for i := range p.Board.Holes {
		if p.Free.Has(i) {
			columns = append(columns, []entry{{i, -1}})
		}
	}
	t := newTableau(columns, p.difference())
	t.stop = func() error { return puzzle.Progress(ctx) }
	inside, err := t.solve()
	switch {
	case err != nil:
		return proof, false, err.Error()
	case inside:
		return proof, false, ""
	}
	return proofs.Proof{Kind: proofs.Pagoda, Weights: t.dual()}, true, ""
}

// goldenSteps is the distance up to which the weights of Golden fall: the sum of all of them on a large board fits 64
// bits.
const goldenSteps = 70

// Golden asks whether the golden weights around a hole forbid p: the hole must gain a peg, and the pegs of the start
// weigh less than those of every goal. A hole at distance d weighs F(70-d), the Fibonacci number, or 1 where that is
// more. The distance is in steps from a hole to one next to it in a jump. A jump ends at most one step nearer than the
// hole that it goes over, and that is at most one nearer than where it begins. So no jump raises the weight, on any
// board. F(70-d) is nearly F(70) times the d-th power of (sqrt 5 - 1)/2, with which Conway proved that an army cannot
// come to level 5.
func (p *Open) Golden() (proof proofs.Proof, forbidden bool, note string) {
	fibonacci := []int64{1, 1}
	for len(fibonacci) <= goldenSteps {
		fibonacci = append(fibonacci, fibonacci[len(fibonacci)-1]+fibonacci[len(fibonacci)-2])
	}
	near := make([][]uint16, p.Board.Size())
	for _, j := range p.Board.Jumps {
		near[j.From], near[j.To] = append(near[j.From], j.Over), append(near[j.To], j.Over)
		near[j.Over] = append(near[j.Over], j.From, j.To)
	}
	for target := range p.Board.Holes {
		if !p.Pegs.Has(target) || p.Start.Has(target) {
			continue
		}
		weights := make([]int64, p.Board.Size())
		weights[target] = fibonacci[goldenSteps]
		gain := int64(0)
		layer := []int{target}
		for d := 1; len(layer) > 0; d++ {
			var next []int
			for _, h := range layer {
				if p.Pegs.Has(h) {
					gain += weights[h]
				}
				if p.Start.Has(h) {
					gain -= weights[h]
				}
				for _, g := range near[h] {
					if weights[g] == 0 {
						weights[g] = fibonacci[max(0, goldenSteps-d)]
						next = append(next, int(g))
					}
				}
			}
			layer = next
		}
		if gain > 0 {
			return proofs.Proof{Kind: proofs.Pagoda, Weights: weights}, true, ""
		}
	}
	return proof, false, ""
}
