package babylone

import (
	"errors"
	"fmt"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/setting"
)

// Settings of a run.
const (
	settingColours = "colours"
	settingBricks  = "bricks"
	settingCount   = "count"
)

// Definition makes the puzzle known to the programs.
var Definition = puzzle.Definition{
	Name:  "babylone",
	Short: "Babylone: piles of coloured bricks are put upon each other, who cannot move loses",
	Settings: []setting.Setting{
		// Neither has a default: a config without one is refused by the name of the missing setting.
		{Name: settingColours, Kind: setting.Integer, Min: 1, Max: MaxColours,
			Doc: fmt.Sprintf("number of colours, 1 to %d; must be given", MaxColours)},
		{Name: settingBricks, Kind: setting.Text, Validate: validBricks,
			Doc: "bricks of each colour: one number, or a list such as 3,2,2 with one for each colour; must be given"},
		{Name: settingCount, Kind: setting.Choice, Default: CountWinner,
			Choices: []string{CountGraph, CountWinner, CountNimbers},
			Doc:     "winner: who wins each position; nimbers: the Grundy value of each position; graph: nimbers and edges"},
	},
	New: newFromSettings,
	Problem: func(v setting.Values) (puzzle.Problem, error) {
		bricks, err := ParseBricks(v.Text(settingBricks), int(v.Uint(settingColours)))
		if err != nil {
			return puzzle.Problem{}, err
		}
		return understood(bricks), nil
	},
	Subject:   subject,
	Questions: []puzzle.Question{play, startQuestion, graph, count, table},
	Game:      &puzzle.Game{Start: startQuestion.Name, Play: play.Name, Reply: flagReply},
}

func subject(v setting.Values) (puzzle.Subject, error) {
	bricks, err := ParseBricks(v.Text(settingBricks), int(v.Uint(settingColours)))
	s := puzzle.Subject{
		Puzzle: "Babylone", Board: "bricks " + gameName(bricks), Question: "positions and the player that wins them",
		Definition: "Every brick is a pile at first, and a move puts one pile on another of the same height or with the " +
			"same colour on top; two players move in turn, and the one that cannot move loses. " +
			"Counted are the positions that play reaches, and those that the player to move wins",
	}
	switch v.Text(settingCount) {
	case CountNimbers:
		s.Question = "positions by their nimbers"
		s.Definition += ", by their nimbers"
	case CountGraph:
		s.Question = "positions by their nimbers, and moves between them"
		s.Definition += ", by their nimbers, with the moves between them"
	}
	s.Definition += "."
	return s, err
}

// understood is a game as it was understood.
func understood(bricks []int) (p puzzle.Problem) {
	all := 0
	for _, n := range bricks {
		all += n
	}
	p.Add("game", gameName(bricks)+", "+plural.Of(all, "brick")+" of "+plural.Of(len(bricks), "colour"))
	var sum puzzle.Summary
	sum.AddText("game", gameName(bricks), "colours x bricks, or bricks colour by colour")
	sum.AddNumber("colours", uint64(len(bricks)), "number of colours")
	p.Facts = sum.Facts
	return p
}

func validBricks(text string) error {
	_, err := ParseBricks(text, 0)
	return err
}

func newFromSettings(v setting.Values) (puzzle.Puzzle, error) {
	bricks, err := ParseBricks(v.Text(settingBricks), int(v.Uint(settingColours)))
	if err != nil {
		return nil, &setting.Error{Setting: settingBricks, Err: err,
			Hint: "give one number of bricks, or a list with one for each colour"}
	}
	p, err := New(Params{
		Bricks: bricks, Count: v.Text(settingCount), WindowAddresses: v.Uint("window_addresses"),
	})
	switch {
	case errors.Is(err, ErrWindowAddresses):
		return nil, &setting.Error{Setting: "window_addresses", Err: err, Hint: "0 leaves the size of windows to the puzzle"}
	case errors.Is(err, ErrGame):
		return nil, &setting.Error{Setting: settingBricks, Err: err, Hint: "choose fewer colours or bricks"}
	case err != nil:
		return nil, err
	}
	return p, nil
}
