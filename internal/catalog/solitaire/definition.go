// Package solitaire makes peg solitaire known to the programs: the settings of its runs, the puzzles that they describe
// (counting games or solutions, or reaching positions), and its questions. Boards are in package peg, the counting in
// packages counting and reach.
package solitaire

import (
	"errors"
	"fmt"
	"strings"

	"pagoda/internal/catalog/solitaire/survey"
	"pagoda/internal/counting"
	"pagoda/internal/counting/chance"
	"pagoda/internal/counting/games"
	"pagoda/internal/counting/reach"
	"pagoda/internal/counting/reserve"
	"pagoda/internal/counting/sequences"
	"pagoda/internal/counting/solutions"
	"pagoda/internal/counting/sweeps"
	"pagoda/internal/counting/ways"
	"pagoda/internal/partition"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/setting"
)

// Values of the key "count".
const (
	countGames     = "games"
	countSolutions = "solutions"
	countPositions = "positions"
	countSequences = "sequences"
	countByPegs    = "sequences_by_pegs"
	countSweeps    = "sweeps"
	countChances   = "chances"
	countSurvey    = "survey"
)

// defaultStart is the full board without the peg in the middle.
const defaultStart = "center"

// Values of the key "pairs".
const (
	pairsOne = "one"
	pairsAll = "all"
)

// onlyWinnable is the value of the key "only".
const onlyWinnable = "winnable"

// Definition is peg solitaire.
var Definition = puzzle.Definition{
	Name:  "peg",
	Short: "ask about problems of peg solitaire, and a finished run about its solutions",
	Long: `Ask about problems of peg solitaire: whether they can be solved, with a proof, and one solution. Or ask a
finished run about positions and solutions: it must have been made with count: solutions and store_ways: true, and its
rows kept (retention: all). docs/cli.md says how positions and jumps are written.`,
	Settings: []setting.Setting{
		{Name: "board", Doc: "board by name: " + strings.Join(peg.Names(), ", ") + "; or give a drawing"},
		{Name: "lattice", Doc: "lattice of the drawing: square, or triangular; empty: square, or that of the board",
			Validate: func(s string) error {
				if s == "" {
					return nil
				}
				_, err := peg.ParseLattice(s)
				return err
			}},
		{Name: "drawing", Doc: "board as a drawing of several lines: o is a hole, space or - is none"},
		{Name: "rule", Doc: ruleDoc},
		{Name: "start", Default: defaultStart,
			Doc: "where the game starts: center, r0c2 or hole 1 to n (the full board without that peg), a drawing (o peg, " +
				". empty), or hex"},
		{Name: "goal",
			Doc: "where a solution ends: center, r0c2 or hole 1 to n (that peg alone), a drawing, or hex; or several goals: " +
				goalWords + "; empty: solutions are not counted"},
		{Name: "count", Kind: setting.Choice, Default: countGames,
			Choices: []string{countGames, countSolutions, countPositions, countSequences, countByPegs, countSweeps,
				countChances, countSurvey},
			Doc: "the question: all games (with a goal the solutions among them), solutions only, positions only, " +
				"all jump sequences from anywhere to anywhere (also by pegs at the end), solutions by their " +
				"number of sweeps, the chances of random jumps, or a survey of the criteria"},
		{Name: "pairs", Kind: setting.Choice, Default: pairsOne,
			Choices: []string{pairsOne, pairsAll, string(survey.OnePeg), string(survey.Positions)},
			Doc: "one: start and goal; all: vacancy and final peg, with count: solutions where the rule of three allows it; " +
				"with count: survey also one_peg: every position and final peg, or positions: all pairs of positions"},
		{Name: "most_pegs", Kind: setting.Integer, Default: "0", Max: peg.MaxHoles,
			Doc: "with count: survey: how many pegs a start has at most; 0: any number"},
		{Name: "only",
			Doc: "with count: positions and a goal: winnable, for the positions from which the goal can be reached and no " +
				"others; empty: all positions",
			Validate: func(s string) error {
				if s != "" && s != onlyWinnable {
					return fmt.Errorf("%s is not %s", setting.Quote(s), onlyWinnable)
				}
				return nil
			}},
		{Name: "store_ways", Kind: setting.Boolean, Default: "false",
			Doc: "with count: solutions: keep for every position the ways through it, for query, sample and heatmap"},
		{Name: "reserve", Kind: setting.Boolean, Default: "false",
			Doc: "with count: solutions: the peg taken first is put back into its hole once, at any moment when that is empty"},
	},
	New: build, Problem: settingsProblem, Subject: subject, Begin: begin,
	Links: links,
	Questions: []puzzle.Question{query, sample, solutionQuestion, listQuestion, rankQuestion, heatmap, pairsQuestion,
		fewestQuestion, longestQuestion, surveyQuestion, readQuestion, boardQuestion, positionQuestion, playQuestion,
		importQuestion, spaceQuestion, pagodaQuestion, boundsQuestion, graphQuestion, chanceQuestion, feasibleQuestion,
		checkQuestion, solveQuestion, armyQuestion},
}

