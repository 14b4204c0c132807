// Package solve finds one solution of a problem of peg solitaire, without enumerating its positions.
//
// It searches from both ends: all positions near the start and near the goal, as far as a budget allows, and between
// the two a beam, which keeps the best positions of each layer. Positions that a pagoda function excludes are passed
// over, and only one position of each symmetry class is kept. Budgets grow from round to round. When the exhaustive
// parts meet without a beam, the answer is certain either way.
//
// The usual way in:
//
//	result, err := solve.Solve(ctx, problem, solve.Options{})
//
// The package is pure, and equal arguments give equal results; the context alone can cut a search short.
package solve

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle/plural"
)

// ErrGaveUp is wrapped by the error of [Solve] when the memory that it may use decided nothing.
var ErrGaveUp = errors.New("no solution found")

// Options bound the search. 0 stands for the default.
type Options struct {
	// Bytes is about how much memory the positions may take; default 512 MiB.
	Bytes int64
	// Feasible bounds the criteria.
	Feasible feasible.Limits

	certified int // positions of a search that is certified, for tests
}

// A Result answers whether a problem has a solution.
type Result struct {
	// Solvable says that Jumps is a solution; otherwise there is none.
	Solvable bool
	// Jumps lead from the start to the goal; none when these are the same position.
	Jumps []peg.Jump
	// Verdict is the verdict of the criteria, which may be unknown. When it is infeasible, its certificate proves it.
	Verdict *feasible.Verdict
	// Positions is how many positions were kept.
	Positions int64
	// Rounds is how many budgets were tried, 0 when the criteria decided.
	Rounds int
}

// quick bounds the criteria that come before the search: they take some milliseconds.
var quick = feasible.Limits{WalkStates: 10_000, Nodes: 50, Positions: 5000}

// quickRounds is how many rounds of the search come before the criteria are applied with all that they may use.
const quickRounds = 2

// Solve finds a solution of p or proves that there is none. The error wraps peg.ErrPosition when p has pegs outside the
// board, [ErrGaveUp] when the memory was not enough, and that of the context when it ended first.
func Solve(ctx context.Context, p peg.Problem, o Options) (*Result, error) {
	prover := feasible.New(p.Board)
	v, err := prover.Decide(ctx, p, quick)
	if err != nil {
		return nil, err
	}
	if v.Verdict != feasible.Unknown {
		return decided(p, v)
	}
	s := newSearch(p, prover, o.bytes()/8)
	game, err := s.run(ctx, quickRounds)
	if errors.Is(err, ErrGaveUp) {
		if v, err = prover.Decide(ctx, p, o.Feasible); err != nil {
			return nil, err
		}
		if v.Verdict != feasible.Unknown {
			return decided(p, v)
		}
		game, err = s.run(ctx, len(s.budgets))
	}
	if err != nil {
		return nil, err
	}
	return &Result{Solvable: game != nil, Jumps: game, Verdict: v, Positions: s.kept, Rounds: s.rounds}, nil
}

func (o Options) bytes() int64 {
	if o.Bytes == 0 {
		return 512 << 20
	}
	return o.Bytes
}

// decided is the result when the criteria decide.
func decided(p peg.Problem, v *feasible.Verdict) (*Result, error) {
	r := &Result{Verdict: v}
	if v.Verdict == feasible.Infeasible {
		return r, nil
	}
	var err error
	r.Solvable = true
	r.Jumps, err = ParseGame(p.Board, v.Certificate.Proof.Jumps)
	return r, err
}

// Decide applies the criteria, and searches where they leave the problem open. A game found is the certificate. Where
// the search proves that there is none, it is repeated in the plain form that has a certificate, as far as the checker
// goes; beyond that the verdict stays unknown, and Tried has a line that says so. Errors are those of [Solve], without
// ErrGaveUp: then the verdict is unknown.
func Decide(ctx context.Context, p peg.Problem, o Options) (*feasible.Verdict, error) {
	prover := feasible.New(p.Board)
	v, err := prover.Decide(ctx, p, o.Feasible)
	if err != nil || v.Verdict != feasible.Unknown {
		return v, err
	}
	s := newSearch(p, prover, o.bytes()/8)
	game, err := s.run(ctx, len(s.budgets))
	switch {
	case errors.Is(err, ErrGaveUp):
		v.Tried = append(v.Tried, feasible.Attempt{
			Criterion: "solver", Outcome: "gave up", Note: plural.Of(s.kept, "position") + " in " + plural.Of(s.rounds, "round"),
		})
		return v, nil
	case err != nil:
		return nil, err
	case game != nil:
		v.Verdict, v.Criterion = feasible.Feasible, feasible.Search
		v.Certificate = proofs.New(p, proofs.Feasible, feasible.GameProof(p.Board, game))
		return v, nil
	}
	// A position takes some 24 bytes.
	limits := feasible.Limits{Positions: int(min(proofs.MaxPositions, max(1000, o.bytes()/24)))}
	if o.certified > 0 {
		limits.Positions = o.certified
	}
	if c := prover.Apply(ctx, feasible.Search, p, limits); c != nil {
		v.Verdict, v.Criterion, v.Certificate = feasible.Infeasible, feasible.Search, c
		return v, nil
	}
	v.Tried = append(v.Tried, feasible.Attempt{
		Criterion: "solver", Outcome: "forbids",
		Note: plural.Of(s.kept, "position") + " up to symmetry and no game, but too many for a certificate",
	})
	return v, ctx.Err()
}

// ParseGame reads jumps as peg.FormatJump writes them.
func ParseGame(b *peg.Board, texts []string) ([]peg.Jump, error) {
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
