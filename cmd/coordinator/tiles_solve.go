package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"pagoda/internal/export"
	"pagoda/internal/tiles"
)

// outputSVG is a further value of --output.
const outputSVG = "svg"

// maxIdeals bounds the memory of counting the orders of play of one final grid to about 100 MiB.
const maxIdeals = 1 << 20

// solveFlags are the flags of tiles solve.
type solveFlags struct {
	colours, limit, final int
	output, out           string
}

func (a *app) tilesSolveCommand() *cobra.Command {
	var f solveFlags
	cmd := &cobra.Command{
		Use:   "solve GRID",
		Short: "find all final grids of an initial grid, and one game",
		Long: `Find all final grids of an initial grid: how many there are, the tiles they need, the orders of play that lead
to each, and one game step by step. A grid is written in letters or digits, one for each cell, rows separated by /.

The number of final grids is exact whatever --limit says. Counts of orders are absent where they would take too much
memory, and the total of the orders where not every final grid is listed.

The drawing shows of every cell the initial colour (background, small letter), the tile (large letter) and when it is
laid (number).`,
		Example: `  coordinator tiles solve RVRV/BWBW/RVRV/BWBW
  coordinator tiles solve 0101/2323/0101 --colours 6 --limit 10
  coordinator tiles solve BRBR/JWVW/VBRJ/JWVB --output json
  coordinator tiles solve BRBR/JWVW/VBRJ/JWVB --output svg --final 2 --out second.svg`,
		Args: func(_ *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return errors.New("no grid is given")
			case 1:
				return nil
			}
			return fmt.Errorf("one grid is wanted, and %d arguments are given", len(args))
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: a.action(func(ctx context.Context, args []string) error {
			return a.solve(ctx, args[0], f)
		}),
	}
	flags := cmd.Flags()
	flags.IntVar(&f.colours, "colours", tiles.MinColours, "`number` of colours that there are: 5 or 6")
	flags.IntVar(&f.limit, "limit", 1000, "`number` of final grids listed; 0: all")
	flags.IntVar(&f.final, "final", 1, "`number` of the final grid to draw, counted from 1")
	flags.StringVar(&f.output, "output", outputText, "`format` of the result: text, json or svg")
	flags.StringVar(&f.out, "out", "-", "output `file`, which must not exist; - is stdout")
	for flag, values := range map[string][]cobra.Completion{
		"colours": {"5", "6"}, "limit": nil, "final": nil, "output": {outputText, outputJSON, outputSVG},
	} {
		if err := cmd.RegisterFlagCompletionFunc(flag,
			cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
			panic(err) // the flag is defined above
		}
	}
	return cmd
}

// check says what is wrong with the flags alone.
func (f *solveFlags) check() error {
	switch {
	case f.output != outputText && f.output != outputJSON && f.output != outputSVG:
		return usage(fmt.Sprintf("--output: %q is not text, json or svg", f.output), "write --output json")
	case f.limit < 0:
		return usage(fmt.Sprintf("--limit: %d is negative", f.limit), "0 lists all final grids")
	case f.final < 1:
		return usage(fmt.Sprintf("--final: %d is no number of a final grid", f.final), "they are counted from 1")
	case f.colours < tiles.MinColours || f.colours > tiles.MaxColours:
		return usage(fmt.Sprintf("--colours: %d is not between %d and %d", f.colours, tiles.MinColours, tiles.MaxColours),
			"write --colours 6, or nothing for 5")
	}
	if f.out != "-" {
		return advisePath(export.Free(f.out))
	}
	return nil
}

func (a *app) solve(ctx context.Context, text string, f solveFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	g, err := tiles.Parse(text, f.colours)
	if err != nil {
		return usage(err.Error(), "rows and columns are counted from 0 and rows are separated by /; every 2x2 block shows "+
			"four different colours, as in RVRV/BWBW/RVRV/BWBW")
	}
	limits := tiles.SolveLimits{Finals: f.limit, Ideals: maxIdeals}
	if f.output == outputSVG {
		limits.Finals = f.final
	}
	sol, err := tiles.Solve(ctx, g, limits)
	if err != nil {
		return err
	}
	text, err = f.render(sol)
	if err != nil {
		return err
	}
	return a.write(f.out, []byte(text))
}

func (f *solveFlags) render(sol *tiles.Solution) (string, error) {
	switch f.output {
	case outputJSON:
		b, err := json.Marshal(sol)
		return string(b) + "\n", err
	case outputSVG:
		// Without any final grid the drawing shows the initial one.
		if f.final > 1 && f.final > len(sol.List) {
			return "", usage("--final: there is no final grid "+strconv.Itoa(f.final), "grid "+sol.Grid+" has "+sol.Finals)
		}
		return sol.SVG(f.final - 1), nil
	}
	return sol.Text(), nil
}

// write writes a result to stdout, or to a new file that appears complete or not at all.
func (a *app) write(path string, data []byte) error {
	if path == "-" {
		return a.print(data)
	}
	file, err := export.Create(path)
	if err != nil {
		return advisePath(err)
	}
	defer file.Abort()
	if _, err := file.Write(data); err != nil {
		return advisePath(err)
	}
	return advisePath(file.Commit())
}