// begin refuses a start or a goal beside pairs: all, which does not look at them.
func begin(c setting.Values) error {
	if c.Text("pairs") != pairsAll || c.Text("count") == countSurvey {
		return nil
	}
	for _, name := range []string{"start", "goal"} {
		if s := c.Text(name); s != "" && (name != "start" || s != defaultStart) {
			return &setting.Error{
				Setting: name, Err: errors.New("pairs: all counts every pair, and does not look at it"),
				Hint: "add --set start= --set goal=, or remove pairs: all for this one problem",
			}
		}
	}
	return nil
}

func build(c setting.Values) (puzzle.Puzzle, error) {
	board, err := namedOrDrawn(c)
	if err != nil {
		return nil, err
	}
	if err := checkCombination(c); err != nil {
		return nil, err
	}
	params := counting.Params{Board: board, WindowAddresses: c.Uint("window_addresses")}
	count := c.Text("count")
	switch {
	case count == countSurvey:
		return buildSurvey(c, board)
	case c.Text("pairs") == pairsAll:
		p, err := solutions.NewPairs(params)
		if err == nil && begin(c) != nil {
			p.Remark = "start and goal are not looked at: pairs: all counts every pair"
		}
		return cut(p, err)
	case count == countSequences, count == countByPegs:
		return buildSequences(c, params)
	}
	if err := readProblem(c, &params); err != nil {
		return nil, err
	}
	switch count {
	case countSolutions:
		return buildSolutions(c, params)
	case countSweeps:
		if !params.HasGoal {
			return nil, &setting.Error{Setting: "goal", Err: errors.New("counting sweeps needs a goal"),
				Hint: "write goal: center, or another position"}
		}
		return cut(sweeps.New(params))
	case countPositions:
		return buildPositions(c, params)
	case countChances:
		return cut(chance.New(params))
	}
	return cut(games.New(params))
}

// checkCombination refuses settings that do not go together.
func checkCombination(c setting.Values) error {
	count := c.Text("count")
	if count == countSurvey {
		return checkSurvey(c)
	}
	if only := c.Text("only"); only != "" && count != countPositions {
		return &setting.Error{Setting: "only", Hint: "remove it, or write count: positions",
			Err: fmt.Errorf("it chooses among positions, and this counts %s", count)}
	}
	if c.Uint("most_pegs") != 0 {
		return &setting.Error{Setting: "most_pegs", Hint: "remove it, or add count: survey",
			Err: fmt.Errorf("it bounds the starts of a survey, and this counts %s", count)}
	}
	if kind := c.Text("pairs"); kind != pairsOne && kind != pairsAll {
		return &setting.Error{Setting: "pairs", Err: fmt.Errorf("%s is a kind of survey, and this counts %s", kind, count),
			Hint: "add count: survey, or write pairs: all"}
	}
	all := c.Text("pairs") == pairsAll
	onlySolutions := func(name string, asked bool, what string) error {
		if !asked || count == countSolutions {
			return nil
		}
		return &setting.Error{Setting: name, Err: fmt.Errorf(what, count), Hint: "add count: solutions"}
	}
	oneProblem := func(name string) error {
		if !c.Bool(name) || !all {
			return nil
		}
		return &setting.Error{Setting: name, Err: errors.New("it needs one start and one goal, not all pairs"),
			Hint: "remove pairs: all, and write start and goal"}
	}
	for _, err := range []error{
		onlySolutions("pairs", all, "all pairs are a question about solutions, not %s"),
		onlySolutions("reserve", c.Bool("reserve"), "it is a rule for counting solutions, not %s"),
		onlySolutions("store_ways", c.Bool("store_ways"), "it is a part of counting solutions, not %s"),
		oneProblem("reserve"), oneProblem("store_ways"),
	} {
		if err != nil {
			return err
		}
	}
	if c.Bool("reserve") && c.Bool("store_ways") {
		return &setting.Error{Setting: "reserve", Err: errors.New("ways through positions are not counted with it"),
			Hint: "remove one of reserve and store_ways"}
	}
	return nil
}

// buildSolutions makes a count of the solutions of one problem.
func buildSolutions(c setting.Values, params counting.Params) (puzzle.Puzzle, error) {
	if !params.HasGoal && params.Goals == nil {
		return nil, &setting.Error{Setting: "goal", Err: errors.New("counting solutions needs a goal"),
			Hint: "write goal: center, or pairs: all for every pair of a vacancy and a final peg"}
	}
	switch {
	case params.Goals != nil:
		return cut(solutions.NewGoals(params))
	case c.Bool("store_ways"):
		return cut(ways.New(params))
	case c.Bool("reserve"):
		return cut(reserve.New(params))
	}
	return cut(solutions.New(params))
}

