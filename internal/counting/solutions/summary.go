package solutions

import (
	"fmt"

	"pagoda/internal/counting"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// Summarise gives the number of solutions, or the table of all pairs.
func (s *Puzzle) Summarise(known puzzle.Results) (puzzle.Summary, error) {
	var sum puzzle.Summary
	sum.AddText("board", s.board.Name, "name of the board")
	if s.goals != nil {
		sum.AddText("start", peg.FormatLine(s.board, s.start), "where the game starts")
		sum.AddText("goal", s.goals.String(), "where a solution ends: in any of several positions")
		return sum, s.addGoals(&sum, known)
	}
	if !s.allPairs {
		q := s.problems[0]
		sum.AddText("start", peg.FormatLine(s.board, q.Start), "where the game starts")
		sum.AddText("goal", peg.FormatLine(s.board, q.Goal), "where a solution ends")
		if n, ok := s.solutions(q, known); ok {
			sum.AddCount("solutions", n, "jump sequences from the start to the goal")
		}
		if q.reason != "" {
			sum.Notes = append(sum.Notes, "no solution: "+q.reason)
		}
		return sum, nil
	}
	pairs := 0
	for _, q := range s.problems {
		pairs += len(q.class)
	}
	sum.AddCount("compatible_pairs", uint128.From(uint64(pairs)),
		"pairs of start vacancy and final peg that the rule of three allows")
	sum.AddCount("pair_classes", uint128.From(uint64(len(s.problems))), "those, up to the symmetries of the board")
	sum.AddCount("pair_classes_with_reversal", uint128.From(uint64(len(peg.PairClasses(s.board, true)))),
		"those, up to symmetries and playing backwards")
	table, err := s.pairTable(known)
	sum.Tables = append(sum.Tables, table)
	if s.Remark != "" {
		sum.Notes = append(sum.Notes, s.Remark)
	}
	return sum, err
}

// solutions returns the number of solutions of a problem; ok is false while it is not known.
func (s *Puzzle) solutions(q *problem, known puzzle.Results) (n uint128.Uint128, ok bool) {
	if q.join == nil {
		return n, true
	}
	if s.joinLayer >= known.Layers() {
		return n, known.Complete()
	}
	t, ok := known.Layer(s.joinLayer)
	return t.Sum(q.sum), ok
}

// AllPairs reports whether it counts the solutions of all pairs.
func (s *Puzzle) AllPairs() bool { return s.allPairs }

// Pairs returns the board and the solutions of the pairs, of those of which they are known.
func (s *Puzzle) Pairs(known puzzle.Results) (*peg.Board, map[peg.Pair]uint128.Uint128) {
	counted := map[peg.Pair]uint128.Uint128{}
	for _, q := range s.problems {
		if n, ok := s.solutions(q, known); ok {
			for _, p := range q.class {
				counted[p] = n
			}
		}
	}
	return s.board, counted
}

// pairTable lists the classes of pairs with their solutions. A pair and its reverse must agree.
func (s *Puzzle) pairTable(known puzzle.Results) (puzzle.Table, error) {
	table := puzzle.Table{Name: "pairs", Columns: []puzzle.Column{
		{Name: "start", Kind: puzzle.Text, Doc: "start vacancy"},
		{Name: "goal", Kind: puzzle.Text, Doc: "final peg"},
		{Name: "pairs", Kind: puzzle.Number, Doc: "pairs that the class stands for"},
		{Name: "solutions", Kind: puzzle.Count, Doc: "jump sequences from the start to the goal"},
	}}
	_, counted := s.Pairs(known)
	for _, q := range s.problems {
		p := q.class[0]
		n, ok := counted[p]
		if !ok {
			continue
		}
		table.Rows = append(table.Rows, []puzzle.Value{
			counting.Hole(s.board, int(p.Start)), counting.Hole(s.board, int(p.Goal)), counting.Number(len(q.class)), {N: n}})
	}
	for p, n := range counted {
		if m, ok := counted[peg.Pair{Start: p.Goal, Goal: p.Start}]; ok && m != n {
			return table, fmt.Errorf("%s to %s has %v solutions, but %v backwards",
				s.board.Label(int(p.Start)), s.board.Label(int(p.Goal)), n, m)
		}
	}
	return table, nil
}
