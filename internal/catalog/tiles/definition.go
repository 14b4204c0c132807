package tiles

import (
	"errors"
	"fmt"
	"strconv"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/setting"
)

// Keys of the tile-grid surveys.
const (
	settingRows    = "rows"
	settingColumns = "columns"
	settingColours = "colours"
)

// Definition is the tile-grid game.
var Definition = puzzle.Definition{
	Name:  "tiles",
	Short: "answer questions about the tile-grid game",
	Long: `Answer questions about the tile-grid game (tuiles voisines): everything about one grid, or the open questions
about all grids of a size. The game and the surveys are described in docs/tiles.md.`,
	Settings: []setting.Setting{
		// Neither side has a default: a config without one is refused by the name of the missing setting.
		{Name: settingRows, Kind: setting.Integer, Min: MinSide, Max: MaxSide,
			Doc: fmt.Sprintf("rows of the grids, %d to %d; must be given", MinSide, MaxSide)},
		{Name: settingColumns, Kind: setting.Integer, Min: MinSide, Max: MaxSide,
			Doc: fmt.Sprintf("columns of the grids, %d to %d; must be given", MinSide, MaxSide)},
		{Name: settingColours, Kind: setting.Integer, Default: strconv.Itoa(MinColours),
			Min: MinColours, Max: MaxColours,
			Doc: "colours that cells and tiles can have: 5 as in the source, or 6"},
	},
	New:       build,
	Problem:   problem,
	Subject:   subject,
	Questions: []puzzle.Question{solve, playQuestion, checkQuestion, startQuestion, countQuestion, tablesQuestion, report},
	Game:      &puzzle.Game{Start: startQuestion.Name, Play: playQuestion.Name, Check: checkQuestion.Name},
}

func subject(c setting.Values) (puzzle.Subject, error) {
	s := Shape{Rows: int(c.Uint(settingRows)), Cols: int(c.Uint(settingColumns)), Colours: int(c.Uint(settingColours))}
	return puzzle.Subject{
		Puzzle: "Tile-grid game", Board: "grids of " + s.String(), Question: "all grids by their final grids",
		Definition: "The cells of a grid are coloured so that every 2x2 block shows four colours; tiles are laid one at a " +
			"time, one on every cell, and a tile differs from the colours that the cell and its up to eight neighbours " +
			"show then. Counted are the initial grids, by how many final grids some order of play reaches from them.",
	}, nil
}

func problem(c setting.Values) (p puzzle.Problem, err error) {
	s := Shape{Rows: int(c.Uint(settingRows)), Cols: int(c.Uint(settingColumns)), Colours: int(c.Uint(settingColours))}
	p.Add("grids", s.String())
	var sum puzzle.Summary
	sum.AddNumber("rows", uint64(s.Rows), "rows of the grids")
	sum.AddNumber("columns", uint64(s.Cols), "columns of the grids")
	sum.AddNumber("colours", uint64(s.Colours), "colours that cells and tiles can have")
	p.Facts = sum.Facts
	return p, nil
}

func build(c setting.Values) (puzzle.Puzzle, error) {
	p, err := New(Params{
		Rows: int(c.Uint(settingRows)), Cols: int(c.Uint(settingColumns)), Colours: int(c.Uint(settingColours)),
		WindowAddresses: c.Uint("window_addresses"),
	})
	switch {
	case errors.Is(err, ErrWindowAddresses):
		return nil, &setting.Error{Setting: "window_addresses", Err: err, Hint: "0 leaves the size of windows to the survey"}
	case errors.Is(err, ErrShape):
		return nil, &setting.Error{Setting: settingRows, Err: err, Hint: "choose fewer rows, columns or colours"}
	case err != nil:
		return nil, err
	}
	return p, nil
}
