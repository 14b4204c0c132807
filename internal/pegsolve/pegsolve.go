// Package pegsolve finds one solution of a problem of peg solitaire, without enumerating its positions.
//
// It searches from both ends: all positions near the start and near the goal, as far as a budget allows, and between
// the two a beam, which keeps the best positions of each layer. Positions that a pagoda function excludes are passed
// over, and only one position of each symmetry class is kept. Budgets grow from round to round. When the exhaustive
// parts meet without a beam, the answer is certain either way.
//
// The usual way in:
//
//	result, err := pegsolve.Solve(ctx, problem, pegsolve.Options{})
//
// The package is pure, and equal arguments give equal results; the context alone can cut a search short.
package pegsolve

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"pagoda/internal/certificate"
	"pagoda/internal/feasible"
	"pagoda/internal/peg"
)

// ErrGaveUp is wrapped by the error of [Solve] when the memory that it may use decided nothing.
var ErrGaveUp = errors.New("no solution found")

// Options bound the search. 0 stands for the default.
type Options struct {
	// Bytes is about how much memory the positions may take; default 512 MiB.
	Bytes int64
	// Feasible bounds the criteria that are applied first; here 0 stands for limits that take some milliseconds.
	Feasible feasible.Limits
}

// A Result answers whether a problem has a solution.
type Result struct {
	// Solvable says that Jumps is a solution; otherwise there is none.
	Solvable bool
	// Jumps lead from the start to the goal; none when these are the same position.
	Jumps []peg.Jump
	// Verdict is that of the criteria, which may be unknown. When it is infeasible, its certificate proves it.
	Verdict *feasible.Verdict
	// Positions is how many positions were kept.
	Positions int64
	// Rounds is how many budgets were tried, 0 when the criteria decided.
	Rounds int
}

// Solve finds a solution of p or proves that there is none. The error wraps peg.ErrPosition when p has pegs outside the
// board, [ErrGaveUp] when the memory was not enough, and that of the context when it ended first.
func Solve(ctx context.Context, p peg.Problem, o Options) (*Result, error) {
	if o.Bytes == 0 {
		o.Bytes = 512 << 20
	}
	// Criteria that take long for what they forbid wait for Decide, unless they are asked for.
	for _, d := range []struct {
		limit *int
		value int
	}{{&o.Feasible.WalkStates, 10_000}, {&o.Feasible.Nodes, 50}, {&o.Feasible.Positions, 5000}} {
		if *d.limit == 0 {
			*d.limit = d.value
		}
	}
	prover := feasible.New(p.Board)
	v, err := prover.Decide(ctx, p, o.Feasible)
	if err != nil {
		return nil, err
	}
	r := &Result{Verdict: v}
	switch v.Verdict {
	case feasible.Infeasible:
		return r, nil
	case feasible.Feasible:
		r.Solvable = true
		r.Jumps, err = parseGame(p.Board, v.Certificate.Proof.Jumps)
		return r, err
	}
	s := newSearch(p, prover, o.Bytes/8)
	found, err := s.run(ctx)
	if err != nil {
		return nil, err
	}
	r.Positions, r.Rounds = s.kept, s.rounds
	if found != nil {
		r.Solvable, r.Jumps = true, found
	}
	return r, nil
}

// Decide is feasible.Prover.Decide with [Solve] after it: what the criteria leave open is searched. A game found is the
// certificate. Where the search proves that there is none, it is repeated in the plain form that has a certificate, if
// most positions are enough for that; otherwise the verdict stays unknown and says so.
func Decide(ctx context.Context, p peg.Problem, o Options) (*feasible.Verdict, error) {
	r, err := Solve(ctx, p, o)
	switch {
	case errors.Is(err, ErrGaveUp):
		return feasible.New(p.Board).Decide(ctx, p, o.Feasible)
	case err != nil:
		return nil, err
	case r.Verdict.Verdict != feasible.Unknown:
		return r.Verdict, nil
	}
	v := r.Verdict
	if r.Solvable {
		v.Verdict, v.Criterion = feasible.Feasible, feasible.Search
		v.Certificate = certificate.New(p, certificate.Feasible, feasible.GameProof(p.Board, r.Jumps))
		return v, nil
	}
	limits := feasible.Limits{Positions: certificate.MaxPositions}
	if c := feasible.New(p.Board).Apply(ctx, feasible.Search, p, limits); c != nil {
		v.Verdict, v.Criterion, v.Certificate = feasible.Infeasible, feasible.Search, c
		return v, nil
	}
	v.Tried = append(v.Tried, feasible.Attempt{
		Criterion: "solver", Outcome: "forbids",
		Note: fmt.Sprintf("a search of %d positions up to symmetry found no game, but it is too large for a certificate",
			r.Positions),
	})
	return v, ctx.Err()
}

// parseGame reads jumps as peg.FormatJump writes them.
func parseGame(b *peg.Board, texts []string) ([]peg.Jump, error) {
	game := make([]peg.Jump, 0, len(texts))
	for _, text := range texts {
		i := slices.IndexFunc(b.Jumps, func(j peg.Jump) bool { return peg.FormatJump(b, j) == text })
		if i < 0 {
			return nil, fmt.Errorf("board %s has no jump %s", b.Name, text)
		}
		game = append(game, b.Jumps[i])
	}
	return game, nil
}
