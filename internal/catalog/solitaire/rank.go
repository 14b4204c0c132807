package solitaire

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"pagoda/internal/counting/ways"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/setting"
)

var rankQuestion = puzzle.Question{
	Name:  "rank",
	Short: "say which number a solution has among all solutions of its problem",
	Long: `Say which number GAME has among all solutions of its problem: its place in the order of their jumps, from 0.
peg list and peg solution find the game by its number.

Without a run the problem leads from --start to --goal, or where there is none to the end of the game. It is played
out, which is possible for small problems; peg list says which. With --data, --config or --url, a run with
count: solutions and store_ways: true whose rows are kept (retention: all), the problem is that of the run.`,
	Examples: []string{
		"1x3 --board ooo --start oo.",
		"--data runs/english-0123456789ab 46x44 65x45 57x55 54x56 52x54 73x53",
	},
	Args: playQuestion.Args,
	Flags: append(slices.Clip(problemFlags),
		setting.Setting{Name: "start", Default: defaultStart, Doc: "position in which the game begins"},
		setting.Setting{Name: "goal", Doc: "goal of the problem; empty: the end of the game"}),
	Needs:  puzzle.MayReadRows,
	Answer: answerRank,
}

func answerRank(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	p, run, jumps, err := askedGame(r)
	if err != nil {
		return nil, err
	}
	var l *ways.Listing
	if run != nil {
		l = run.Listing(r.Run.Rows)
	} else {
		if p.Goal == 0 {
			p.Goal = p.Start
			for _, j := range jumps {
				p.Goal = j.Play(p.Goal)
			}
		}
		if l, err = fewSolutions(ctx, p, "start", "goal"); err != nil {
			return nil, err
		}
	}
	number, err := l.Number(ctx, jumps)
	if errors.Is(err, ways.ErrNotSolution) {
		return nil, &setting.Error{Setting: argGame, Err: err, Hint: "write all jumps of a solution"}
	}
	if err != nil {
		return nil, err
	}
	all, err := l.Total(ctx)
	if err != nil {
		return nil, err
	}
	sum := puzzle.Summary{Problem: withoutJumps(understood(p))}
	sum.AddCount("number", number, "place among all solutions, from 0, in the order of their jumps")
	sum.AddCount("all_solutions", all, "solutions of the problem")
	sum.AddText("jumps", peg.FormatJumps(p.Board, jumps), "the jumps")
	return &puzzle.Answer{Summary: sum, Link: boardLink(p, p.Start, jumps)}, nil
}

// fewSolutions are the solutions of a problem without a run. start and goal are the arguments or flags that name them.
func fewSolutions(ctx context.Context, p peg.Problem, start, goal string) (*ways.Listing, error) {
	if err := p.Check(); err != nil {
		return nil, &setting.Error{Setting: goal, Err: err,
			Hint: "each jump takes one peg: the goal has fewer than the start"}
	}
	l, known, err := ways.Few(ctx, p, searchPositions)
	if err == nil && !known {
		err = &setting.Error{Setting: start,
			Err:  fmt.Errorf("more than %d positions would have to be played out", searchPositions),
			Hint: "name a run with count: solutions, store_ways: true and retention: all, such as --data DIR"}
	}
	return l, err
}
