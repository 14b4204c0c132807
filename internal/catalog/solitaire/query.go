package solitaire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pagoda/internal/counting/ways"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/puzzle/uint128"
)

// searchPositions bounds the positions that query searches where the run has no row: a few hundred megabytes.
const searchPositions = 1 << 20

// argPosition is the argument of query.
const argPosition = "POSITION"

var query = puzzle.Question{
	Name:  "query",
	Short: "say what passes through a position: paths, ways to the goal, solutions, and the jumps that keep a win",
	Long: `Say whether a position is reachable and winnable, how many jump sequences lead to it from the start and from
it to the goal, how many solutions pass through it, which jumps keep a win and how many solutions each has. The jump
with the most solutions comes first.

The run must have been made with count: solutions and store_ways: true, and its rows kept (retention: all). A position
is given as a drawing in one line (o a peg, . an empty hole, - none, / the next row) or of several lines, in
hexadecimal, as start or goal, or in the notation of the setting start: r0c2 is the full board without that peg.`,
	Examples: []string{
		"--data runs/english-0123456789ab --ooo/--ooo/ooooooo/ooo.ooo/ooooooo/--ooo/--ooo",
		"--data runs/english-0123456789ab start --output json",
	},
	Args: []puzzle.Argument{
		{Name: argPosition, Doc: "position of the board of the run", Completions: []string{"start", "goal"}},
	},
	Needs:   puzzle.NeedsRows,
	Outputs: []puzzle.Output{puzzle.Pictures, puzzle.Tables},
	Answer:  answerQuery,
}

func answerQuery(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	t, err := solutionsThrough(r.Run)
	if err != nil {
		return nil, err
	}
	p, err := position(t.Problem(), r.Args[0])
	if err != nil {
		return nil, err
	}
	x, err := t.Position(ctx, r.Run.Rows, p, searchPositions)
	if err != nil {
		return nil, err
	}
	total, err := t.Total(ctx, r.Run.Rows)
	if err != nil && !errors.Is(err, ways.ErrNoSolution) {
		return nil, err
	}
	b := t.Problem().Board
	sum := passage(b, &x, total)
	sum.Problem = withoutJumps(understood(t.Problem()))
	return &puzzle.Answer{
		Summary: sum, Explained: true, Link: boardLink(t.Problem(), p, nil),
		Figures: []figure.Figure{{Name: "position", Title: peg.FormatLine(b, p), Board: drawing(b, p)}},
	}, nil
}

// solutionsThrough returns the puzzle of a run that keeps the solutions through every position.
func solutionsThrough(run puzzle.RunView) (*ways.Puzzle, error) {
	if t, ok := run.Puzzle.(*ways.Puzzle); ok {
		return t, nil
	}
	return nil, &puzzle.NotAskedError{
		Reason: "it does not keep the solutions through its positions",
		Hint: "run its config with --set count=solutions --set store_ways=true --set retention=all, a start and a goal, " +
			"in a new folder",
	}
}

// position reads a position of a problem's board.
func position(problem peg.Problem, text string) (peg.Position, error) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "start":
		return problem.Start, nil
	case "goal":
		return problem.Goal, nil
	}
	p, err := peg.ParseStart(problem.Board, text)
	if err != nil {
		return 0, &setting.Error{Setting: argPosition, Err: err,
			Hint: "the start is " + peg.FormatLine(problem.Board, problem.Start)}
	}
	return p, nil
}

// passage is the answer of query.
func passage(b *peg.Board, x *ways.PositionCounts, total uint128.Uint128) (s puzzle.Summary) {
	s.AddText("position", peg.FormatLine(b, x.Position), "the position asked for")
	s.AddText("reachable", answer(x.PathsKnown, !x.Paths.IsZero()), "whether jumps lead to it from the start")
	s.AddText("winnable", answer(x.WaysKnown, !x.Ways.IsZero()), "whether jumps lead from it to the goal")
	if x.Jumps >= 0 {
		s.AddNumber("jumps", uint64(x.Jumps), "jumps from the start")
	}
	s.AddNumber("pegs", uint64(x.Position.Pegs()), "pegs")
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
	best := slices.Clone(x.Next)
	slices.SortStableFunc(best, func(a, b ways.Continuation) int {
		return cmp.Or(b.Solutions.Cmp(a.Solutions), b.Ways.Cmp(a.Ways))
	})
	for _, n := range best {
		jump := peg.FormatJump(b, n.Jump)
		if !n.WaysKnown {
			s.Notes = append(s.Notes, "jump "+jump+" is not counted: "+tooMany)
		}
		next.Rows = append(next.Rows, []puzzle.Value{{S: jump}, counted(n.Ways, n.WaysKnown),
			counted(n.Solutions, n.SolutionsKnown)})
	}
	sayUnknown(&next)
	s.Tables = append(s.Tables, next)
	if x.NoSolution != "" {
		s.Notes = append(s.Notes, "no solution: "+x.NoSolution)
	}
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
	return s
}

// counted is a count in a table, or that it is not known.
func counted(n uint128.Uint128, known bool) puzzle.Value {
	if !known {
		return puzzle.Value{S: unknown}
	}
	return puzzle.Value{N: n}
}

// sayUnknown turns the columns of counts that are not all known into texts: a jump is listed whether it is counted or
// not.
func sayUnknown(t *puzzle.Table) {
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.Kind != puzzle.Count || !slices.ContainsFunc(t.Rows, func(r []puzzle.Value) bool { return r[i].S == unknown }) {
			continue
		}
		c.Kind = puzzle.Text
		for _, r := range t.Rows {
			if r[i].S != unknown {
				r[i].S = r[i].N.String()
			}
		}
	}
}

const unknown = "unknown"

// tooMany says why something is not counted.
var tooMany = fmt.Sprintf("the run has no row of it, and more than %d positions would have to be played out",
	searchPositions)

func answer(known, yes bool) string {
	switch {
	case !known:
		return unknown
	case yes:
		return "yes"
	}
	return "no"
}
