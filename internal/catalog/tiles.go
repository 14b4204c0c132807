package catalog

import (
	"errors"
	"fmt"
	"strconv"

	"pagoda/internal/config"
	"pagoda/internal/puzzle"
	"pagoda/internal/setting"
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
	Keys: []setting.Setting{
		// Neither side has a default: a config without one is refused by the name of what it lacks.
		{Name: tilesRows, Kind: setting.Integer, Min: tilegrid.MinSide, Max: tilegrid.MaxSide,
			Doc: fmt.Sprintf("rows of the grids, %d to %d; must be given", tilegrid.MinSide, tilegrid.MaxSide)},
		{Name: tilesColumns, Kind: setting.Integer, Min: tilegrid.MinSide, Max: tilegrid.MaxSide,
			Doc: fmt.Sprintf("columns of the grids, %d to %d; must be given", tilegrid.MinSide, tilegrid.MaxSide)},
		{Name: tilesColours, Kind: setting.Integer, Default: strconv.Itoa(tilegrid.MinColours),
			Min: tilegrid.MinColours, Max: tilegrid.MaxColours,
			Doc: "colours that cells and tiles can have: 5 as in the source, or 6"},
	},
	Build: buildTiles,
}

func buildTiles(c *config.Config) (puzzle.Puzzle, error) {
	p, err := tilegrid.New(tilegrid.Params{
		Rows: int(c.Uint(tilesRows)), Cols: int(c.Uint(tilesColumns)), Colours: int(c.Uint(tilesColours)),
		WindowAddresses: c.Uint("window_addresses"),
	})
	switch {
	case errors.Is(err, tilegrid.ErrWindowAddresses):
		return nil, &setting.Error{Setting: "window_addresses", Err: err, Hint: "0 leaves the size of windows to the survey"}
	case errors.Is(err, tilegrid.ErrShape):
		return nil, &setting.Error{Setting: tilesRows, Err: err, Hint: "choose fewer rows, columns or colours"}
	case err != nil:
		return nil, err
	}
	return p, nil
}
