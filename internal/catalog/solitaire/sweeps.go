package solitaire

import (
	"context"
	"fmt"
	"strings"

	"pagoda/internal/counting/sweeps"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/puzzle/uint128"
)

var fewestQuestion = puzzle.Question{
	Name:  "fewest",
	Short: "list the solutions with the fewest sweeps",
	Long: `List the solutions with the fewest sweeps, where consecutive jumps of one peg are one sweep: of each class under
the symmetries of the board that fix start and goal one, with the number of solutions in the class. The last column has
the sweeps, the one before it the jumps; holes are written as coordinator peg sample does. When all are listed, their
number is compared with the run's.

With --graph they are drawn as one graph instead: a node is a position before or after a sweep, up to the same
symmetries, and an edge a sweep. Every path from the start to the goal is a solution.

The run must have been made with count: sweeps, and its rows kept (retention: all).`,
	Examples: []string{
		"--data runs/english-sweeps-0123456789ab",
		"--data runs/english-sweeps-0123456789ab --output csv --out fewest.csv",
		"--data runs/english-sweeps-0123456789ab --graph --output dot --out fewest.dot",
	},
	Flags: []setting.Setting{{Name: "graph", Kind: setting.Boolean, Default: "false",
		Doc: "draw the graph of the solutions, instead of listing them"}},
	Needs:   puzzle.NeedsRows,
	Outputs: []puzzle.Output{puzzle.Pictures, puzzle.Graphs, puzzle.Tables},
	Answer:  answerFewest,
}

var longestQuestion = puzzle.Question{
	Name:  "longest",
	Short: "show a solution with the longest sweep",
	Long: `Show a solution with the longest sweep that any solution has: after how many jumps it begins, the jumps of the
sweep, and the whole solution. A run with store_ways lists all of them: peg list with --sweep.

The run must have been made with count: sweeps, and its rows kept (retention: all).`,
	Examples: []string{
		"--data runs/english-sweeps-0123456789ab",
		"--data runs/english-sweeps-0123456789ab --output svg --out longest.svg",
	},
	Needs:   puzzle.NeedsRows,
	Outputs: []puzzle.Output{puzzle.Pictures},
	Answer:  answerLongest,
}

// sweepsOf returns the puzzle of a run that counts sweeps, and a number of its summary, 0 when there is no solution.
func sweepsOf(run puzzle.RunView, name string) (s *sweeps.Puzzle, n uint128.Uint128, err error) {
	s, ok := run.Puzzle.(*sweeps.Puzzle)
	if !ok {
		return nil, n, &puzzle.NotAskedError{
			Reason: "it does not count sweeps",
			Hint:   "run its config with --set count=sweeps --set retention=all, a start and a goal, in a new folder",
		}
	}
	sum, err := s.Summarise(run.Results)
	for _, f := range sum.Facts {
		if f.Name == name {
			n = f.Value.N
		}
	}
	return s, n, err
}

func answerFewest(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	s, least, err := sweepsOf(r.Run, "least_sweeps")
	if err != nil {
		return nil, err
	}
	_, want, err := sweepsOf(r.Run, "least_sweeps_solutions")
	if err != nil {
		return nil, err
	}
	if r.Flags.Bool("graph") {
		return answerShortest(ctx, r, s, least, want)
	}
	b := s.Problem().Board
	return &puzzle.Answer{Stream: &puzzle.Stream{
		Columns: []puzzle.Column{
			{Name: "solutions", Kind: puzzle.Number, Doc: "solutions in the class"},
			{Name: "jumps", Kind: puzzle.Text, Doc: "the jumps of one of them"},
			{Name: "sweeps", Kind: puzzle.Text, Doc: "the same, with consecutive jumps of one peg as one sweep"},
		},
		Each: func(ctx context.Context, emit func([]puzzle.Value) error) error {
			listed := uint64(0)
			err := s.EachFewest(ctx, r.Run.Results, r.Run.Rows, int(least.Lo), func(jumps []peg.Jump, n int) error {
				listed += uint64(n)
				text, _ := peg.FormatSweeps(b, jumps)
				return emit([]puzzle.Value{{N: uint128.From(uint64(n))}, {S: peg.FormatJumps(b, jumps)}, {S: text}})
			})
			if err == nil && uint128.From(listed) != want {
				err = fmt.Errorf("%d solutions are listed and the run says %v; verify the run", listed, want)
			}
			return err
		},
	}}, nil
}

func answerLongest(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	s, longest, err := sweepsOf(r.Run, "longest_sweep")
	if err != nil {
		return nil, err
	}
	p := s.Problem()
	b, length := p.Board, int(longest.Lo)
	var sum puzzle.Summary
	sum.Problem = withoutJumps(understood(p))
	sum.AddCount("longest_sweep", longest, "jumps of the longest sweep of a solution")
	if length == 0 {
		sum.Notes = append(sum.Notes, "there is no solution")
		return &puzzle.Answer{Summary: sum}, nil
	}
	jumps, begins, err := s.Longest(ctx, r.Run.Results, r.Run.Rows, length)
	if err != nil {
		return nil, err
	}
	if jumps == nil {
		return nil, fmt.Errorf("no solution has a sweep of %d jumps, and the run says so; verify the run", length)
	}
	before := p.Start
	for _, j := range jumps[:begins] {
		before = j.Play(before)
	}
	sweep, _ := peg.FormatSweeps(b, jumps[begins:begins+length])
	text, n := peg.FormatSweeps(b, jumps)
	sum.AddNumber("begins_after", uint64(begins), "jumps before the sweep")
	sum.AddText("position", peg.FormatLine(b, before), "the position before the sweep")
	sum.AddText("sweep", sweep, "the sweep")
	sum.AddText("solution", text, "a solution with it")
	sum.AddNumber("sweeps", uint64(n), "sweeps of the solution")
	sum.AddText("jumps", strings.TrimSpace(peg.FormatJumps(b, jumps)), "its jumps")
	return &puzzle.Answer{Summary: sum, Figures: gameFigures(b, p.Start, jumps)}, nil
}
