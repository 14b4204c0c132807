package solitaire

import (
	"context"
	"errors"
	"slices"
	"strings"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/catalog/solitaire/fewest"
	"pagoda/internal/catalog/solitaire/solve"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/setting"
)

var solveQuestion = puzzle.Question{
	Name:  "solve",
	Short: "find one solution from a start to a goal",
	Long: `Find one solution from START to GOAL, or prove that there is none: by a search from both ends that the criteria
of coordinator peg feasible cut down. --memory bounds it; where that decides nothing, the verdict is unknown.

A solution is written as its jumps, as moves in which consecutive jumps of one peg are one sweep, and board by board.
Parentheses stand around the hole that the peg has left and the one that it has reached. --moves prints the moves alone.

With --fewest the solution has the least number of sweeps, and an exhaustive search proves that none has fewer. Where
that takes more than some ten seconds, the answer is the best solution found, and how many sweeps every solution has at
least.

GOAL may be several goals: any (single peg), at-most-3 pegs, images(POSITION) under the symmetries of the board, a
drawing with ? where a hole may have a peg or not, or dead (a position without a jump). With fewest-pegs the game leaves
the fewest pegs, and with most-pegs the most: it comes to a dead end after the fewest jumps. A board of more than 64
holes, up to 1,024, takes one position or a drawing with ?.

Holes are column and row, both from 1; on triangular and large boards a letter for the column and a number for the
row. The address behind open shows it on a board, where coordinator explore is running.`,
	Examples: []string{
		"center center",
		"r0c2 r6c4 --board french --output json",
		"center center --moves",
		"center center --fewest",
		"1 any --board triangle5",
		"center most-pegs",
		"center center --board rectangle9x9",
		"center center --output svg --out solution.svg",
	},
	Decides: "a solution",
	Args:    goalsArgs,
	Flags: append(slices.Clip(problemFlags), memoryFlag,
		setting.Setting{Name: "moves", Kind: setting.Boolean, Default: "false",
			Doc: "the moves alone, in one line; other forms than text are as without it"},
		setting.Setting{Name: "fewest", Kind: setting.Boolean, Default: "false",
			Doc: "a solution with the least number of sweeps, and whether it is proved that none has fewer"}),
	Outputs: []puzzle.Output{puzzle.Pictures},
	Answer:  answerSolve,
}

// A solution is the answer of solve.
type solution struct {
	Verdict   string   `json:"verdict"`   // feasible, infeasible or unknown
	Criterion string   `json:"criterion"` // the one that forbids the problem, or search; "" when none does
	Start     string   `json:"start"`
	Goal      string   `json:"goal"`
	Moves     int      `json:"moves"` // sweeps
	Jumps     []string `json:"jumps"`
	Sweeps    any      `json:"sweeps"` // as texts; with fewest their number
	*leastSweeps
}

// leastSweeps is the part of a solution with the fewest sweeps.
type leastSweeps struct {
	Proved  bool     `json:"proved"`   // no solution has fewer
	AtLeast int      `json:"at_least"` // every solution has so many, proved
	Written []string `json:"written"`  // the sweeps
}

func answerSolve(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	layout, err := askedLayout(r.Flags)
	if err != nil {
		return nil, err
	}
	b, ok := layout.Small()
	if !ok {
		return solveLarge(ctx, r, layout)
	}
	start, several, err := goalsOn(b, r.Args)
	if err != nil {
		return nil, err
	}
	goal, ok := several.Only()
	if !ok {
		return solveGoals(ctx, r, start, several)
	}
	p := peg.Problem{Board: b, Start: start, Goal: goal}
	result, err := solve.Solve(ctx, p, solve.Options{Bytes: askedMemory(r)})
	if err != nil && !errors.Is(err, solve.ErrGaveUp) {
		return nil, argError(argStart, err)
	}
	s := solution{Start: peg.FormatLine(b, p.Start), Goal: peg.FormatLine(b, p.Goal),
		Jumps: []string{}, Sweeps: []string{}}
	if r.Flags.Bool("fewest") {
		s.Sweeps, s.leastSweeps = 0, &leastSweeps{Written: []string{}}
	}
	sum := puzzle.Summary{Problem: withoutJumps(understood(p))}
	unsolved := func(text string) (*puzzle.Answer, error) {
		return &puzzle.Answer{Summary: sum, Decision: decisions[s.Verdict], Text: text, Document: s, Figures: []figure.Figure{
			{Name: "start", Title: "start", Board: drawing(b, p.Start)},
			{Name: "goal", Title: "goal", Board: drawing(b, p.Goal)},
		}}, nil
	}
	if err != nil {
		s.Verdict = feasible.Unknown
		return unsolved("unknown: " + err.Error() + "\n")
	}
	if !result.Solvable {
		s.Verdict, s.Criterion = feasible.Infeasible, feasible.Search
		if v := result.Verdict; v != nil && v.Verdict == feasible.Infeasible {
			s.Criterion = v.Criterion
		}
		return unsolved("there is no solution: " + s.Criterion + "\n")
	}
	s.Verdict = feasible.Feasible
	jumps, said := result.Jumps, ""
	if s.leastSweeps != nil {
		best, err := fewest.Solve(ctx, p, jumps, fewest.Options{Bytes: askedMemory(r)})
		if err != nil {
			return nil, err
		}
		jumps, s.Proved, s.AtLeast = best.Jumps, best.Proved(), best.AtLeast
		said = leastSaid(p, best)
	}
	sweeps, moves := peg.FormatSweeps(b, jumps)
	s.Jumps, s.Moves = append(s.Jumps, strings.Fields(peg.FormatJumps(b, jumps))...), moves
	if s.leastSweeps == nil {
		s.Sweeps = append([]string{}, strings.Fields(sweeps)...)
	} else {
		s.Sweeps, s.Written = moves, append(s.Written, strings.Fields(sweeps)...)
	}
	figures := gameFigures(b, p.Start, jumps)
	if r.Flags.Bool("moves") {
		sum.Problem.Lines = nil
		return &puzzle.Answer{Summary: sum, Text: sweeps + "\n", Document: s, Figures: figures}, nil
	}
	sum.AddText("jumps", strings.Join(s.Jumps, " "), "the jumps")
	sum.AddText("sweeps", sweeps+" ("+plural.Of(moves, "move")+")", "the moves, and how many")
	if said != "" {
		sum.AddText("fewest", said, "whether the number of sweeps is the least")
	}
	return &puzzle.Answer{Summary: sum, Link: boardLink(p, p.Start, jumps), Drawn: true, Document: s,
		Figures: figures}, nil
}
