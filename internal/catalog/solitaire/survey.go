package solitaire

import (
	"context"
	"errors"
	"fmt"

	"pagoda/internal/catalog/solitaire/survey"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/setting"
)

// checkSurvey refuses settings that do not go with a survey. A data folder names the defaults of its run like any other
// setting, so these are no errors.
func checkSurvey(c setting.Values) error {
	kind := c.Text("pairs")
	if kind == pairsOne {
		return &setting.Error{Setting: "pairs", Err: errors.New("a survey is of many problems, not of one"),
			Hint: "write pairs: all, pairs: one_peg or pairs: positions; coordinator peg feasible decides one problem"}
	}
	if kind == pairsAll && c.Uint("most_pegs") != 0 {
		return &setting.Error{Setting: "most_pegs", Err: errors.New("the starts of pairs: all have one vacancy"),
			Hint: "remove it, or write pairs: one_peg"}
	}
	for _, s := range []struct{ name, none string }{
		{"start", defaultStart}, {"goal", ""}, {"only", ""}, {"store_ways", "false"}, {"reserve", "false"},
	} {
		if c.Text(s.name) != s.none {
			return &setting.Error{Setting: s.name, Err: errors.New("a survey has no use for it"),
				Hint: "remove it: pairs says which problems are surveyed"}
		}
	}
	return nil
}

func buildSurvey(c setting.Values, b *peg.Board) (puzzle.Puzzle, error) {
	return cut(survey.New(survey.Params{Board: b, Kind: survey.Kind(c.Text("pairs")),
		MostPegs: int(c.Uint("most_pegs")), WindowAddresses: c.Uint("window_addresses")}))
}

var surveyQuestion = puzzle.Question{
	Name:  "survey",
	Short: "show which criteria decide how many problems of a survey",
	Long: `Show of how many problems without a game each criterion of coordinator peg feasible is the first to forbid them,
and how many no criterion forbids: as tables, for all starts and by their number of pegs, and as pictures.

The run must have been made with count: survey. One that is not complete is shown as far as it is.`,
	Examples: []string{
		"--config configs/square5-survey.yaml",
		"--config configs/square5-survey.yaml --output svg --out survey.svg",
		"--config configs/square5-survey.yaml --table starts --output markdown",
	},
	Needs:   puzzle.NeedsResults,
	Outputs: []puzzle.Output{puzzle.Pictures, puzzle.Tables},
	Answer:  answerSurvey,
}

func answerSurvey(_ context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	s, ok := r.Run.Puzzle.(*survey.Survey)
	if !ok {
		return nil, &puzzle.NotAskedError{
			Reason: "it is no survey of the criteria",
			Hint:   "run its config with --set count=survey --set pairs=all, in a new folder",
		}
	}
	sum, list, total, err := s.Report(r.Run.Results)
	if err != nil {
		return nil, err
	}
	if total.Problems.IsZero() {
		return nil, fmt.Errorf("%w: no window is computed yet", puzzle.ErrIncomplete)
	}
	return &puzzle.Answer{Summary: sum, Figures: s.Figures(list, total)}, nil
}