// buildPositions makes a count of the positions that can be reached, or of those that are winnable.
func buildPositions(c setting.Values, params counting.Params) (puzzle.Puzzle, error) {
	p := reach.Params{Board: params.Board, Start: params.Start, Goal: params.Goal, HasGoal: params.HasGoal,
		WindowAddresses: params.WindowAddresses}
	if params.Goals != nil {
		var err error
		if p.Goals, err = winnableGoals(&params); err != nil {
			return nil, err
		}
		p.GoalText = params.Goals.String()
	}
	if c.Text("only") != onlyWinnable {
		return cut(reach.New(p))
	}
	if !p.HasGoal && p.Goals == nil {
		return nil, &setting.Error{Setting: "only", Err: errors.New("a position is winnable with respect to a goal"),
			Hint: "write goal: center, or remove only: " + onlyWinnable}
	}
	return cut(reach.NewWinnable(p))
}

// buildSequences makes the count of all sequences, which have no start and no goal. A data folder names the default
// start of its run like any other setting, so that one is no error.
func buildSequences(c setting.Values, params counting.Params) (puzzle.Puzzle, error) {
	for _, s := range []struct{ name, none string }{{"start", defaultStart}, {"goal", ""}} {
		if c.Text(s.name) != s.none {
			return nil, &setting.Error{Setting: s.name, Err: errors.New("sequences lead from any position to any other"),
				Hint: "remove it, or ask for count: games or count: solutions"}
		}
	}
	return cut(sequences.New(params, c.Text("count") == countByPegs))
}

// readProblem reads start and goal.
func readProblem(c setting.Values, params *counting.Params) (err error) {
	board := params.Board
	if params.Start, err = peg.ParseStart(board, c.Text("start")); err != nil {
		return &setting.Error{Setting: "start", Err: err}
	}
	if params.Start == 0 {
		return &setting.Error{Setting: "start", Err: noPeg(c.Text("start")),
			Hint: "write start: center, or a drawing with pegs"}
	}
	if shown, err := peg.ParseGoal(board, c.Text("drawing")); err == nil && shown != 0 && shown != board.Full() &&
		shown != params.Start && c.Text("start") == defaultStart {
		return &setting.Error{Setting: "drawing", Err: fmt.Errorf("%w: it shows other pegs than start: %s", peg.ErrPosition,
			defaultStart), Hint: "write the position as start, too, or the drawing with o for every hole"}
	}
	text := c.Text("goal")
	if text == "" {
		return nil
	}
	goals, err := peg.ParseGoals(board, text)
	if err != nil {
		return wrongGoal("goal", text, err)
	}
	if params.Goal, params.HasGoal = goals.Only(); !params.HasGoal {
		params.Goals = &goals
		return severalAllowed(c, params)
	}
	if err := (peg.Problem{Board: board, Start: params.Start, Goal: params.Goal}).Check(); err != nil {
		return &setting.Error{Setting: "goal", Err: err, Hint: "each jump takes one peg: the goal has fewer than the start"}
	}
	return nil
}

// cut says of a puzzle that could not be made which key is at fault.
func cut[P puzzle.Puzzle](p P, err error) (puzzle.Puzzle, error) {
	var size *puzzle.SizeError
	switch {
	case errors.As(err, &size):
		return nil, &setting.Error{Setting: "window_addresses", Err: err, Hint: size.Advice()}
	case errors.Is(err, games.ErrGoals), errors.Is(err, solutions.ErrGoals):
		return nil, &setting.Error{Setting: "goal", Err: err, Hint: "count: games takes at-most-3 and the like of any size"}
	case errors.Is(err, reserve.ErrVacancy):
		return nil, &setting.Error{Setting: "reserve", Err: err, Hint: "write start: center, or another single hole"}
	case errors.Is(err, survey.ErrTooLarge):
		return nil, &setting.Error{Setting: "board", Err: err, Hint: "write pairs: all, or most_pegs with pairs: one_peg"}
	case errors.Is(err, counting.ErrWindowAddresses), errors.Is(err, reach.ErrWindowAddresses),
		errors.Is(err, survey.ErrWindowAddresses):
		return nil, &setting.Error{Setting: "window_addresses", Err: err, Hint: "0 leaves windows uncut"}
	case errors.Is(err, reach.ErrTooLarge), errors.Is(err, partition.ErrTooLarge):
		return nil, &setting.Error{Setting: "board", Err: err, Hint: "count: games may still do for a start with few pegs"}
	case err != nil:
		return nil, err
	}
	return p, nil
}
