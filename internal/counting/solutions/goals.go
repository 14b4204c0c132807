package solutions

import (
	"errors"
	"fmt"

	"pagoda/internal/counting"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// Bounds of a run with several goals. Each class takes an enumeration and a join.
const (
	mostGoals   = 1 << 18
	mostClasses = 256 // that no criterion forbids
)

// ErrGoals is wrapped by the error of NewGoals when there are more.
var ErrGoals = errors.New("too many goals")

// NewGoals prepares counting the solutions from p.Start to each of p.Goals that has fewer pegs. There is one number for
// each class of goals under the symmetries that fix the start. Goals that a criterion forbids are not counted further.
func NewGoals(p counting.Params) (*Puzzle, error) {
	orbits := peg.NewOrbits(peg.Stabiliser(p.Board.Symmetries(), p.Start))
	classes := map[peg.Position]*problem{}
	var list []*problem
	looked := 0
	for goal := range p.Goals.Below(p.Start) {
		if looked++; looked > mostGoals {
			return nil, fmt.Errorf("%w: %s is more than %d", ErrGoals, p.Goals, mostGoals)
		}
		least := orbits.Least(goal)
		q := classes[least]
		if q == nil {
			q = &problem{Problem: peg.Problem{Board: p.Board, Start: p.Start, Goal: goal}}
			classes[least] = q
			if _, forbidden := q.Forbidden(); !forbidden {
				list = append(list, q)
			}
			if len(list) > mostClasses {
				return nil, fmt.Errorf("%w: no criterion forbids %d and more classes of %s", ErrGoals, len(list), p.Goals)
			}
		}
		q.images++
	}
	s := &Puzzle{board: p.Board, start: p.Start, windowAddresses: p.WindowAddresses, problems: list, goals: p.Goals}
	return s, s.prepare()
}

// goalText is the goal, or the goals, as a parameter has them.
func (s *Puzzle) goalText() string {
	if s.goals != nil {
		return s.goals.String()
	}
	return peg.FormatLine(s.board, s.problems[0].Goal)
}

// addGoals adds the solutions to all goals to a summary, and a table of those that no criterion forbids.
func (s *Puzzle) addGoals(sum *puzzle.Summary, known puzzle.Results) error {
	table := puzzle.Table{Name: "goal_classes", Columns: []puzzle.Column{
		{Name: "goal", Kind: puzzle.Text, Doc: "the first goal of the class"},
		{Name: "pegs", Kind: puzzle.Number, Doc: "its pegs"},
		{Name: "images", Kind: puzzle.Number, Doc: "goals that the class stands for"},
		{Name: "solutions", Kind: puzzle.Count, Doc: "jump sequences from the start to each of them"},
	}}
	var all uint128.Uint128
	for _, q := range s.problems {
		n, ok := s.solutions(q, known)
		if !ok {
			continue
		}
		product, ok1 := n.Mul64(uint64(q.images))
		var ok2 bool
		if all, ok2 = all.Add(product); !ok1 || !ok2 {
			return puzzle.ErrOverflow
		}
		table.Rows = append(table.Rows, []puzzle.Value{{S: s.board.Hex(q.Goal), Shown: peg.FormatLine(s.board, q.Goal)},
			counting.Number(q.Goal.Pegs()), counting.Number(q.images), {N: n}})
	}
	if len(table.Rows) == len(s.problems) {
		sum.AddCount("solutions", all, "jump sequences from the start to a goal that has fewer pegs, of all goals")
	}
	if len(s.problems) == 0 {
		sum.Notes = append(sum.Notes, "no solution: a criterion forbids every goal")
	}
	sum.Tables = append(sum.Tables, table)
	return nil
}

// several reports whether rows may come from other starts than the one of the problem.
func (s *Puzzle) several() bool { return s.allPairs || s.goals != nil }

// of names a problem of several.
func (s *Puzzle) of(q *problem) string {
	switch {
	case s.allPairs:
		p := q.class[0]
		return fmt.Sprintf("%s to %s: ", s.board.HoleName(int(p.Start)), s.board.HoleName(int(p.Goal)))
	case s.goals != nil:
		return fmt.Sprintf("to %s: ", peg.FormatLine(s.board, q.Goal))
	}
	return ""
}
