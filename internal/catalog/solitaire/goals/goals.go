// Package goals finds a game from a start to one of several goals, or proves that there is none.
//
//	goals.go      the verdict, and the order of the attempts
//	walk.go       all positions near the start, up to symmetry
//	each.go       a proof for each goal
//	beam.go       a game to goals that are too many to list
//	extreme.go    the most and the fewest pegs that a game can leave
//	deadends.go   all positions without a jump that have so many pegs
//	backwards.go  from these back to positions near the start
//
// The usual way in:
//
//	result, err := goals.Decide(ctx, start, set, goals.Options{})
//
// The package is pure, and equal arguments give equal results; the context alone can cut a search short.
package goals

import (
	"context"
	"fmt"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/peg"
)

// Options bound the search. 0 stands for the default.
type Options struct {
	// Bytes is about how much memory the positions may take; default 512 MiB.
	Bytes int64

	near int // classes of the first walk, for tests
}

// nearClasses is how many classes of positions are walked before the goals are looked at one by one: some 0.2 seconds.
const nearClasses = 50_000

func (o Options) withDefaults() Options {
	if o.Bytes == 0 {
		o.Bytes = 512 << 20
	}
	if o.near == 0 {
		o.near = nearClasses
	}
	return o
}

// A Result is the answer to a problem with several goals.
type Result struct {
	// Verdict is feasible.Infeasible, feasible.Feasible or feasible.Unknown, Criterion what decided it.
	Verdict, Criterion string
	// Jumps is a game to a goal where there is one; End is where it ends.
	Jumps []peg.Jump
	End   peg.Position
	// Certificate proves the verdict. It is nil where that is unknown, or has no certificate that the checker can verify.
	Certificate *proofs.Certificate
	// Tried are the attempts that did not decide.
	Tried []feasible.Attempt
	// Extreme is the answer about the most or fewest pegs, nil for other goals.
	Extreme *Extreme
}

// Names of what decides.
const (
	allPositions = "all positions"
	eachGoal     = "each goal"
	beamed       = "beam"
)

// Decide finds a game from start to a position of g, or proves that there is none. The error is that of the context.
func Decide(ctx context.Context, start peg.Position, g peg.Goals, o Options) (*Result, error) {
	switch g.Extreme {
	case peg.MostPegs:
		return newDecision(start, g, o).most(ctx)
	case peg.FewestPegs:
		return fewest(ctx, start, g, o)
	}
	d := newDecision(start, g, o)
	if err := d.decide(ctx); err != nil {
		return nil, err
	}
	return &d.Result, nil
}

// A decision is one problem on its way to a verdict.
type decision struct {
	Result
	start peg.Position
	goals peg.Goals
	o     Options
	walk  *walk
}

func newDecision(start peg.Position, g peg.Goals, o Options) *decision {
	return &decision{Result: Result{Verdict: feasible.Unknown, Tried: []feasible.Attempt{}}, start: start, goals: g,
		o: o.withDefaults(), walk: newWalk(g.Board, start)}
}

func (d *decision) decide(ctx context.Context) error {
	steps := []func(context.Context) error{
		func(ctx context.Context) error { return d.near(ctx, d.o.near) },
		d.each,
		d.beam,
		func(ctx context.Context) error { return d.near(ctx, int(d.o.Bytes/8)) },
	}
	for _, step := range steps {
		if err := step(ctx); err != nil || d.Verdict != feasible.Unknown {
			return err
		}
	}
	return nil
}

// near goes on with the walk, to so many classes at most.
func (d *decision) near(ctx context.Context, most int) error {
	at, end, err := d.walk.search(ctx, d.goals, most)
	switch {
	case err != nil:
		return err
	case end == met:
		d.feasible(feasible.Search, d.walk.game(at), at)
	case end == exhausted:
		d.infeasible(allPositions, d.walk.certificate(d.goals))
	default:
		d.tried(allPositions, "gave up", fmt.Sprintf("%d classes in %d layers", d.walk.classes, len(d.walk.layers)))
	}
	return nil
}

func (d *decision) tried(criterion, outcome, note string) {
	d.Tried = append(d.Tried, feasible.Attempt{Criterion: criterion, Outcome: outcome, Note: note})
}

func (d *decision) feasible(criterion string, game []peg.Jump, end peg.Position) {
	d.Verdict, d.Criterion, d.Jumps, d.End = feasible.Feasible, criterion, game, end
	d.Certificate = certificate(d.start, d.goals, proofs.Feasible, feasible.GameProof(d.goals.Board, game))
}

func (d *decision) infeasible(criterion string, c *proofs.Certificate) {
	d.Verdict, d.Criterion, d.Certificate = feasible.Infeasible, criterion, c
}

// certificate makes a certificate about several goals.
func certificate(start peg.Position, g peg.Goals, claim proofs.Claim, proof proofs.Proof) *proofs.Certificate {
	c := proofs.New(peg.Problem{Board: g.Board, Start: start}, claim, proof)
	c.Goal, c.Goals = "", &proofs.Goals{Least: g.Least, Most: g.Most, Dead: g.Dead}
	for _, p := range g.Patterns {
		if p.Fixed != 0 {
			c.Goals.Patterns = append(c.Goals.Patterns, p.Format(g.Board))
		}
	}
	return c
}
