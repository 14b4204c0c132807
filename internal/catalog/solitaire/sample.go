package solitaire

import (
	"context"
	"fmt"
	"strings"

	"pagoda/internal/counting/ways"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/puzzle/uint128"
)

var sample = puzzle.Question{
	Name:  "sample",
	Short: "draw solutions uniformly at random",
	Long: `Draw solutions uniformly at random: every solution is equally likely at every draw, exactly. The same seed
gives the same solutions on every machine. With --distinct no solution is drawn twice: one that comes again is drawn
anew, so that all sets of so many solutions are equally likely.

A solution is written as its jumps, and as moves in which consecutive jumps of one peg are one sweep: 46x44, 75x73x53.
Holes are column and row, both from 1; on triangular and large boards a letter for the column and a number for the row.
The address behind open shows it on a board, where coordinator explore is running. The number of a solution is its place
among all of them in the order of their jumps.

The run must have been made with count: solutions and store_ways: true, and its rows kept (retention: all).`,
	Examples: []string{
		"--data runs/english-0123456789ab -n 10 --seed 1",
		"--data runs/english-0123456789ab -n 1000 --seed 1 --output json",
	},
	Flags: []setting.Setting{
		{Name: "draws", Letter: "n", Kind: setting.Integer, Default: "1", Min: 1, Max: 1_000_000,
			Doc: "number of solutions to draw"},
		{Name: "distinct", Kind: setting.Boolean, Default: "false", Doc: "draw no solution twice"},
		puzzle.SeedFlag("what is drawn"),
	},
	Needs:   puzzle.NeedsRows,
	Outputs: []puzzle.Output{puzzle.Tables},
	Answer:  answerSample,
}

func answerSample(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	t, err := solutionsThrough(r.Run)
	if err != nil {
		return nil, err
	}
	total, err := t.Total(ctx, r.Run.Rows)
	if err != nil {
		return nil, err
	}
	n, seed := r.Flags.Uint("draws"), r.Flags.Uint("seed")
	distinct, drawn := r.Flags.Bool("distinct"), map[uint128.Uint128]bool{}
	if distinct && total.Cmp(uint128.From(n)) < 0 {
		return nil, &setting.Error{Setting: "draws", Err: fmt.Errorf("there are no %d distinct solutions", n),
			Hint: fmt.Sprintf("draw %v, or leave out --distinct", total)}
	}
	random := puzzle.Draws(r.Flags)
	var s puzzle.Summary
	s.AddText("seed", fmt.Sprint(seed), "what decides the draws")
	s.AddCount("all_solutions", total, "solutions of the problem")
	list := puzzle.Table{Name: "sample", Columns: solutionColumns()}
	var text strings.Builder
	fmt.Fprintf(&text, "%d of %s, seed %d\n", n, plural.Digits(total.String(), "solution"), seed)
	for range n {
		number := ways.Uniform(random, total)
		if distinct {
			for drawn[number] {
				number = ways.Uniform(random, total)
			}
			drawn[number] = true
		}
		jumps, err := t.Solution(ctx, r.Run.Rows, number)
		if err != nil {
			return nil, err
		}
		addSolution(&list, &text, t.Problem(), number, jumps)
	}
	s.Tables = append(s.Tables, list)
	return &puzzle.Answer{Summary: s, Text: text.String()}, nil
}
