package solitaire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/counting/ways"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/setting"
)

// Bounds of the work of bounds, in nodes of branch and bound.
const (
	boundNodes    = 300  // for one bound
	allBoundNodes = 3000 // for all
)

var boundsQuestion = puzzle.Question{
	Name:  "bounds",
	Short: "bound how often each jump is played in a solution, by the cone and the integer cone",
	Long: `Bound how often each jump is played in the solutions from START to GOAL, at most and at least: by the cone,
rounded to whole numbers, and by the integer cone. A bound of the integer cone is attained by a sum of jumps, which need
not be a game. With --at-least only solutions count in which the jumps named are played as often.

coordinator peg check verifies the certificates of the JSON document, for one jump of each kind up to symmetry.`,
	Examples: []string{
		"center center",
		"center center --at-least 46x44=4",
		"oo.o.... .o...... --board oooooooo --output json",
		"start goal --data runs/english-0123456789ab",
	},
	Args: problemArgs,
	Flags: append(slices.Clip(problemFlags), setting.Setting{Name: "at_least",
		Doc: "jumps and how often each is played at least, such as 46x44=3 or 46x44=3,64x44=1"}),
	Needs:   puzzle.MayReadRows,
	Outputs: []puzzle.Output{puzzle.Tables},
	Answer:  answerBounds,
}

// A boundsReport is the answer of bounds.
type boundsReport struct {
	// Verdict is infeasible where no sum of jumps leads from the start to the goal within the bounds given.
	Verdict string `json:"verdict"`
	// Jumps are those of the board: with the bounds of the criteria, and with a run the least and greatest numbers of all
	// solutions, which are null where there is none.
	Jumps        []jumpBounds          `json:"jumps"`
	Certificates []*proofs.Certificate `json:"certificates"`
}

type jumpBounds struct {
	feasible.JumpBound
	Least    *int64 `json:"least"`
	Greatest *int64 `json:"greatest"`
}

func answerBounds(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	p, run, err := askedBounds(r)
	if err != nil {
		return nil, err
	}
	given, err := readBounds(p.Board, r.Flags.Text("at_least"))
	if err != nil {
		return nil, err
	}
	group := p.Symmetries()
	if given != nil {
		group = group[:1] // the identity
	}
	found, err := feasible.New(p.Board).Bounds(ctx, p, given, jumpOrbits(p.Board, group), boundNodes, allBoundNodes)
	if err != nil {
		return nil, argError(argStart, err)
	}
	doc := boundsReport{Verdict: feasible.Unknown, Jumps: []jumpBounds{}, Certificates: found.Certificates}
	for _, b := range found.Jumps {
		doc.Jumps = append(doc.Jumps, jumpBounds{JumpBound: b})
	}
	if run != nil {
		if err := doc.count(ctx, run, r.Run); err != nil {
			return nil, err
		}
	}
	sum := puzzle.Summary{Problem: withoutJumps(understood(p)), Tables: []puzzle.Table{doc.table(run != nil)}}
	for _, g := range given {
		sum.Problem.Add("at least", fmt.Sprintf("%d times %s", g.AtLeast, g.Jump))
	}
	a := &puzzle.Answer{Summary: sum}
	if len(found.Jumps) == 0 {
		doc.Verdict = feasible.Infeasible
		a.Text = "there is no solution: no whole numbers of jumps lead from the start to the goal\n"
	}
	a.Document = doc
	return a, nil
}

// askedBounds reads the problem. That of a run, where one is named, must be the same.
func askedBounds(r puzzle.Request) (p peg.Problem, run *ways.Puzzle, err error) {
	if r.Run.Puzzle == nil {
		p, err = askedProblem(r)
		return p, nil, err
	}
	if run, err = runWithProblem(r); err != nil {
		return p, nil, err
	}
	p = run.Problem()
	for _, end := range []struct {
		name, text string
		read       func(*peg.Board, string) (peg.Position, error)
		want       peg.Position
	}{{argStart, r.Args[0], peg.ParseStart, p.Start}, {argGoal, r.Args[1], peg.ParseGoal, p.Goal}} {
		if strings.EqualFold(end.text, end.name) {
			continue
		}
		q, err := end.read(p.Board, end.text)
		if err == nil && q != end.want {
			err = fmt.Errorf("that of the run is %s", peg.FormatLine(p.Board, end.want))
		}
		if err != nil {
			return p, nil, &setting.Error{Setting: end.name, Err: err, Hint: "write start goal for the problem of the run"}
		}
	}
	if r.Flags.Given("at_least") {
		return p, nil, &setting.Error{Setting: "at_least", Err: errors.New("a run is asked about all of its solutions"),
			Hint: "remove it, or do not name a run"}
	}
	return p, run, nil
}

