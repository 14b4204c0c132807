package runs

import (
	"context"
	"errors"
	"fmt"

	"pagoda/internal/app/cli"
	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/memrun"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/rundir"
)

// Ask answers a question about the run. r has been made by q.Request. Mistakes in the request are usage errors, those
// about a flag or an argument *setting.Error.
func (s *Stored) Ask(ctx context.Context, q *puzzle.Question, r puzzle.Request) (*puzzle.Answer, error) {
	r.Run = puzzle.RunView{ID: s.ID, Puzzle: s.Puzzle, Results: s.Results}
	if q.ReadsRows() {
		for _, p := range s.Results.Progress() {
			if p.Done < p.Windows {
				return nil, Incomplete(p)
			}
		}
		if !s.Results.Complete() {
			return nil, cli.Hint(puzzle.ErrIncomplete, "run the config again to resume")
		}
		r.Run.Rows = s.Rows()
	}
	a, err := q.Answer(ctx, r)
	var flag *setting.Error
	switch {
	case errors.Is(err, puzzle.ErrNotAsked):
		return nil, cli.Hint(&cli.UsageError{Err: fmt.Errorf("run %s: %w", s.ID, err)}, cli.Advice(err))
	case errors.Is(err, puzzle.ErrIncomplete):
		return nil, cli.Hint(fmt.Errorf("run %s: %w", s.ID, err), "run the config again to resume")
	case errors.Is(err, kv.ErrCorrupt):
		return nil, cli.Hint(err, "verify the run: it marks what is damaged, and running the config again computes it anew")
	case errors.Is(err, puzzle.ErrMissing):
		return nil, cli.Hint(err, "the rows are not on disk: run the config with retention=all in a new folder")
	case err != nil && !errors.As(err, &flag) && ctx.Err() == nil:
		return nil, fmt.Errorf("run %s: %w", s.ID, err)
	}
	return about(a, s.Problem), err
}

// about adds the run's problem to an answer about the run, unless the answer has one.
func about(a *puzzle.Answer, p puzzle.Problem) *puzzle.Answer {
	if a != nil && a.Summary.Problem.Lines == nil {
		a.Summary.Problem = p
	}
	return a
}

// AskSmall answers a question about the small run that the question names, for a user that names no run. The run is
// carried out in memory.
func AskSmall(
	ctx context.Context, d *puzzle.Definition, q *puzzle.Question, r puzzle.Request,
) (answer *puzzle.Answer, run string, err error) {
	values, err := setting.NewSet(append([]setting.Setting{
		{Name: "name", Default: d.Name}, {Name: "window_addresses", Kind: setting.Integer, Default: "4194304", Max: 1 << 40},
	}, d.Settings...), q.Instead)
	if err != nil {
		return nil, "", err
	}
	p, err := d.New(values)
	if err != nil {
		return nil, "", err
	}
	problem, err := d.State(values)
	if err != nil {
		return nil, "", err
	}
	results, err := memrun.Whole(ctx, p)
	if err != nil {
		return nil, "", err
	}
	r.Run = puzzle.RunView{ID: rundir.RunID(p.Identity()), Puzzle: p, Results: results, Rows: results}
	answer, err = q.Answer(ctx, r)
	return about(answer, problem), r.Run.ID, err
}

// Incomplete says that a layer is not complete, with advice.
func Incomplete(p plan.Progress) error {
	return cli.Hint(fmt.Errorf("layer %d is not complete: %d of %d windows are committed", p.Layer, p.Done, p.Windows),
		"run the config again to resume")
}
