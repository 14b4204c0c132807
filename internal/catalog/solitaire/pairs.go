package solitaire

import (
	"context"
	"fmt"

	"pagoda/internal/counting"
	"pagoda/internal/counting/solutions"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/uint128"
)

var pairsQuestion = puzzle.Question{
	Name:  "pairs",
	Short: "list the solutions of every pair of a start vacancy and a final peg",
	Long: `List every pair of a start vacancy and a final peg that the rule of three allows, with the number of its
solutions; those of a symmetry class have the same. The picture says from which vacancies how many final pegs can be
reached.

The run must have been made with count: solutions and pairs: all. Its rows are not needed.`,
	Examples: []string{
		"--data runs/english-pairs-0123456789ab",
		"--data runs/english-pairs-0123456789ab --output csv --out pairs.csv",
		"--data runs/english-pairs-0123456789ab --output svg --out starts.svg",
	},
	Needs:   puzzle.NeedsResults,
	Outputs: []puzzle.Output{puzzle.Pictures, puzzle.Tables},
	Answer:  answerPairs,
}

func answerPairs(_ context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	s, ok := r.Run.Puzzle.(*solutions.Puzzle)
	if !ok || !s.AllPairs() {
		return nil, &puzzle.NotAskedError{
			Reason: "it does not count the solutions of all pairs",
			Hint:   "run its config with --set count=solutions --set pairs=all, without start and goal, in a new folder",
		}
	}
	if !r.Run.Results.Complete() {
		return nil, puzzle.ErrIncomplete
	}
	b, counts := s.Pairs(r.Run.Results)
	table := puzzle.Table{Name: "pairs", Columns: []puzzle.Column{
		{Name: "start", Kind: puzzle.Text, Doc: "start vacancy"},
		{Name: "goal", Kind: puzzle.Text, Doc: "final peg"},
		{Name: "solutions", Kind: puzzle.Count, Doc: "jump sequences from the start to the goal"},
	}}
	solvable, starts := uint64(0), make([]int, b.Size())
	for _, p := range peg.CompatiblePairs(b) {
		n := counts[p]
		table.Rows = append(table.Rows,
			[]puzzle.Value{counting.Hole(b, int(p.Start)), counting.Hole(b, int(p.Goal)), {N: n}})
		if !n.IsZero() {
			solvable++
			starts[p.Start]++
		}
	}
	var sum puzzle.Summary
	sum.AddCount("compatible_pairs", uint128.From(uint64(len(table.Rows))),
		"pairs of start vacancy and final peg that the rule of three allows")
	sum.AddCount("solvable_pairs", uint128.From(solvable), "those with a solution")
	sum.Tables = append(sum.Tables, table)
	return &puzzle.Answer{Summary: sum, Figures: []figure.Figure{{
		Name: "starts", Title: "final pegs that can be reached, by start vacancy", Board: startBoard(b, starts),
	}}}, nil
}

// startBoard shows how many final pegs are reached from each start vacancy.
func startBoard(b *peg.Board, starts []int) *figure.Board {
	board := &figure.Board{}
	for h, n := range starts {
		c := hole(b, h)
		c.Detail = b.Label(h)
		if n > 0 {
			c.Fill, c.Shade, c.Label = figure.Accent, 0.5, fmt.Sprint(n)
		}
		board.Cells = append(board.Cells, c)
	}
	return board
}
