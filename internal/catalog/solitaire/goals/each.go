package goals

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/catalog/solitaire/solve"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/plural"
)

// Bounds of a proof for each goal.
const (
	mostListed = 1 << 18 // goals that are looked at, each some microseconds
	mostOpen   = 2000    // classes of goals for which a proof of their own is looked for, each some milliseconds
)

// quick bounds the criteria that every goal is asked for first.
var quick = feasible.Limits{WalkStates: 10_000, Nodes: 50, Positions: 5000}

// An eachProof collects proofs for the goals of a problem.
type eachProof struct {
	*decision
	prover *feasible.Prover
	shared []sharedProof
	own    []proofs.GoalProof
	by     map[string]int // classes of goals by what forbids them
	order  []string       // of by
	open   []peg.Position
	bare   []peg.Position // proved to be out of reach by a search, without a certificate
}

// A sharedProof is one that may forbid several goals: it has weights, whose sum over the pegs is compared.
type sharedProof struct {
	criterion string
	proof     proofs.Proof
}

// each looks at the goals one by one. A game to one of them is a solution; a proof for each of them is a proof.
func (d *decision) each(ctx context.Context) error {
	e := &eachProof{decision: d, prover: feasible.New(d.goals.Board), by: map[string]int{}}
	list, ok, err := e.classes(ctx)
	if err != nil {
		return err
	}
	if !ok {
		d.tried(eachGoal, "gave up", fmt.Sprintf("more than %d goals, or %d classes of them, are left", mostListed, mostOpen))
		return nil
	}
	for _, q := range list {
		if err := e.criteria(ctx, q); err != nil || d.Verdict != feasible.Unknown {
			return err
		}
	}
	for _, bytes := range d.o.budgets() {
		open := e.open
		e.open = nil
		for _, q := range open {
			if err := e.solve(ctx, q, bytes); err != nil || d.Verdict != feasible.Unknown {
				return err
			}
		}
	}
	for _, name := range e.order {
		d.tried(name, "forbids", fmt.Sprintf("%d of %s", e.by[name], plural.Of(len(list), "class")+" of goals"))
	}
	if len(e.open) > 0 {
		d.tried(eachGoal, "gave up", fmt.Sprintf("%d of them are open", len(e.open)))
		return nil
	}
	return e.certify(ctx)
}

// budgets are how many bytes the searches for one goal may take, in the order of the attempts.
func (o Options) budgets() []int64 {
	small := []int64{1 << 20, 8 << 20, 64 << 20}
	i, _ := slices.BinarySearch(small, o.Bytes)
	return append(small[:i], o.Bytes)
}

// classes lists the goals that have fewer pegs than the start, one of each class under the symmetries that fix it. Of
// those of at most so many pegs, the ones of exactly so many do: a game to fewer goes through one of them. ok is false
// when there are too many.
func (e *eachProof) classes(ctx context.Context) (list []peg.Position, ok bool, err error) {
	g := e.goals
	if g.Dead {
		return nil, false, nil
	}
	g.Most = min(g.Most, e.start.Pegs()-1)
	if g.ByPegs() && g.Most == e.goals.Most {
		g.Least = g.Most
	}
	looked, open, same := 0, 0, g.Board.SameInvariants(e.start)
	seen := map[peg.Position]bool{}
	for q := range g.All() {
		if looked++; looked > mostListed || open > mostOpen {
			return nil, false, nil
		}
		if looked%4096 == 0 && puzzle.Progress(ctx) != nil {
			return nil, false, ctx.Err()
		}
		least := e.walk.orbits.Least(q)
		if seen[least] {
			continue
		}
		seen[least] = true
		list = append(list, least)
		if same(least) {
			open++
		}
	}
	return list, true, nil
}

// problem is the problem of one goal.
func (e *eachProof) problem(q peg.Position) peg.Problem {
	return peg.Problem{Board: e.goals.Board, Start: e.start, Goal: q}
}

