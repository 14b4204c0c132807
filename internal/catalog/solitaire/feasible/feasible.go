// Package feasible decides problems of peg solitaire by proof: which goals cannot be reached from a start, and why.
//
// It applies criteria, the cheapest first, and hands out a certificate for its answer, which package proofs
// verifies without this package. A criterion only ever forbids; a problem that all criteria allow may still have no
// game. Therefore the last criterion is a small exhaustive search, which can also find a game.
//
// The usual way in:
//
//	verdict, err := feasible.New(board).Decide(ctx, problem, feasible.Limits{})
//
// The package is pure: no files, no clock, no logging; results depend on the arguments alone. Verdicts need no floating
// point: linear programs are solved in integers.
package feasible

import (
	"context"
	"fmt"
	"math/big"
	"sync"
	"sync/atomic"

	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/peg"
)

// Answers of a [Verdict].
const (
	Infeasible = "infeasible"
	Feasible   = "feasible"
	Unknown    = "unknown"
)

// Names of the criteria, in the order in which [Prover.Decide] applies them.
const (
	Counts      = "peg counts"     // the goal has as many pegs as the start, or more
	Dead        = "dead start"     // no jump is legal on the start
	Unreachable = "no undone jump" // no jump can have led to the goal
	Classes     = "playable classes"
	RuleOfThree = "rule of three"
	Lattice     = "lattice"
	Corners     = "corners"
	LastExit    = "last corner"
	Golden      = "golden pagoda" // on large boards alone
	Cone        = "cone"
	ClassWalk   = "class walk"
	IntegerCone = "integer cone"
	Search      = "search"
)

// Limits bound the work of the criteria whose cost is not small. 0 stands for the default.
type Limits struct {
	WalkStates int // states of the class walk; default 300,000
	Nodes      int // nodes of branch and bound; default 500
	Positions  int // positions of the search, on both sides together; default 200,000; negative: no search
}

func (l Limits) withDefaults() Limits {
	for _, d := range []struct {
		field *int
		value int
	}{{&l.WalkStates, 300_000}, {&l.Nodes, 500}, {&l.Positions, 200_000}} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	return l
}

// A Verdict is the answer to a problem. Its JSON form is a contract.
type Verdict struct {
	// Verdict is Infeasible, Feasible or Unknown.
	Verdict string `json:"verdict"`
	// Criterion is the one that decided, "" when none did.
	Criterion string `json:"criterion"`
	// Certificate proves the verdict; nil when it is Unknown.
	Certificate *proofs.Certificate `json:"certificate"`
	// Tried are the criteria that were applied before and did not decide.
	Tried []Attempt `json:"tried"`
}

// An Attempt is a criterion that did not decide.
type Attempt struct {
	Criterion string `json:"criterion"`
	// Outcome is "allows" when the criterion does not forbid the problem, and "gave up" when it reached its limit.
	Outcome string `json:"outcome"`
	// Note says more, in one line.
	Note string `json:"note,omitempty"`
	// Certificate proves that the criterion allows the problem, where that has a short proof.
	Certificate *proofs.Certificate `json:"certificate,omitempty"`
}

// A Prover applies the criteria on one board. It may be used concurrently.
type Prover struct {
	board   *peg.Board
	masks   []peg.Position // invariants over GF(2)
	classes [4]peg.Position
	groups  []cornerGroup
	cells   []int     // of the class walk
	columns [][]entry // the jump vectors
	lattice *lattice
	tracked func() *lattice // the same, which notes the combinations; made when it is first asked for

	lastWalk atomic.Pointer[walked]
}

// New prepares the criteria for board b.
func New(b *peg.Board) *Prover {
	f := &Prover{board: b, masks: b.Invariants(), classes: b.ClassMasks()}
	f.columns = vectors(&b.Layout)
	f.groups = cornerGroups(b)
	f.cells = f.walkCells()
	f.lattice = hermite(&b.Layout, peg.Set{}, false)
	f.tracked = sync.OnceValue(func() *lattice { return hermite(&b.Layout, peg.Set{}, true) })
	return f
}

// vectors are the vectors of the jumps.
func vectors(b *peg.Layout) (columns [][]entry) {
	for _, j := range b.Jumps {
		columns = append(columns, []entry{{int(j.From), -1}, {int(j.Over), -1}, {int(j.To), 1}})
	}
	return columns
}

