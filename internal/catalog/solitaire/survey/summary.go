package survey

import (
	"fmt"
	"strings"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// A Result counts the problems of a survey from the starts with as many pegs, or from all.
type Result struct {
	Pegs                                                   int // of the starts, 0 for all
	Problems, Solvable, Open, Limited, Unknown, Infeasible uint128.Uint128
	Classes                                                uint128.Uint128
	// Forbids has, in the order of the criteria, the problems of which each is the first to forbid them.
	Forbids []uint128.Uint128
}

// Results returns the results of the complete cells by the number of pegs of the starts, and their sum.
func (s *Survey) Results(known puzzle.Results) (list []Result, total Result, err error) {
	var sum puzzle.Tally
	for _, c := range s.cells {
		t, ok := known.Cell(s.cell(c))
		if !ok {
			continue
		}
		r, err := result(&t)
		if err != nil {
			return nil, total, fmt.Errorf("starts with %d pegs: %w", c.pegs, err)
		}
		r.Pegs = c.pegs
		list = append(list, r)
		if err := sum.Merge(&t); err != nil {
			return nil, total, err
		}
	}
	total, err = result(&sum)
	return list, total, err
}

// result reads a tally, and demands that its sums agree.
func result(t *puzzle.Tally) (Result, error) {
	r := Result{Problems: t.Sum(sumProblems), Solvable: t.Sum(sumSolvable), Open: t.Sum(sumOpen),
		Limited: t.Sum(sumLimited), Unknown: t.Sum(sumUnknown), Classes: t.Sum(sumClasses)}
	var ok bool
	r.Infeasible = r.Open
	for _, name := range criteria {
		n := t.Sum(sumOf(name))
		r.Forbids = append(r.Forbids, n)
		if r.Infeasible, ok = r.Infeasible.Add(n); !ok {
			return r, puzzle.ErrOverflow
		}
	}
	all := r.Infeasible
	for _, n := range []uint128.Uint128{r.Solvable, r.Unknown} {
		if all, ok = all.Add(n); !ok {
			return r, puzzle.ErrOverflow
		}
	}
	if all != r.Problems {
		return r, fmt.Errorf("%v problems are counted one by one, and %v in all; verify the run", all, r.Problems)
	}
	return r, nil
}

// Summarise implements puzzle.Puzzle.
func (s *Survey) Summarise(known puzzle.Results) (puzzle.Summary, error) {
	list, total, err := s.Results(known)
	if err != nil {
		return puzzle.Summary{}, err
	}
	sum := s.facts()
	if known.Complete() {
		addTotals(&sum, &total)
		sum.Tables = append(sum.Tables, criteriaTable(&total))
	}
	layers := puzzle.Table{Name: "layers", Columns: startColumns}
	for i := range list {
		layers.Rows = append(layers.Rows, startRow(&list[i]))
	}
	sum.Tables = append(sum.Tables, layers)
	return sum, nil
}

// Report is a summary of the cells that are complete, with a table of all criteria by the pegs of the starts, and its
// numbers.
func (s *Survey) Report(known puzzle.Results) (sum puzzle.Summary, list []Result, total Result, err error) {
	if list, total, err = s.Results(known); err != nil {
		return sum, nil, total, err
	}
	sum = s.facts()
	addTotals(&sum, &total)
	if !known.Complete() {
		sum.Notes = append(sum.Notes, fmt.Sprintf("the run is not complete: these are the starts of %d of %d numbers of pegs",
			len(list), len(s.cells)))
	}
	starts := puzzle.Table{Name: "starts", Columns: startColumns}
	for _, name := range criteria {
		starts.Columns = append(starts.Columns, puzzle.Column{Name: strings.ReplaceAll(name, " ", "_"), Kind: puzzle.Count,
			Doc: "problems of which the criterion " + name + " is the first to forbid them"})
	}
	for i := range list {
		row := startRow(&list[i])
		for _, n := range list[i].Forbids {
			row = append(row, puzzle.Value{N: n})
		}
		starts.Rows = append(starts.Rows, row)
	}
	sum.Tables = []puzzle.Table{criteriaTable(&total), starts}
	return sum, list, total, nil
}

func (s *Survey) facts() (sum puzzle.Summary) {
	sum.AddText("board", s.params.Board.Name, "name of the board")
	sum.AddText("pairs", string(s.params.Kind),
		"the problems: all, of a vacancy and a final peg; one_peg, from every position to one peg; or positions")
	return sum
}

func addTotals(sum *puzzle.Summary, total *Result) {
	sum.AddCount("problems", total.Problems, "problems")
	sum.AddCount("solvable", total.Solvable, "problems with a game")
	sum.AddCount("infeasible", total.Infeasible, "problems without a game")
	sum.AddCount("open", total.Open, "problems without a game that no criterion forbids")
	if !total.Limited.IsZero() {
		sum.AddCount("limited", total.Limited, "of these, those where a criterion reached its limit")
	}
	if !total.Unknown.IsZero() {
		sum.AddCount("unknown", total.Unknown, "problems that neither a criterion nor the solver decides")
	}
}

func criteriaTable(total *Result) puzzle.Table {
	t := puzzle.Table{Name: "criteria", Columns: []puzzle.Column{
		{Name: "criterion", Kind: puzzle.Text, Doc: "criterion, in the order in which they are applied"},
		{Name: "forbids", Kind: puzzle.Count, Doc: "problems that it forbids and none before it does"},
		{Name: "left", Kind: puzzle.Count, Doc: "problems without a game that are left for those after it"},
	}}
	left := total.Infeasible
	for i, name := range criteria {
		left, _ = left.Sub(total.Forbids[i]) // the infeasible ones are their sum and more
		t.Rows = append(t.Rows, []puzzle.Value{{S: name}, {N: total.Forbids[i]}, {N: left}})
	}
	return t
}

var startColumns = []puzzle.Column{
	{Name: "pegs", Kind: puzzle.Number, Doc: "pegs of the starts"},
	{Name: "classes", Kind: puzzle.Count, Doc: "starts up to the symmetries of the board; with pairs: all, problems"},
	{Name: "problems", Kind: puzzle.Count, Total: "problems", Doc: "problems"},
	{Name: "solvable", Kind: puzzle.Count, Total: "solvable", Doc: "problems with a game"},
	{Name: "infeasible", Kind: puzzle.Count, Total: "infeasible", Doc: "problems without a game"},
	{Name: "open", Kind: puzzle.Count, Total: "open", Doc: "problems without a game that no criterion forbids"},
}

func startRow(r *Result) []puzzle.Value {
	return []puzzle.Value{{N: uint128.From(uint64(r.Pegs))}, {N: r.Classes}, {N: r.Problems}, {N: r.Solvable},
		{N: r.Infeasible}, {N: r.Open}}
}
