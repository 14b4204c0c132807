package feasible

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/peg"
)

// A Space is the answer of every criterion but the search about one problem, none hidden by another. Its JSON form is a
// contract.
type Space struct {
	RuleOfThree Membership `json:"rule_of_three"`
	Lattice     Membership `json:"lattice"`      // L
	Cone        Membership `json:"cone"`         // C
	IntegerCone Membership `json:"integer_cone"` // EC
	Classes     Membership `json:"classes"`
	Corners     Membership `json:"corners"`
	Trivial     Membership `json:"trivial"`
	LastCorner  Membership `json:"last_corner"`
	ClassWalk   Membership `json:"class_walk"`
}

// A Membership is the answer of one criterion.
type Membership struct {
	// Member says whether the criterion allows the problem; nil where it reached its limit, which Note says.
	Member *bool `json:"member"`
	// Witness shows that it does: a certificate of the vector for L, C and EC, a *Reason for others.
	Witness any `json:"witness,omitempty"`
	// Certificate proves that the problem is infeasible, by this criterion.
	Certificate *proofs.Certificate `json:"certificate,omitempty"`
	// Others are the certificates of further trivial criteria that forbid the problem.
	Others []*proofs.Certificate `json:"others,omitempty"`
	Note   string                `json:"note,omitempty"`
}

// A Reason shows that a criterion that compares start and goal allows the problem.
type Reason struct {
	Functions []Function `json:"functions,omitempty"`
	// First is a jump that can be played on the start, Last one that can have led to the goal.
	First string `json:"first,omitempty"`
	Last  string `json:"last,omitempty"`
}

// A Function weighs the pegs of start and goal. By the rule of three both weights are odd, or both even; by the others
// that of the goal is not larger.
type Function struct {
	Weights []int64 `json:"weights"`
	Start   int64   `json:"start"`
	Goal    int64   `json:"goal"`
}

// Each passes the criteria to fn, in the order of the document.
func (s *Space) Each(fn func(name string, m *Membership)) {
	for _, c := range []struct {
		name string
		m    *Membership
	}{
		{RuleOfThree, &s.RuleOfThree}, {Lattice, &s.Lattice}, {Cone, &s.Cone}, {IntegerCone, &s.IntegerCone},
		{Classes, &s.Classes}, {Corners, &s.Corners}, {"trivial", &s.Trivial}, {LastExit, &s.LastCorner},
		{ClassWalk, &s.ClassWalk},
	} {
		fn(c.name, c.m)
	}
}

// Space asks every criterion but the search about p. The error wraps peg.ErrPosition when p has pegs outside the board,
// and is that of the context when it ends first.
func (f *Prover) Space(ctx context.Context, p peg.Problem, limits Limits) (*Space, error) {
	if err := f.onBoard(p); err != nil {
		return nil, err
	}
	p.Board, limits = f.board, limits.withDefaults()
	weighed := func(list ...[]int64) *Reason {
		r := new(Reason)
		for _, w := range list {
			r.Functions = append(r.Functions, Function{w, weigh(w, p.Start), weigh(w, p.Goal)})
		}
		return r
	}
	var masks, functions [][]int64
	for _, m := range f.masks {
		masks = append(masks, f.weights(m, 1, 0, 0))
	}
	for _, w := range f.Functions() {
		functions = append(functions, w.Weights)
	}
	classes, corners := functions[:len(f.classes)], functions[len(f.classes):]
	lattice := f.membership(p, f.latticeCriterion(p), nil)
	if c, ok := f.LatticeMember(p); ok {
		lattice.Witness = c
	}
	s := &Space{
		RuleOfThree: f.membership(p, f.ruleOfThree(p), weighed(masks...)),
		Lattice:     lattice,
		Cone:        f.membership(p, f.cone(p), nil),
		Classes:     f.membership(p, f.classGain(p), weighed(classes...)),
		Corners:     f.membership(p, f.corners(p), weighed(corners...)),
		Trivial:     f.trivial(p),
		LastCorner:  f.membership(p, f.lastExit(p), nil),
		ClassWalk:   f.membership(p, f.classWalk(ctx, p, limits), nil),
	}
	s.IntegerCone = f.membership(p, f.integerCone(ctx, p, limits), nil)
	return s, ctx.Err()
}

// A Pagoda is a pagoda function with a name.
type Pagoda struct {
	Name    string
	Weights []int64
}

// Of is the weight of the pegs of p.
func (w *Pagoda) Of(p peg.Position) int64 { return weigh(w.Weights, p) }

// Functions are the pagoda functions that the criteria of the classes and corners use: first those of the four classes.
func (f *Prover) Functions() []Pagoda {
	var list []Pagoda
	for k, m := range f.classes {
		list = append(list, Pagoda{"pegs of class " + strconv.Itoa(k), f.weights(m, 1, 0, 0)})
	}
	for _, g := range f.groups {
		corners := strings.Join(f.board.Labels(g.corners), " ")
		name := fmt.Sprintf("pegs of class %d %%s those in corners %s", g.class, corners)
		list = append(list, Pagoda{fmt.Sprintf(name, "less"), f.weights(f.classes[g.class], 1, g.corners, -1)},
			Pagoda{fmt.Sprintf(name, "and"), f.weights(f.classes[g.class], 1, g.corners, 1)})
	}
	return list
}

// membership is a finding as an answer; allowed shows that the criterion allows p, where the finding has no proof.
func (f *Prover) membership(p peg.Problem, r finding, allowed *Reason) Membership {
	m := Membership{Note: r.note}
	if r.gaveUp {
		return m
	}
	member := r.claim != proofs.Infeasible
	m.Member = &member
	switch {
	case !member:
		m.Certificate = proofs.New(p, r.claim, r.proof)
	case r.claim != "":
		m.Witness = proofs.New(p, r.claim, r.proof)
	case allowed != nil:
		m.Witness = allowed
	}
	return m
}

// trivial joins the three criteria that look at the numbers of pegs, the first jump and the last.
func (f *Prover) trivial(p peg.Problem) Membership {
	reason := new(Reason)
	for _, j := range f.board.Jumps {
		if reason.First == "" && j.Legal(p.Start) {
			reason.First = peg.FormatJump(f.board, j)
		}
		if reason.Last == "" && j.Legal(f.board.Complement(p.Goal)) {
			reason.Last = peg.FormatJump(f.board, j)
		}
	}
	counts := f.counts(p)
	if counts.claim == proofs.Feasible {
		return f.membership(p, finding{}, new(Reason))
	}
	m := f.membership(p, finding{}, reason)
	for _, r := range []finding{counts, f.dead(p), f.unreachable(p)} {
		switch {
		case r.claim == "":
		case m.Certificate == nil:
			m = f.membership(p, r, nil)
		default:
			m.Others = append(m.Others, proofs.New(p, r.claim, r.proof))
		}
	}
	return m
}

// Rank is the dimension of the space that jumps of b span.
func Rank(b *peg.Board, jumps []peg.Jump) (rank int) {
	c := b.Layout
	c.Jumps = jumps
	for _, v := range hermite(&c, peg.Set{}, false).basis {
		if v != nil {
			rank++
		}
	}
	return rank
}