// A finding is the answer of a criterion.
type finding struct {
	claim  proofs.Claim // the claim of proof: Infeasible, Feasible, or membership; "" for nothing
	proof  proofs.Proof
	gaveUp bool
	note   string
}

func forbids(proof proofs.Proof) finding {
	return finding{claim: proofs.Infeasible, proof: proof}
}

// A criterion examines a problem that the criteria before it allow.
type criterion struct {
	name  string
	apply func(context.Context, peg.Problem, Limits) finding
}

func (f *Prover) criteria() []criterion {
	plain := func(fn func(peg.Problem) finding) func(context.Context, peg.Problem, Limits) finding {
		return func(_ context.Context, p peg.Problem, _ Limits) finding { return fn(p) }
	}
	return []criterion{
		{Counts, plain(f.counts)},
		{Dead, plain(f.dead)},
		{Unreachable, plain(f.unreachable)},
		{Classes, plain(f.classGain)},
		{RuleOfThree, plain(f.ruleOfThree)},
		{Lattice, plain(f.latticeCriterion)},
		{Corners, plain(f.corners)},
		{LastExit, plain(f.lastExit)},
		{Cone, plain(f.cone)},
		{ClassWalk, f.classWalk},
		{IntegerCone, f.integerCone},
		{Search, f.search},
	}
}

// Names lists the criteria in the order in which they are applied.
func Names() []string {
	var names []string
	for _, c := range new(Prover).criteria() {
		names = append(names, c.name)
	}
	return names
}

// Decide applies the criteria in order until one decides p. The error wraps peg.ErrPosition when p has pegs outside
// the board, and is that of the context when it ends before the verdict.
func (f *Prover) Decide(ctx context.Context, p peg.Problem, limits Limits) (*Verdict, error) {
	v := &Verdict{Verdict: Unknown, Tried: []Attempt{}}
	if err := f.onBoard(p); err != nil {
		return nil, err
	}
	p.Board = f.board
	limits = limits.withDefaults()
	for _, c := range f.criteria() {
		if c.name == Search && limits.Positions < 0 {
			continue
		}
		r := c.apply(ctx, p, limits)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var proof *proofs.Certificate
		switch {
		case r.claim != "":
			proof = proofs.New(p, r.claim, r.proof)
		case c.name == Lattice && !r.gaveUp:
			proof, _ = f.LatticeMember(p) // made here alone: surveys ask the criterion very often, and want no proof
		}
		switch r.claim {
		case proofs.Infeasible:
			v.Verdict, v.Criterion, v.Certificate = Infeasible, c.name, proof
			return v, nil
		case proofs.Feasible:
			v.Verdict, v.Criterion, v.Certificate = Feasible, c.name, proof
			return v, nil
		}
		outcome := "allows"
		if r.gaveUp {
			outcome = "gave up"
		}
		v.Tried = append(v.Tried, Attempt{c.name, outcome, r.note, proof})
	}
	return v, nil
}

// onBoard refuses positions with pegs outside the board.
func (f *Prover) onBoard(p peg.Problem) error {
	for _, q := range []peg.Position{p.Start, p.Goal} {
		if q&^f.board.Full() != 0 {
			return fmt.Errorf("%w: %s has pegs outside the %d holes of board %s", peg.ErrPosition, peg.Hex(q),
				f.board.Size(), f.board.Name)
		}
	}
	return nil
}

// Apply applies one criterion, whether or not a cheaper one decides p. It returns the certificate that p is infeasible,
// or, from the search, feasible; nil when the criterion decides nothing.
func (f *Prover) Apply(ctx context.Context, name string, p peg.Problem, limits Limits) *proofs.Certificate {
	p.Board = f.board
	for _, c := range f.criteria() {
		if c.name != name {
			continue
		}
		r := c.apply(ctx, p, limits.withDefaults())
		if r.claim == proofs.Infeasible || r.claim == proofs.Feasible {
			return proofs.New(p, r.claim, r.proof)
		}
	}
	return nil
}

// Finer reports whether the lattice criterion forbids more than the rule of three on this board: the rule of three is
// all of it exactly when L contains the double of every vector.
func (f *Prover) Finer() bool {
	for i := range f.board.Size() {
		twice := make([]big.Int, f.board.Size())
		twice[i].SetInt64(2)
		if f.lattice.reduce(&latticeVector{at: twice}) >= 0 {
			return true
		}
	}
	return false
}
