package main

import (
	"context"
	"errors"
	"fmt"

	"pagoda/internal/cli"
	"pagoda/internal/counting/ways"
	"pagoda/internal/kv"
	"pagoda/internal/peg"
	"pagoda/internal/pipeline"
	"pagoda/internal/puzzle"
)

// A throughRun is a finished run that keeps the solutions through every position.
type throughRun struct {
	*storedRun
	solutions *ways.Puzzle
	rows      *pipeline.Reader
}

// openThrough opens the folder of such a run. Of others it says what they lack and how to get it.
func (a *app) openThrough(ctx context.Context, dir string) (*throughRun, error) {
	j, err := a.storedJob(ctx, dir)
	if err != nil {
		return nil, err
	}
	if _, ok := j.puzzle.(*ways.Puzzle); !ok {
		return nil, usage(fmt.Sprintf("run %s does not keep the solutions through its positions", j.run),
			"run its config with --set count=solutions --set through=true --set keep=all, a start and a goal, in a new folder")
	}
	s, err := a.openResults(ctx, dir)
	if err != nil {
		return nil, err
	}
	if !s.results.Complete() {
		defer s.close()
		for _, p := range s.results.Progress() {
			if p.Done < p.Windows {
				return nil, incomplete(p)
			}
		}
	}
	// The puzzle that planned the results is the one to ask.
	t, ok := s.puzzle.(*ways.Puzzle)
	if !ok {
		s.close()
		return nil, fmt.Errorf("run %s: another run took its folder", j.run)
	}
	return &throughRun{s, t, s.folder.Reader(s.results, s.readCache())}, nil
}

// board is the board of the run.
func (t *throughRun) board() *peg.Board { return t.solutions.Problem().Board }

// advise adds advice to an error of reading rows.
func (t *throughRun) advise(err error) error {
	switch {
	case errors.Is(err, ways.ErrNoSolution):
		return fmt.Errorf("run %s: %w", t.run, err)
	case errors.Is(err, kv.ErrCorrupt):
		return cli.Hint(err, "verify the run: it marks what is damaged, and running the config again computes it anew")
	case errors.Is(err, puzzle.ErrMissing):
		return cli.Hint(err, "the rows are not on disk: run the config with keep=all in a new folder")
	}
	return err
}
