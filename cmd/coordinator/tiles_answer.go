package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"pagoda/internal/cli"
	"pagoda/internal/puzzle"
	"pagoda/internal/rundir"
	"pagoda/internal/tiles"
)

// answerFlags are the flags of tiles answer.
type answerFlags struct{ data, output string }

func (a *app) tilesAnswerCommand() *cobra.Command {
	var f answerFlags
	cmd := &cobra.Command{
		Use:   "answer [CONFIG | --data DIR]",
		Short: "answer the open questions about all grids of a size",
		Long: `Answer the questions about the tile-grid game that its authors left open: which grids have solutions, how many,
what decides it, and with which tiles; and whether agreement in pairs of blocks is enough.

The answers come from a finished survey: from the folder that --data names, or from the one that the config would use.
With neither, the authors' own grids, 4x4 in five colours, are surveyed on the spot, in memory.`,
		Example: `  coordinator tiles answer
  coordinator tiles answer configs/tiles-5x5.yaml
  coordinator tiles answer --data runs/tiles-5x5-0123456789ab --output json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("at most one config file is wanted, and %d arguments are given", len(args))
			}
			return nil
		},
		ValidArgsFunction: completeConfig,
		RunE:              a.action(func(ctx context.Context, args []string) error { return a.answer(ctx, args, f) }),
	}
	cmd.Flags().StringVar(&f.data, "data", "", "data `folder` of a finished survey")
	if err := cmd.MarkFlagDirname("data"); err != nil {
		panic(err) // the flag is defined above
	}
	addOutput(cmd, &f.output)
	return cmd
}

func (a *app) answer(ctx context.Context, args []string, f answerFlags) error {
	if err := checkOutput(f.output); err != nil {
		return err
	}
	if len(args) == 0 && f.data == "" {
		s, err := tiles.New(tiles.Params{Rows: 4, Cols: 4, Colours: tiles.MinColours})
		if err != nil {
			return err
		}
		known, err := surveyed(ctx, s)
		if err != nil {
			return err
		}
		return a.showAnswers(s, known, f.output)
	}
	var want *job
	if len(args) == 1 {
		var err error
		if want, err = a.load(ctx, args[0], &settingFlags{data: f.data}); err != nil {
			return err
		}
		f.data = want.dir
	}
	s, err := a.openResults(ctx, f.data)
	if want != nil && errors.Is(err, rundir.ErrNoRun) {
		return usage(fmt.Sprintf("%s: the survey has not been run yet: no run is stored in %s", args[0], f.data),
			"coordinator run "+args[0])
	}
	if err != nil {
		return err
	}
	defer s.close()
	if want != nil {
		if err := rundir.Compare(s.puzzle.Identity(), want.puzzle.Identity()); err != nil {
			return adviseFolder(err, f.data)
		}
	}
	survey, ok := s.puzzle.(*tiles.Survey)
	if !ok {
		return usage(fmt.Sprintf("run %s is about the puzzle %s", s.run, s.folder.Meta.Puzzle),
			"give a survey of the puzzle tiles, such as configs/tiles-5x5.yaml")
	}
	return a.showAnswers(survey, s.results, f.output)
}

// answered is what tiles answer prints; its JSON form is a contract, described in docs/tiles.md.
type answered struct {
	Run     string         `json:"run"`
	Puzzle  string         `json:"puzzle"`
	Rows    int            `json:"rows"`
	Columns int            `json:"columns"`
	Colours int            `json:"colours"`
	Answers []tiles.Answer `json:"answers"`
}

func (a *app) showAnswers(s *tiles.Survey, known puzzle.Results, output string) error {
	list, err := s.Answers(known)
	if errors.Is(err, tiles.ErrIncomplete) {
		return cli.Hint(err, "run the config again to resume")
	}
	if err != nil {
		return err
	}
	if output == outputJSON {
		b, err := json.MarshalIndent(answered{
			Run: rundir.RunID(s.Identity()), Puzzle: s.Identity().Puzzle,
			Rows: s.Shape().Rows, Columns: s.Shape().Cols, Colours: s.Shape().Colours, Answers: list,
		}, "", "  ")
		if err != nil {
			return err
		}
		return a.print(append(b, '\n'))
	}
	sum, err := s.Summarise(known)
	if err != nil {
		return err
	}
	return a.print(answersText(s, list, &sum))
}

// Measures of the text: the width of a line, and how long a table may be to be shown in full.
const (
	answerWidth = 100
	answerRows  = 32
)

func answersText(s *tiles.Survey, list []tiles.Answer, sum *puzzle.Summary) []byte {
	var out sheet
	out.printf("All initial grids of %v\n", s.Shape())
	shown := map[string]bool{}
	for i, answer := range list {
		out.flush()
		out.printf("\n%d. %s\n", i+1, answer.Question)
		for _, l := range wrapped(answer.Answer, answerWidth) {
			out.printf("   %s\n", l)
		}
		for _, name := range answer.Tables {
			switch t := table(sum, name); {
			case t == nil:
			case shown[name]:
				out.printf("   table %s, see above\n", name)
			case len(t.Rows) <= answerRows:
				out.table(t)
			default:
				out.printf("   table %s, %d rows: coordinator export --table %s\n", name, len(t.Rows), name)
			}
			out.flush()
			shown[name] = true
		}
	}
	return out.text()
}

// wrapped breaks a text into lines of at most width characters where its words allow.
func wrapped(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// surveyResults are the results of a survey that was carried out in memory.
type surveyResults struct {
	plan  []puzzle.CellPlan
	tally puzzle.Tally
}

// surveyed carries out a small survey in memory, without storing its rows.
func surveyed(ctx context.Context, s *tiles.Survey) (*surveyResults, error) {
	plan, err := s.Layer(0, nothing{})
	if err != nil {
		return nil, err
	}
	r := &surveyResults{plan: plan}
	forget := sampleSink(func(*puzzle.Block) error { return nil })
	for i := range plan {
		for k := range plan[i].Windows() {
			t, err := s.Compute(ctx, plan[i].Window(k), nil, forget)
			if err != nil {
				return nil, err
			}
			if err := r.tally.Merge(&t); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// Layers implements puzzle.Results, as the methods below do.
func (r *surveyResults) Layers() int { return 1 }

// Complete says that the survey is finished.
func (r *surveyResults) Complete() bool { return true }

// Cells returns the plan of the only layer.
func (r *surveyResults) Cells(layer int) []puzzle.CellPlan {
	if layer != 0 {
		return nil
	}
	return r.plan
}

// Cell returns the tally of the only cell.
func (r *surveyResults) Cell(c puzzle.Cell) (puzzle.Tally, bool) {
	return r.tally, len(r.plan) == 1 && c == r.plan[0].Cell
}

// Layer returns the tally of the only layer.
func (r *surveyResults) Layer(layer int) (puzzle.Tally, bool) { return r.tally, layer == 0 }
