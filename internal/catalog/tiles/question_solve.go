package tiles

import (
	"context"
	"fmt"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/setting"
)

// maxIdeals bounds the memory of counting the orders of play of one final grid to about 100 MiB.
const maxIdeals = 1 << 20

// maxListed bounds the final grids that are listed and drawn.
const maxListed = 1 << 30

// maxSets bounds the time of counting the orders of play of all final grids to some seconds.
const maxSets = 1 << 23

const (
	argGrid  = "GRID"
	argTiles = "tiles"
)

var solve = puzzle.Question{
	Name:  "solve",
	Short: "find all final grids of an initial grid, and one game",
	Long: `Find all final grids of an initial grid: how many there are, the tiles they need, the orders of play that lead
to each, and one game step by step. A grid is written in letters or digits, one for each cell, rows separated by /.

There are as many tiles of each colour as one likes, or those of --tiles, as in a puzzle that is sold: then only final
grids that these tiles suffice for are found. The number of final grids is exact whatever --limit says. Counts of
orders are absent where they would take too much memory or time, and the total of the orders where not every final grid
is listed.

The drawings are of the final grid that --final chooses, as is the game. One shows of every cell the initial colour
(background, small letter), the tile (large letter) and when it is laid (number). The other one, order, shows which
cells must be covered before which: a line leads down from a cell to one that waits for it. Lines that follow from
others are left out.`,
	Examples: []string{
		"RVRV/BWBW/RVRV/BWBW",
		"RVRV/BWBW/RVRV/BWBW --tiles R4,V4,B4,W2,J2",
		"0101/2323/0101 --colours 6 --limit 10",
		"BRBR/JWVW/VBRJ/JWVB --output json",
		"BRBR/JWVW/VBRJ/JWVB --output svg --final 2 --out second.svg",
	},
	Args: []puzzle.Argument{{Name: argGrid, Doc: "initial grid, such as RVRV/BWBW"}},
	Flags: []setting.Setting{
		coloursFlag,
		{Name: "limit", Kind: setting.Integer, Default: "1000", Max: maxListed,
			Doc: "number of final grids listed; 0: all"},
		{Name: "final", Kind: setting.Integer, Default: "1", Min: 1, Max: maxListed,
			Doc: "number of the final grid to play and to draw, counted from 1"},
		{Name: argTiles, Kind: setting.Text,
			Doc: "the tiles that there are, such as B4,R4,J3; empty: as many as one likes"},
	},
	Outputs: []puzzle.Output{puzzle.Pictures, puzzle.Graphs},
	Answer:  answerSolve,
}

func answerSolve(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	g, err := Parse(r.Args[0], int(r.Flags.Uint(settingColours)))
	if err != nil {
		return nil, &setting.Error{Setting: argGrid, Err: err, Hint: "rows and columns are counted from 0 and rows are " +
			"separated by /; every 2x2 block shows four different colours, as in RVRV/BWBW/RVRV/BWBW"}
	}
	limit, final := int(r.Flags.Uint("limit")), int(r.Flags.Uint("final"))
	limits := SolveLimits{Finals: limit, Ideals: maxIdeals, Sets: maxSets, Game: final - 1}
	if text := r.Flags.Text(argTiles); text != "" {
		if limits.Pack, err = parsePack(text, g.letters); err != nil {
			return nil, &setting.Error{Setting: argTiles, Err: err,
				Hint: "write each colour and how many tiles of it there are: B4,R4,J3"}
		}
	}
	if limit > 0 && final > limit {
		limits.Finals = final
	}
	sol, err := Solve(ctx, g, limits)
	if err != nil {
		return nil, err
	}
	// A grid without any final grid is drawn as it is.
	if final > 1 && final > len(sol.List) {
		return nil, &setting.Error{Setting: "final", Err: fmt.Errorf("there is no final grid %d", final),
			Hint: "grid " + sol.Grid + " has " + sol.Finals}
	}
	figures := []figure.Figure{sol.Picture(final - 1)}
	if final <= len(sol.List) {
		figures = append(figures, sol.orderPicture(final-1))
	}
	if limit > 0 && len(sol.List) > limit {
		sol.List, sol.Orders = sol.List[:limit], "" // the last of them were found to be drawn
	}
	return &puzzle.Answer{Text: sol.Text(), Document: sol, Figures: figures}, nil
}
