package solitaire

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"pagoda/internal/counting/ways"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/setting"
)

// Bounds of the work on all positions that solutions pass.
const (
	mostClasses = 3_000_000 // positions up to symmetry: some ten seconds
	chosenBytes = 1 << 30   // memory of the counts of a filter
)

// filterFlags choose solutions.
var filterFlags = []setting.Setting{
	{Name: "through", Doc: "only solutions through this position, as it stands: start, goal, a drawing, a hole that is " +
		"empty alone, or hex"},
	{Name: "with", Doc: "only solutions in which this jump is played once or more often, such as 46x44"},
	{Name: "sweep", Kind: setting.Integer, Default: "0", Max: peg.MaxHoles,
		Doc: "only solutions with a sweep of so many jumps or more; 0: all"},
}

// askedFilter reads the filter; ok is false when all solutions are asked for.
func askedFilter(r puzzle.Request, p peg.Problem) (f ways.Filter, ok bool, err error) {
	if text := r.Flags.Text("through"); text != "" {
		if f.Through, err = position(p, text); err != nil {
			var e *setting.Error
			if errors.As(err, &e) {
				e.Setting = "through"
			}
			return f, false, err
		}
		if f.Through == 0 {
			return f, false, &setting.Error{Setting: "through", Err: errors.New("the position has no peg"),
				Hint: "every position of a game has one"}
		}
	}
	if text := strings.TrimSpace(r.Flags.Text("with")); text != "" {
		j, err := readJump(p.Board, text)
		if err != nil {
			return f, false, &setting.Error{Setting: "with", Err: err,
				Hint: "write a jump such as " + peg.FormatJump(p.Board, p.Board.Jumps[0])}
		}
		f.Jump = &j
	}
	f.Sweep = int(r.Flags.Uint("sweep"))
	return f, f.Through != 0 || f.Jump != nil || f.Sweep > 0, nil
}

// choose finds the solutions that a filter chooses, of the run when there is one. Those through a position are also the
// paths to it times the ways from it, which the run has.
func choose(ctx context.Context, r puzzle.Request, l *ways.Listing, f ways.Filter) (*ways.Matches, error) {
	var g *ways.Graph
	var err error
	run, ok := r.Run.Puzzle.(*ways.Puzzle)
	if ok {
		g, err = run.Graph(ctx, r.Run.Rows, r.Run.Results.Cells, mostClasses)
	} else {
		g, err = l.Graph(ctx, mostClasses)
	}
	bytes := int64(chosenBytes)
	if r.Memory > 0 && r.Run.Puzzle == nil {
		bytes = min(bytes, r.Memory)
	}
	var m *ways.Matches
	if err == nil {
		m, err = g.Match(ctx, f, bytes)
	}
	if errors.Is(err, ways.ErrTooMany) {
		name := "sweep"
		for _, flag := range []string{"through", "with"} {
			if r.Flags.Text(flag) != "" {
				name = flag
			}
		}
		err = &setting.Error{Setting: name, Err: err, Hint: "choose by one condition alone, or list all solutions"}
	}
	if err != nil || !ok || f != (ways.Filter{Through: f.Through}) {
		return m, err
	}
	x, err := run.Position(ctx, r.Run.Rows, f.Through, 0)
	if err == nil && x.SolutionsKnown && x.Solutions != m.Count {
		err = fmt.Errorf("%v solutions are chosen, and %v pass through the position; verify the run", m.Count, x.Solutions)
	}
	return m, err
}
