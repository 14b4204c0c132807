package solitaire

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"pagoda/internal/counting/ways"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/uint128"
)

var heatmap = puzzle.Question{
	Name:  "heatmap",
	Short: "show where the pegs of solutions are: a board for each number of jumps",
	Long: `Show, for each number of jumps and each hole, the share of all solutions that have a peg there then: as boards
of rounded percentages, as pictures in which every hole carries its exact share, or as a table of the exact shares.
A picture is darker where the share is larger, by its rank among the shares of the board: equal shares have equal
shades, and close ones differ.

The run must have been made with count: solutions and store_ways: true, and its rows kept (retention: all).`,
	Examples: []string{
		"--data runs/english-0123456789ab",
		"--data runs/english-0123456789ab --output svg --out english.svg",
		"--data runs/english-0123456789ab --output csv --out shares.csv",
	},
	Needs:   puzzle.NeedsRows,
	Outputs: []puzzle.Output{puzzle.Pictures, puzzle.Tables},
	Answer:  answerHeatmap,
}

func answerHeatmap(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	t, err := solutionsThrough(r.Run)
	if err != nil {
		return nil, err
	}
	shares, err := t.Occupancies(ctx, r.Run.Rows, r.Run.Results.Cells)
	if err != nil {
		return nil, err
	}
	total := shares[0].Total
	b, start := t.Problem().Board, t.Problem().Start.Pegs()
	var s puzzle.Summary
	s.AddCount("all_solutions", total, "solutions of the problem")
	s.Tables = append(s.Tables, shareTable(b, shares))
	answer := &puzzle.Answer{
		Summary: s, Drawn: true,
		Text: fmt.Sprintf("of %s, in percent, those with a peg in each hole\n", plural.Digits(total.String(), "solution")),
	}
	for i := range shares {
		n := shares[i].Jumps
		answer.Figures = append(answer.Figures, figure.Figure{
			Name:  fmt.Sprintf("jumps%02d", n),
			Title: "after " + plural.Of(n, "jump") + ", " + plural.Of(start-n, "peg"),
			Board: shareBoard(b, &shares[i]),
		})
	}
	return answer, nil
}

// shareTable lists the exact shares.
func shareTable(b *peg.Board, shares []ways.Occupancy) puzzle.Table {
	table := puzzle.Table{Name: "shares", Columns: []puzzle.Column{
		{Name: "jumps", Kind: puzzle.Number, Doc: "jumps made"},
		{Name: "hole", Kind: puzzle.Text, Doc: "hole, by row and column from 0"},
		{Name: "label", Kind: puzzle.Text, Doc: "hole, as in lists of jumps"},
		{Name: "solutions", Kind: puzzle.Count, Doc: "solutions that have a peg there then"},
		{Name: "all_solutions", Kind: puzzle.Count, Doc: "solutions of the problem"},
		{Name: "share", Kind: puzzle.Text, Doc: "their quotient in lowest terms"},
		{Name: "share_double", Kind: puzzle.Double, Doc: "the double nearest to the share"},
	}}
	for _, s := range shares {
		for h, n := range s.Holes {
			share := new(big.Rat).SetFrac(n.Big(), s.Total.Big())
			table.Rows = append(table.Rows, []puzzle.Value{
				{N: uint128.From(uint64(s.Jumps))}, {S: b.HoleName(h)}, {S: b.Label(h)}, {N: n}, {N: s.Total},
				{S: share.RatString()}, puzzle.Nearest(share)})
		}
	}
	return table
}

// shareBoard is a board of shares, the fuller the larger the share. Shades go by the rank of a share among those of the
// board that differ: shares that are close to each other can be told apart.
func shareBoard(b *peg.Board, s *ways.Occupancy) *figure.Board {
	board := &figure.Board{}
	ranks := slices.SortedFunc(slices.Values(s.Holes), uint128.Uint128.Cmp)
	ranks = slices.DeleteFunc(slices.Compact(ranks), uint128.Uint128.IsZero)
	for h, n := range s.Holes {
		c := hole(b, h)
		if !n.IsZero() {
			rank, _ := slices.BinarySearchFunc(ranks, n, uint128.Uint128.Cmp)
			c.Fill, c.Shade = figure.Accent, 1
			if below := len(ranks) - 1; below > 0 {
				c.Shade = leastShade + (1-leastShade)*float64(rank)/float64(below)
			}
		}
		c.Label = percent(n, s.Total)
		c.Detail = fmt.Sprintf("%s: %v of %v (%s %%)", b.Label(h), n, s.Total, c.Label)
		board.Cells = append(board.Cells, c)
	}
	return board
}

// leastShade is the shade of the least share that is not 0.
const leastShade = 0.1

// percent is a share in percent, rounded; 100 and 0 are exact.
func percent(part, whole uint128.Uint128) string {
	n, total := part.Big(), whole.Big()
	p := new(big.Int).Mul(n, big.NewInt(200))
	p.Add(p, total).Quo(p, new(big.Int).Lsh(total, 1))
	switch {
	case n.Sign() > 0 && p.Sign() == 0:
		return "<1"
	case n.Cmp(total) < 0 && p.Cmp(big.NewInt(100)) == 0:
		return ">99"
	}
	return p.String()
}

// drawing is a board with the pegs of a position.
func drawing(b peg.Grid, p peg.Pegs) *figure.Board {
	board := &figure.Board{}
	for h := range b.Laid().Holes {
		c := hole(b, h)
		c.Detail, c.Glyph = b.Laid().Label(h), '.'
		if p.Has(h) {
			c.Fill, c.Glyph = figure.Accent, 'o'
		}
		board.Cells = append(board.Cells, c)
	}
	return board
}

// hole is an empty hole at its place: in the middle between two of the row above on the triangular lattice.
func hole(g peg.Grid, h int) figure.Cell {
	b := g.Laid()
	column := func(h peg.Hole) float64 {
		if b.Lattice == peg.Triangular {
			return float64(h.Col) - float64(h.Row)/2
		}
		return float64(h.Col)
	}
	left := 0.0
	for _, h := range b.Holes {
		left = min(left, column(h))
	}
	return figure.Cell{Row: float64(b.Holes[h].Row), Column: column(b.Holes[h]) - left, Shape: figure.Circle}
}
