package tiles

import (
	"context"
	"errors"
	"fmt"

	"pagoda/internal/puzzle"
)

var report = puzzle.Question{
	Name:  "report",
	Short: "answer the open questions about all grids of a size",
	Long: `Answer the questions about the tile-grid game that its authors left open: which grids have solutions, how many,
what decides it, and with which tiles; and whether agreement in pairs of blocks is enough.

The answers come from a finished survey. Where none is named, the authors' own grids, 4x4 in five colours, are surveyed
on the spot, in memory.`,
	Examples: []string{
		"",
		"--config configs/tiles-5x5.yaml",
		"--data runs/tiles-5x5-0123456789ab --output json",
	},
	Needs:   puzzle.NeedsResults,
	Outputs: []puzzle.Output{puzzle.Tables},
	Instead: map[string]string{settingRows: "4", settingColumns: "4", settingColours: "5"},
	Answer:  answerReport,
}

// reported is the document of report, described in docs/tiles.md.
type reported struct {
	Run     string   `json:"run"`
	Puzzle  string   `json:"puzzle"`
	Rows    int      `json:"rows"`
	Columns int      `json:"columns"`
	Colours int      `json:"colours"`
	Answers []Answer `json:"answers"`
}

func answerReport(_ context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	s, ok := r.Run.Puzzle.(*Survey)
	if !ok {
		return nil, errors.New("a run of tiles that is no survey")
	}
	list, err := s.Answers(r.Run.Results)
	if err != nil {
		return nil, err
	}
	sum, err := s.Summarise(r.Run.Results)
	if err != nil {
		return nil, err
	}
	shape := s.Shape()
	answer := &puzzle.Answer{
		Summary: puzzle.Summary{Tables: sum.Tables},
		Document: reported{Run: r.Run.ID, Puzzle: s.Identity().Puzzle,
			Rows: shape.Rows, Columns: shape.Cols, Colours: shape.Colours, Answers: list},
		Title: fmt.Sprintf("All initial grids of %v", shape),
	}
	for _, a := range list {
		answer.Sections = append(answer.Sections, puzzle.Section{Heading: a.Question, Text: a.Answer, Tables: a.Tables})
	}
	return answer, nil
}
