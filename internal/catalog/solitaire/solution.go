package solitaire

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"pagoda/internal/counting/ways"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/puzzle/uint128"
)

// argSolution is the argument of solution.
const argSolution = "SOLUTION"

var solutionQuestion = puzzle.Question{
	Name:  "solution",
	Short: "look a solution up by its number, or say which number a solution has",
	Long: `Look the solution of a number up, or say the number of a solution that is given by its jumps. The number is the
place among all solutions in the order of their jumps, from 0, as in peg sample.

The run must have been made with count: solutions and store_ways: true, and its rows kept (retention: all).`,
	Examples: []string{
		"--data runs/english-0123456789ab 0",
		"--data runs/english-0123456789ab 40861647040079967 --output json",
	},
	Args: []puzzle.Argument{
		{Name: argSolution, Doc: "a number from 0, or the jumps or sweeps of a game", Repeated: true},
	},
	Needs:   puzzle.NeedsRows,
	Outputs: []puzzle.Output{puzzle.Tables},
	Answer:  answerSolution,
}

func answerSolution(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	t, err := solutionsThrough(r.Run)
	if err != nil {
		return nil, err
	}
	total, err := t.Total(ctx, r.Run.Rows)
	if err != nil {
		return nil, err
	}
	words := strings.Join(r.Args, " ")
	var number uint128.Uint128
	var jumps []peg.Jump
	if number.UnmarshalText([]byte(words)) == nil {
		if number.Cmp(total) >= 0 {
			last, _ := total.Sub(uint128.From(1))
			return nil, &setting.Error{Setting: argSolution, Err: fmt.Errorf("there is no solution %v", number),
				Hint: fmt.Sprintf("the numbers are 0 to %v", last)}
		}
		jumps, err = t.Solution(ctx, r.Run.Rows, number)
	} else if jumps, err = peg.ParseGame(t.Problem().Board, t.Problem().Start, words); err == nil {
		number, err = t.Listing(r.Run.Rows).Number(ctx, jumps)
	}
	switch {
	case errors.Is(err, peg.ErrGame), errors.Is(err, ways.ErrNotSolution):
		return nil, &setting.Error{Setting: argSolution, Err: err, Hint: "write a number from 0, or all jumps of a solution"}
	case err != nil:
		return nil, err
	}
	list, text := puzzle.Table{Name: "solution", Columns: solutionColumns()}, &strings.Builder{}
	addSolution(&list, text, t.Problem(), number, jumps)
	var s puzzle.Summary
	s.AddCount("all_solutions", total, "solutions of the problem")
	s.Tables = append(s.Tables, list)
	return &puzzle.Answer{Summary: s, Text: plural.Digits(total.String(), "solution") + "\n" + text.String()}, nil
}

// solutionColumns are those of a table of solutions.
func solutionColumns() []puzzle.Column {
	return []puzzle.Column{
		{Name: "number", Kind: puzzle.Count, Doc: "place among all solutions, from 0, in the order of their jumps"},
		{Name: "moves", Kind: puzzle.Number, Doc: "moves, where consecutive jumps of one peg are one"},
		{Name: "jumps", Kind: puzzle.Text, Doc: "the jumps"},
		{Name: "sweeps", Kind: puzzle.Text, Doc: "the moves"},
	}
}

// solutionRow is a row of a table of solutions.
func solutionRow(b *peg.Board, number uint128.Uint128, jumps []peg.Jump) []puzzle.Value {
	sweeps, moves := peg.FormatSweeps(b, jumps)
	return []puzzle.Value{{N: number}, {N: uint128.From(uint64(moves))}, {S: peg.FormatJumps(b, jumps)}, {S: sweeps}}
}

// addSolution appends a solution to a table and to its text.
func addSolution(list *puzzle.Table, text *strings.Builder, p peg.Problem, number uint128.Uint128, jumps []peg.Jump) {
	row := solutionRow(p.Board, number, jumps)
	list.Rows = append(list.Rows, row)
	fmt.Fprintf(text, "\nsolution %v\njumps %s\n%s %s\nopen %s\n", number, row[2].S, plural.Of(int(row[1].N.Lo), "move"),
		row[3].S, boardLink(p, p.Start, jumps))
}
