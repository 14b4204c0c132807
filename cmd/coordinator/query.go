package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"pagoda/internal/cli"
	"pagoda/internal/counting/ways"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/uint128"
)

// searchPositions bounds what query plays out for a position of which the run has no row: a few hundred megabytes.
const searchPositions = 1 << 20

func (a *app) queryCommand() *cobra.Command {
	var data, output string
	cmd := &cobra.Command{
		Use:   "query --data DIR POSITION",
		Short: "say what passes through a position: paths, ways to the goal, solutions, and the jumps that keep a win",
		Long: `Say whether a position is reachable and winnable, how many jump sequences lead to it from the start and from
it to the goal, how many solutions pass through it, which jumps keep a win and how many solutions each has.

The run must have been made with count: solutions and through: true, and its rows kept (keep: all). A position is given
as a drawing in one line (o a peg, . an empty hole, - none, / the next row) or of several lines, in hexadecimal, as
start or goal, or in the notation of the key start: r0c2 is the full board without that peg.`,
		Example: `  coordinator query --data runs/english-0123456789ab --ooo/--ooo/ooooooo/ooo.ooo/ooooooo/--ooo/--ooo
  coordinator query --data runs/english-0123456789ab start --output json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("one position is wanted, and %d arguments are given", len(args))
			}
			return nil
		},
		RunE: a.action(func(ctx context.Context, args []string) error { return a.query(ctx, data, args[0], output) }),
	}
	addData(cmd, &data)
	addOutput(cmd, &output)
	return cmd
}

// drawingsLast moves drawings that begin with - behind all flags of a query, for which they would be taken.
func drawingsLast(args []string) []string {
	if len(args) == 0 || args[0] != "query" {
		return args
	}
	var flags, drawings []string
	for i, arg := range args {
		if arg == "--" {
			drawings = append(drawings, args[i+1:]...)
			break
		}
		if strings.HasPrefix(arg, "-") && strings.ContainsAny(arg, ".o*") && strings.Trim(arg, "-.o*/ \n") == "" {
			drawings = append(drawings, arg)
		} else {
			flags = append(flags, arg)
		}
	}
	if len(drawings) == 0 {
		return flags
	}
	return append(append(flags, "--"), drawings...)
}

func (a *app) query(ctx context.Context, data, position, output string) error {
	if err := checkOutput(output); err != nil {
		return err
	}
	t, err := a.openThrough(ctx, data)
	if err != nil {
		return err
	}
	defer t.close()
	p, err := t.position(position)
	if err != nil {
		return err
	}
	x, err := t.solutions.Position(ctx, t.rows, p, searchPositions)
	if err != nil {
		return t.advise(err)
	}
	total, err := t.solutions.Total(ctx, t.rows)
	if err != nil && !errors.Is(err, ways.ErrNoSolution) {
		return t.advise(err)
	}
	return a.show(t.job, t.passage(&x, total), output)
}

// position reads a position of the run's board.
func (t *throughRun) position(text string) (peg.Position, error) {
	problem := t.solutions.Problem()
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "start":
		return problem.Start, nil
	case "goal":
		return problem.Goal, nil
	}
	p, err := peg.ParseStart(problem.Board, text)
	if err != nil {
		return 0, cli.Hint(&cli.UsageError{Err: err},
			"the start is "+peg.FormatLine(problem.Board, problem.Start))
	}
	return p, nil
}

// passage is what query prints.
func (t *throughRun) passage(x *ways.PositionCounts, total uint128.Uint128) *puzzle.Summary {
	var s puzzle.Summary
	b := t.board()
	s.AddText("position", peg.FormatLine(b, x.Position), "the position asked for")
	s.AddText("reachable", answer(x.PathsKnown, !x.Paths.IsZero()), "whether jumps lead to it from the start")
	s.AddText("winnable", answer(x.WaysKnown, !x.Ways.IsZero()), "whether jumps lead from it to the goal")
	if x.Jumps >= 0 {
		s.AddCount("jumps", uint128.From(uint64(x.Jumps)), "jumps from the start")
	}
	s.AddCount("pegs", uint128.From(uint64(x.Position.Pegs())), "pegs")
	for i := range s.Facts {
		if f := &s.Facts[i]; f.Name == "jumps" || f.Name == "pegs" {
			f.Kind = puzzle.Number
		}
	}
	if x.PathsKnown {
		s.AddCount("paths", x.Paths, "jump sequences from the start to the position")
	}
	if x.WaysKnown {
		s.AddCount("ways", x.Ways, "jump sequences from the position to the goal")
	}
	if x.SolutionsKnown {
		s.AddCount("solutions", x.Solutions, "solutions through the position")
	}
	s.AddCount("all_solutions", total, "solutions of the problem")
	next := puzzle.Table{Name: "next", Columns: []puzzle.Column{
		{Name: "jump", Kind: puzzle.Text, Doc: "a jump that can be made"},
		{Name: "ways", Kind: puzzle.Count, Doc: "jump sequences from the position after it to the goal; 0: the jump loses"},
		{Name: "solutions", Kind: puzzle.Count, Doc: "solutions through the position that go on with it"},
	}}
	for _, n := range x.Next {
		jump := peg.FormatJump(b, n.Jump)
		if !n.Known {
			s.Notes = append(s.Notes, "jump "+jump+" is not counted: "+tooMany)
			continue
		}
		next.Rows = append(next.Rows, []puzzle.Value{{S: jump}, {N: n.Ways}, {N: n.Solutions}})
	}
	s.Tables = append(s.Tables, next)
	for _, why := range []struct{ what, reason string }{
		{"not reachable", x.Unreachable}, {"not winnable", x.Unwinnable},
	} {
		if why.reason != "" {
			s.Notes = append(s.Notes, why.what+": "+why.reason)
		}
	}
	if !x.PathsKnown {
		s.Notes = append(s.Notes, "paths are not counted: "+tooMany+"; a run with count: games and this goal has them")
	}
	if !x.WaysKnown {
		s.Notes = append(s.Notes, "ways are not counted: "+tooMany)
	}
	return &s
}

// tooMany says why something is not counted.
var tooMany = fmt.Sprintf("the run has no row of it, and more than %d positions would have to be played out",
	searchPositions)

func answer(known, yes bool) string {
	switch {
	case !known:
		return "unknown"
	case yes:
		return "yes"
	}
	return "no"
}