// count adds the numbers of all solutions of a run, which are within the bounds of the criteria.
func (doc *boundsReport) count(ctx context.Context, run *ways.Puzzle, view puzzle.RunView) error {
	g, err := run.Graph(ctx, view.Rows, view.Results.Cells, mostClasses)
	if errors.Is(err, ways.ErrTooMany) {
		return &puzzle.NotAskedError{Reason: err.Error(), Hint: "name no run, for the bounds of the criteria"}
	}
	if err != nil {
		return err
	}
	times, err := g.Times(ctx)
	if err != nil {
		return err
	}
	if times != nil && len(doc.Jumps) == 0 {
		return errors.New("the run has solutions, and a criterion forbids them; verify the run")
	}
	for i, n := range times {
		j := &doc.Jumps[i]
		least, greatest := int64(n.Least), int64(n.Greatest)
		for _, bad := range []bool{j.Cone != nil && greatest > *j.Cone, j.ConeLeast != nil && least < *j.ConeLeast,
			j.IntegerCone != nil && greatest > *j.IntegerCone,
			j.IntegerConeLeast != nil && least < *j.IntegerConeLeast} {
			if bad {
				return fmt.Errorf("jump %s is played %d to %d times, which its bounds forbid; verify the run", j.Jump, least,
					greatest)
			}
		}
		j.Least, j.Greatest = &least, &greatest
	}
	return nil
}

// readBounds reads jumps with numbers.
func readBounds(b *peg.Board, text string) (list []proofs.Bound, err error) {
	for _, word := range strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(", \t\r\n;", c) }) {
		name, number, ok := strings.Cut(word, "=")
		n, bad := strconv.ParseInt(number, 10, 64)
		if !ok || bad != nil || n < 0 || n > peg.MaxHoles {
			return nil, &setting.Error{Setting: "at_least", Err: fmt.Errorf("%s is no jump and a number from 0 to %d",
				setting.Quote(word), peg.MaxHoles), Hint: "write it as " + peg.FormatJump(b, b.Jumps[0]) + "=2"}
		}
		j, err := readJump(b, name)
		if err != nil {
			return nil, &setting.Error{Setting: "at_least", Err: err,
				Hint: "write a jump such as " + peg.FormatJump(b, b.Jumps[0])}
		}
		list = append(list, proofs.Bound{Jump: peg.FormatJump(b, j), AtLeast: n})
	}
	return list, nil
}

// readJump reads a jump of a board in any notation of games.
func readJump(b *peg.Board, name string) (peg.Jump, error) {
	i := slices.IndexFunc(b.Jumps, func(j peg.Jump) bool {
		game, err := peg.ParseGame(b, j.Need(), name)
		return err == nil && len(game) == 1 && game[0] == j
	})
	if i < 0 {
		return peg.Jump{}, fmt.Errorf("board %s has no jump %s", b.Name, setting.Quote(name))
	}
	return b.Jumps[i], nil
}

// table is the table of the bounds, and with a run of its numbers.
func (doc *boundsReport) table(run bool) puzzle.Table {
	t := puzzle.Table{Name: "bounds", Columns: []puzzle.Column{
		{Name: "jump", Kind: puzzle.Text, Doc: "a jump"},
		{Name: "cone_least", Kind: puzzle.Text, Doc: "times that it is played at least, by the cone"},
		{Name: "cone", Kind: puzzle.Text, Doc: "and at most"},
		{Name: "integer_cone_least", Kind: puzzle.Text, Doc: "times that it is played at least, by the integer cone"},
		{Name: "integer_cone", Kind: puzzle.Text, Doc: "and at most"},
	}}
	if run {
		t.Columns = append(t.Columns,
			puzzle.Column{Name: "least", Kind: puzzle.Text, Doc: "times that it is played at least in a solution of the run"},
			puzzle.Column{Name: "greatest", Kind: puzzle.Text, Doc: "and at most"})
	}
	said := func(n *int64) puzzle.Value {
		if n == nil {
			return puzzle.Value{S: unknown}
		}
		return puzzle.Value{S: strconv.FormatInt(*n, 10)}
	}
	for _, j := range doc.Jumps {
		row := []puzzle.Value{{S: j.Jump}, said(j.ConeLeast), said(j.Cone), said(j.IntegerConeLeast), said(j.IntegerCone)}
		if run {
			row = append(row, said(j.Least), said(j.Greatest))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
