package example

import (
	"context"
	"fmt"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/puzzle/uint128"
)

// Definition is the knight's walks. One line in internal/catalog would make it a part of the programs.
var Definition = puzzle.Definition{
	Name:  "knight",
	Short: "ask about the walks of a knight",
	Long:  "Ask about the walks of a knight from the corner of a square board.",
	Settings: []setting.Setting{
		{Name: "side", Kind: setting.Integer, Default: "8", Min: 1, Max: 64, Doc: "squares on a side of the board"},
		{Name: "moves", Kind: setting.Integer, Default: "10", Max: 40, Doc: "moves of the longest walks"},
	},
	New: func(v setting.Values) (puzzle.Puzzle, error) {
		k := &Walks{side: int(v.Uint("side")), moves: int(v.Uint("moves")), window: v.Uint("window_addresses")}
		if k.window == 0 || k.window > puzzle.BlockAddresses {
			k.window = puzzle.BlockAddresses
		}
		return k, nil
	},
	Questions: []puzzle.Question{board},
}

// board shows on how many walks each square is the end.
var board = puzzle.Question{
	Name:     "board",
	Short:    "show how many walks end on each square",
	Long:     "Show how many walks of a number of moves end on each square.",
	Examples: []string{"--data runs/knight-0123456789ab --after 5", "--output svg --out walks.svg"},
	Flags: []setting.Setting{
		{Name: "after", Kind: setting.Integer, Default: "2", Max: 40, Doc: "number of moves"},
	},
	Needs:   puzzle.NeedsRows,
	Outputs: []puzzle.Output{puzzle.Pictures, puzzle.Tables},
	Instead: map[string]string{"side": "5", "moves": "4"},
	Answer: func(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
		k, after := r.Run.Puzzle.(*Walks), int(r.Flags.Uint("after"))
		if after > k.moves {
			return nil, &setting.Error{Setting: "after", Err: fmt.Errorf("the run has no walks of %d moves", after),
				Hint: fmt.Sprintf("they have at most %d", k.moves)}
		}
		rows, err := read(ctx, r.Run.Rows, cell(after))
		if err != nil {
			return nil, err
		}
		var s puzzle.Summary
		s.AddNumber("after", uint64(after), "moves")
		table := puzzle.Table{Name: "squares", Columns: k.RowColumns()}
		picture := &figure.Board{}
		var total uint128.Uint128
		for a := range uint64(k.side * k.side) {
			n := rows[a]
			total, _ = total.Add(n) // no more than the layer's sum, which fits
			table.Rows = append(table.Rows, []puzzle.Value{{S: k.square(a)}, {N: n}})
			picture.Cells = append(picture.Cells, figure.Cell{
				Row: float64(int(a) / k.side), Column: float64(int(a) % k.side), Label: n.String(), Detail: k.square(a),
			})
		}
		s.AddCount("walks", total, "walks of so many moves")
		s.Tables = []puzzle.Table{table}
		return &puzzle.Answer{Summary: s, Drawn: true,
			Figures: []figure.Figure{{Name: "squares", Title: "walks by their last square", Board: picture}}}, nil
	},
}
