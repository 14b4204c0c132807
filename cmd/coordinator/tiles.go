package main

import (
	"errors"

	"github.com/spf13/cobra"
)

// tilesCommand holds the questions about the tile-grid game that are not runs.
func (a *app) tilesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tiles",
		Short: "answer questions about the tile-grid game",
		Long: `Answer questions about the tile-grid game (tuiles voisines): everything about one grid, or the open questions
about all grids of a size. The game and the surveys are described in docs/tiles.md.`,
		Example: `  coordinator tiles solve RVRV/BWBW/RVRV/BWBW
  coordinator tiles answer --data runs/tiles-5x5-0123456789ab`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return errors.New("no command is given after tiles: solve or answer")
		},
	}
	cmd.AddCommand(a.tilesSolveCommand(), a.tilesAnswerCommand())
	return cmd
}