// found makes a game to one goal, or to an image of one, the solution.
func (e *eachProof) found(q peg.Position, game []peg.Jump) {
	for _, g := range e.walk.fixing {
		if image := g.Apply(q); e.goals.Has(image) {
			moved := make([]peg.Jump, len(game))
			for i, j := range game {
				moved[i] = g.Jump(j)
			}
			e.feasible(feasible.Search, moved, image)
			return
		}
	}
}

// criteria applies the criteria to a goal, those first that forbid others.
func (e *eachProof) criteria(ctx context.Context, q peg.Position) error {
	if i := slices.IndexFunc(e.shared, func(s sharedProof) bool { return e.forbids(s.proof, q) }); i >= 0 {
		e.count(e.shared[i].criterion)
		return nil
	}
	v, err := e.prover.Decide(ctx, e.problem(q), quick)
	if err != nil {
		return err
	}
	return e.take(q, v)
}

// take takes the verdict about a goal.
func (e *eachProof) take(q peg.Position, v *feasible.Verdict) error {
	switch v.Verdict {
	case feasible.Feasible:
		game, err := solve.ParseGame(e.goals.Board, v.Certificate.Proof.Jumps)
		if err != nil {
			return err
		}
		e.found(q, game)
	case feasible.Infeasible:
		e.count(v.Criterion)
		if p := v.Certificate.Proof; p.Kind == proofs.Modular || p.Kind == proofs.Pagoda {
			e.shared = append(e.shared, sharedProof{v.Criterion, p})
		} else {
			e.own = append(e.own, proofs.GoalProof{Goal: peg.FormatLine(e.goals.Board, q), Proof: p})
		}
	default:
		e.open = append(e.open, q)
	}
	return nil
}

func (e *eachProof) count(criterion string) {
	if e.by[criterion] == 0 {
		e.order = append(e.order, criterion)
	}
	e.by[criterion]++
}

// forbids reports whether the proof of another goal is one for q.
func (e *eachProof) forbids(p proofs.Proof, q peg.Position) bool {
	gain := new(big.Int)
	for i, w := range p.Weights {
		if q.Has(i) {
			gain.Add(gain, big.NewInt(w))
		}
		if e.start.Has(i) {
			gain.Sub(gain, big.NewInt(w))
		}
	}
	if p.Kind == proofs.Modular {
		return gain.Mod(gain, big.NewInt(p.Modulus)).Sign() != 0
	}
	return gain.Sign() > 0
}

// solve searches for a game to one goal.
func (e *eachProof) solve(ctx context.Context, q peg.Position, bytes int64) error {
	r, err := solve.Solve(ctx, e.problem(q), solve.Options{Bytes: bytes})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil: // it gave up
		e.open = append(e.open, q)
	case r.Solvable:
		e.found(q, r.Jumps)
	case r.Verdict.Verdict == feasible.Infeasible:
		return e.take(q, r.Verdict)
	default:
		e.count(feasible.Search)
		e.bare = append(e.bare, q)
	}
	return nil
}

// certify makes the certificate, once all goals are out of reach. Those of the search come last, as far as the checker
// goes.
func (e *eachProof) certify(ctx context.Context) error {
	left := proofs.MaxPositions
	for _, p := range e.own {
		left -= p.Proof.Positions
	}
	for _, q := range e.bare {
		c := e.prover.Apply(ctx, feasible.Search, e.problem(q), feasible.Limits{Positions: max(left, 1)})
		if err := ctx.Err(); err != nil {
			return err
		}
		if c == nil {
			e.infeasible(eachGoal, nil)
			return nil
		}
		left -= c.Proof.Positions
		e.own = append(e.own, proofs.GoalProof{Goal: peg.FormatLine(e.goals.Board, q), Proof: c.Proof})
	}
	proof := proofs.Proof{Kind: proofs.Each}
	for _, s := range e.shared {
		proof.Each = append(proof.Each, proofs.GoalProof{Proof: s.proof})
	}
	proof.Each = append(proof.Each, e.own...)
	e.infeasible(eachGoal, certificate(e.start, e.goals, proofs.Infeasible, proof))
	return nil
}
