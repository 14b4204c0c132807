package main

import (
	"bufio"
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pagoda/internal/counting/ways"
	"pagoda/internal/export"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/uint128"
)

// formatText is a value of --format besides those of export.
const formatText = "text"

// showFlags are the flags of show.
type showFlags struct{ data, format, out string }

func (a *app) showCommand() *cobra.Command {
	var f showFlags
	cmd := &cobra.Command{
		Use:   "show --data DIR",
		Short: "show where the pegs of solutions are: a board for each number of jumps",
		Long: `Show, for each number of jumps and each hole, the share of all solutions that have a peg there then.

  --format text     boards of percentages, rounded
  --format svg      a picture of the boards; every hole carries its exact share as a tooltip
  --format csv      and jsonl, markdown, parquet: the exact shares, as numbers of solutions and as fractions

The run must have been made with count: solutions and through: true, and its rows kept (keep: all).`,
		Example: `  coordinator show --data runs/english-0123456789ab
  coordinator show --data runs/english-0123456789ab --format svg --out english.svg
  coordinator show --data runs/english-0123456789ab --format csv --out shares.csv`,
		Args: cobra.NoArgs,
		RunE: a.action(func(ctx context.Context, _ []string) error { return a.showShares(ctx, f) }),
	}
	addData(cmd, &f.data)
	cmd.Flags().StringVar(&f.format, "format", formatText, "`format`: text, svg, csv, jsonl, markdown or parquet")
	cmd.Flags().StringVar(&f.out, "out", "-", "output `file`, which must not exist; - is stdout")
	if err := cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(showFormats(),
		cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the flag is defined above
	}
	return cmd
}

func showFormats() []string {
	list := []string{formatText}
	for _, f := range []export.Format{export.SVG, export.CSV, export.JSONL, export.Markdown, export.Parquet} {
		list = append(list, string(f))
	}
	return list
}

func (a *app) showShares(ctx context.Context, f showFlags) error {
	if !slices.Contains(showFormats(), f.format) {
		return usage(fmt.Sprintf("--format: %q is not one of %s", f.format, strings.Join(showFormats(), ", ")),
			"write --format svg")
	}
	if f.out != "-" {
		if err := advisePath(export.Free(f.out)); err != nil {
			return err
		}
	}
	t, err := a.openThrough(ctx, f.data)
	if err != nil {
		return err
	}
	defer t.close()
	shares, err := t.solutions.Occupancies(ctx, t.rows, t.results.Cells)
	if err != nil {
		return t.advise(err)
	}
	if f.format != formatText && f.format != string(export.SVG) {
		table := t.shareTable(shares)
		return a.output(f.out, export.Format(f.format), export.FromTable(&table), export.Options{})
	}
	return a.picture(f.out, func(w *bufio.Writer) error {
		if f.format == formatText {
			_, err := w.Write(t.shareText(shares))
			return err
		}
		return export.WriteBoards(w, t.config.Text("name")+": share of the solutions with a peg there", t.shareBoards(shares))
	})
}

// picture writes what is no table, to a new file or to stdout.
func (a *app) picture(path string, write func(*bufio.Writer) error) error {
	if path == "-" {
		w := bufio.NewWriter(a.stdout)
		if err := write(w); err != nil {
			return err
		}
		return w.Flush()
	}
	file, err := export.Create(path)
	if err != nil {
		return advisePath(err)
	}
	defer file.Abort()
	w := bufio.NewWriter(file)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return advisePath(file.Commit())
}

// shareTable lists the exact shares.
func (t *throughRun) shareTable(shares []ways.Occupancy) puzzle.Table {
	table := puzzle.Table{Name: "shares", Columns: []puzzle.Column{
		{Name: "jumps", Kind: puzzle.Number, Doc: "jumps made"},
		{Name: "hole", Kind: puzzle.Text, Doc: "hole, by row and column from 0"},
		{Name: "label", Kind: puzzle.Text, Doc: "hole, as in lists of jumps"},
		{Name: "solutions", Kind: puzzle.Count, Doc: "solutions that have a peg there then"},
		{Name: "all_solutions", Kind: puzzle.Count, Doc: "solutions of the problem"},
		{Name: "share", Kind: puzzle.Text, Doc: "their quotient in lowest terms"},
	}}
	b := t.board()
	for _, s := range shares {
		for h, n := range s.Holes {
			table.Rows = append(table.Rows, []puzzle.Value{
				{N: uint128.From(uint64(s.Jumps))}, {S: b.HoleName(h)}, {S: b.Label(h)}, {N: n}, {N: s.Total},
				{S: new(big.Rat).SetFrac(n.Big(), s.Total.Big()).RatString()}})
		}
	}
	return table
}

// percent is a share in percent, rounded; 100 and 0 are exact.
func percent(s *ways.Occupancy, hole int) string {
	n, total := s.Holes[hole].Big(), s.Total.Big()
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

// shareText draws boards of percentages.
func (t *throughRun) shareText(shares []ways.Occupancy) []byte {
	const width = 4
	b := t.board()
	var s sheet
	s.printf("of %v solutions, in percent, those with a peg in each hole\n", shares[0].Total)
	for i := range shares {
		s.printf("\nafter %d jumps\n", shares[i].Jumps)
		row, at := 0, 0
		for h := range b.Size() {
			if r := b.Holes[h].Row; r > row {
				s.printf("%s", strings.Repeat("\n", r-row))
				row, at = r, 0
			}
			x, _ := place(b, h)
			column := int(x * width)
			s.printf("%s%*s", strings.Repeat(" ", column-at), width, percent(&shares[i], h))
			at = column + width
		}
		s.printf("\n")
	}
	return s.text()
}

// shareBoards draws boards as pictures.
func (t *throughRun) shareBoards(shares []ways.Occupancy) []export.Board {
	b := t.board()
	start := t.solutions.Problem().Start.Pegs()
	var list []export.Board
	for i := range shares {
		s := &shares[i]
		board := export.Board{Title: fmt.Sprintf("%d jumps, %d pegs", s.Jumps, start-s.Jumps)}
		for h, n := range s.Holes {
			x, y := place(b, h)
			share, _ := new(big.Rat).SetFrac(n.Big(), s.Total.Big()).Float64()
			board.Holes = append(board.Holes, export.Hole{X: x, Y: y, Share: share,
				Exact: fmt.Sprintf("%s: %v of %v (%s %%)", b.Label(h), n, s.Total, percent(s, h))})
		}
		list = append(list, board)
	}
	return list
}

// place is where a hole lies in a picture, in distances between neighbours.
func place(b *peg.Board, hole int) (x, y float64) {
	at := func(h peg.Hole) float64 {
		if b.Lattice == peg.Triangular {
			return float64(h.Col) - float64(h.Row)/2
		}
		return float64(h.Col)
	}
	left := 0.0
	for _, h := range b.Holes {
		left = min(left, at(h))
	}
	const rowHeight = 0.866 // of equilateral triangles
	h := b.Holes[hole]
	if y = float64(h.Row); b.Lattice == peg.Triangular {
		y *= rowHeight
	}
	return at(h) - left, y
}
