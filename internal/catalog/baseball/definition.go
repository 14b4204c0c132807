package baseball

import (
	"errors"
	"fmt"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/setting"
)

// Names of the settings and flags.
const (
	nameBases   = "bases"
	nameBoard   = "board"
	nameCount   = "count"
	nameMethods = "methods"
	nameMethod  = "method"
	nameEdges   = "edges"
)

// Values of the setting methods.
const (
	methodsAuto = "auto"
	methodsAll  = "all"
	methodsNone = "none"
)

// autoMethods is the largest number of bases whose searches run the methods unless they are told not to.
const autoMethods = 7

// Definition makes colour baseball known to the programs.
var Definition = puzzle.Definition{
	Name:  "baseball",
	Short: "colour baseball: bring the tokens home over one free place",
	Settings: []setting.Setting{
		{Name: nameBases, Kind: setting.Integer, Min: 2, Max: MaxBases,
			Doc: fmt.Sprintf("number of bases, 2 to %d; must be given", MaxBases)},
		boardSetting,
		{Name: nameCount, Kind: setting.Choice, Default: "distances", Choices: []string{"distances"},
			Doc: "what is counted: the configurations at each distance from the goal"},
		{Name: nameMethods, Kind: setting.Choice, Default: methodsAuto,
			Choices: []string{methodsAuto, methodsAll, methodsNone},
			Doc: fmt.Sprintf("run the source's methods on every configuration: all, none, or auto: up to %d bases",
				autoMethods)},
	},
	New: build,
	Problem: func(v setting.Values) (puzzle.Problem, error) {
		return understood(int(v.Uint(nameBases)), boardOf(v)), nil
	},
	Subject: func(v setting.Values) (puzzle.Subject, error) {
		return puzzle.Subject{
			Puzzle: "Colour baseball", Board: boardOf(v).String() + " of " + plural.Of(v.Uint(nameBases), "base"),
			Question: "configurations by their distance from the goal",
			Definition: "Each base has two places and a colour, and there are two tokens of every colour but one, of which " +
				"there is one; a token of a neighbouring base moves into the free place, until every token is at its base. " +
				"Counted are the configurations by the fewest moves that they are from there.",
		}, nil
	},
	Questions: []puzzle.Question{
		solveQuestion, playQuestion, startQuestion, treeQuestion, countQuestion, methodsQuestion, farthestQuestion,
	},
	Game: &puzzle.Game{Start: startQuestion.Name, Play: playQuestion.Name, More: []string{solveQuestion.Name}},
}

var boardSetting = setting.Setting{
	Name: nameBoard, Kind: setting.Choice, Default: "ring", Choices: boardNames,
	Doc: "ring: the first and the last base are neighbours; line: they are not",
}

func boardOf(v setting.Values) Board {
	if v.Text(nameBoard) == Line.String() {
		return Line
	}
	return Ring
}

// understood is a board as it was understood.
func understood(bases int, b Board) (p puzzle.Problem) {
	p.Add("board", b.String()+" of "+plural.Of(bases, "base"))
	return p
}

func build(v setting.Values) (puzzle.Puzzle, error) {
	n := int(v.Uint(nameBases))
	with := v.Text(nameMethods)
	s, err := New(Params{
		Bases: n, Board: boardOf(v), Methods: with == methodsAll || with == methodsAuto && n <= autoMethods,
		WindowAddresses: v.Uint("window_addresses"),
	})
	if errors.Is(err, ErrBases) {
		return nil, &setting.Error{Setting: nameBases, Err: err, Hint: "more configurations than this program numbers"}
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}
