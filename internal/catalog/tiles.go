package catalog

import (
	"errors"
	"fmt"
	"strconv"

	"pagoda/internal/config"
	"pagoda/internal/puzzle"
	tilegrid "pagoda/internal/tiles"
)

// Keys of the tile-grid surveys.
const (
	tilesRows    = "rows"
	tilesColumns = "columns"
	tilesColours = "colours"
)

var tiles = Entry{
	Name: "tiles",
	Keys: []config.Key{
		// Neither side has a default: 0 stands for a side that is not given, so that it can be asked for by name.
		{Name: tilesRows, Kind: config.Integer, Default: "0", Max: tilegrid.MaxSide,
			Doc: fmt.Sprintf("rows of the grids, %d to %d; must be given", tilegrid.MinSide, tilegrid.MaxSide)},
		{Name: tilesColumns, Kind: config.Integer, Default: "0", Max: tilegrid.MaxSide,
			Doc: fmt.Sprintf("columns of the grids, %d to %d; must be given", tilegrid.MinSide, tilegrid.MaxSide)},
		{Name: tilesColours, Kind: config.Integer, Default: strconv.Itoa(tilegrid.MinColours),
			Min: tilegrid.MinColours, Max: tilegrid.MaxColours,
			Doc: "colours that cells and tiles can have: 5 as in the source, or 6"},
	},
	Build: buildTiles,
}

func buildTiles(c *config.Config) (puzzle.Puzzle, error) {
	for _, side := range []string{tilesRows, tilesColumns} {
		switch n := c.Uint(side); {
		case n == 0:
			return nil, &config.KeyError{Key: side, Err: fmt.Errorf("the number of %s is not given", side),
				Hint: fmt.Sprintf("write %s: 4, or any number from %d to %d", side, tilegrid.MinSide, tilegrid.MaxSide)}
		case n < tilegrid.MinSide:
			return nil, &config.KeyError{Key: side, Err: fmt.Errorf("a grid of %d %s has no 2x2 block", n, side),
				Hint: fmt.Sprintf("choose a number from %d to %d", tilegrid.MinSide, tilegrid.MaxSide)}
		}
	}
	p, err := tilegrid.New(tilegrid.Params{
		Rows: int(c.Uint(tilesRows)), Cols: int(c.Uint(tilesColumns)), Colours: int(c.Uint(tilesColours)),
		WindowSlots: c.Uint("window_slots"),
	})
	switch {
	case errors.Is(err, tilegrid.ErrWindowSlots):
		return nil, &config.KeyError{Key: "window_slots", Err: err, Hint: "0 leaves the size of windows to the survey"}
	case errors.Is(err, tilegrid.ErrShape):
		return nil, &config.KeyError{Key: tilesRows, Err: err, Hint: "choose fewer rows, columns or colours"}
	case err != nil:
		return nil, err
	}
	return p, nil
}
