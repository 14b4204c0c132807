package solitaire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pagoda/internal/counting/ways"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/puzzle/uint128"
)

var listQuestion = puzzle.Question{
	Name:  "list",
	Short: "list solutions in the order of their numbers",
	Long: `List solutions in the order of their numbers, from number --from on. The number of a solution is its place among
all solutions in the order of their jumps, from 0, as in peg solution.

Without a run the problem is START GOAL, and it is played out: that needs no more than a million positions after the
same number of jumps, as with 16 pegs or fewer. With --data, --config or --url, a run with count: solutions and
store_ways: true whose rows are kept (retention: all), the problem is that of the run.

--through, --with and --sweep choose solutions: those that meet every condition. The answer has their number beside
that of all solutions. Numbers stay those among all solutions, also that of --from.`,
	Examples: []string{
		"--data runs/english-0123456789ab --from 40861647040079900 --count 5",
		"--data runs/english-0123456789ab --sweep 7 --count 1000",
		"a1 a1 --board triangle5 --output csv",
		"oo.o .o.. --board oooo",
	},
	Args: []puzzle.Argument{{Name: argPosition, Doc: "start and goal of a problem; none: those of the run",
		Optional: true, Repeated: true, Completions: []string{"center"}}},
	Flags: slices.Concat(problemFlags, []setting.Setting{
		{Name: "from", Default: "0", Doc: "number of the first solution, from 0", Validate: validNumber},
		{Name: "count", Kind: setting.Integer, Default: "100", Min: 1, Max: 100_000,
			Doc: "number of solutions to list, at most"}}, filterFlags),
	Needs:   puzzle.MayReadRows,
	Outputs: []puzzle.Output{puzzle.Tables},
	Answer:  answerList,
}

func validNumber(text string) error {
	_, err := uint128.Parse(text)
	if err != nil {
		err = fmt.Errorf("%s is not the number of a solution", setting.Quote(text))
	}
	return err
}

func answerList(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	l, err := askedList(ctx, r)
	if err != nil {
		return nil, err
	}
	p, count := l.Problem(), int(r.Flags.Uint("count"))
	from, err := uint128.Parse(r.Flags.Text("from"))
	if err != nil {
		return nil, err
	}
	all, err := l.Total(ctx)
	if err != nil {
		return nil, err
	}
	sum := puzzle.Summary{Problem: withoutJumps(understood(p))}
	sum.AddCount("all_solutions", all, "solutions of the problem")
	if reason, forbidden := p.Forbidden(); forbidden {
		sum.Notes = append(sum.Notes, "no solution: "+reason)
	}
	each, of := l.Each, plural.Digits(all.String(), "solution")
	if f, ok, err := askedFilter(r, p); err != nil {
		return nil, err
	} else if ok {
		m, err := choose(ctx, r, l, f)
		if err != nil {
			return nil, err
		}
		each, of = m.Each, fmt.Sprintf("%s, of %v in all", plural.Digits(m.Count.String(), "chosen solution"), all)
		sum.AddCount("chosen_solutions", m.Count, "solutions that the filter chooses")
	}
	list := puzzle.Table{Name: "solutions", Columns: solutionColumns()}
	err = each(ctx, from, func(number uint128.Uint128, jumps []peg.Jump) error {
		list.Rows = append(list.Rows, solutionRow(p.Board, number, jumps))
		if len(list.Rows) == count {
			return errListed
		}
		return nil
	})
	if err != nil && !errors.Is(err, errListed) {
		return nil, err
	}
	sum.Tables = append(sum.Tables, list)
	var text strings.Builder
	fmt.Fprintf(&text, "%d of %s\n", len(list.Rows), of)
	for _, row := range list.Rows {
		fmt.Fprintf(&text, "%v  %s\n", row[0].N, row[3].S)
	}
	for _, note := range sum.Notes {
		text.WriteString("note: " + note + "\n")
	}
	return &puzzle.Answer{Summary: sum, Text: text.String()}, nil
}

// errListed says that as many solutions are listed as were asked for.
var errListed = errors.New("listed")

// askedList reads the problem, that of the run when there is one.
func askedList(ctx context.Context, r puzzle.Request) (*ways.Listing, error) {
	if r.Run.Puzzle != nil {
		run, err := runWithProblem(r)
		if err == nil && len(r.Args) > 0 {
			err = &setting.Error{Setting: argPosition, Err: errors.New("the run has its own start and goal"),
				Hint: "remove it, or do not name a run"}
		}
		if err != nil {
			return nil, err
		}
		return run.Listing(r.Run.Rows), nil
	}
	if len(r.Args) != 2 {
		return nil, &setting.Error{Setting: argPosition, Err: fmt.Errorf("%s given, and a problem has a start and a goal",
			plural.Of(len(r.Args), "position")), Hint: "give the start and the goal, or name a run with --data"}
	}
	p, err := askedProblem(r)
	if err != nil {
		return nil, &setting.Error{Setting: argPosition, Err: err, Hint: "give the start, then the goal"}
	}
	return fewSolutions(ctx, p, argPosition, argPosition)
}
