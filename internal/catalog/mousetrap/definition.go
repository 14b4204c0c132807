package mousetrap

import (
	"errors"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/setting"
)

var variantSetting = setting.Setting{
	Name: "variant", Kind: setting.Choice, Default: plain, Choices: []string{plain, modular},
	Doc: "the game: plain ends when the count passes the number of cards, modular goes on from 1 while cards can be hit",
}

// understood is the problem of decks of so many cards.
func understood(cards, variant string) (p puzzle.Problem) {
	p.Add("decks", cards+", "+variant+" game")
	return p
}

// Definition makes Mousetrap known.
var Definition = puzzle.Definition{
	Name:  "mousetrap",
	Short: "Cayley's Mousetrap: decks by the number of cards that are hit, winning and reformed decks",
	Settings: []setting.Setting{
		{
			Name: "cards", Kind: setting.Integer, Min: 1, Max: 22,
			Doc: "number of cards in a deck, 1 to 22; at most 18 for the counts hits and reformed, 16 in the modular game; " +
				"must be given",
		},
		variantSetting,
		{
			Name: "count", Kind: setting.Choice, Default: string(Winning),
			Choices: []string{string(Hits), string(Winning), string(Reforms)},
			Doc: "what is counted: decks by hits, decks that win, or decks that win by how often the order of removal wins " +
				"again",
		},
	},
	New: func(v setting.Values) (puzzle.Puzzle, error) {
		s, err := New(Params{
			Rules:           Rules{Cards: int(v.Uint("cards")), Modular: v.Text("variant") == modular},
			Count:           Count(v.Text("count")),
			WindowAddresses: v.Uint("window_addresses"),
		})
		switch {
		case errors.Is(err, ErrWindowAddresses):
			return nil, &setting.Error{Setting: "window_addresses", Err: err, Hint: "0 leaves the size to the survey"}
		case err != nil:
			return nil, &setting.Error{Setting: "cards", Err: err}
		}
		return s, nil
	},
	Problem: func(v setting.Values) (puzzle.Problem, error) {
		return understood(plural.Of(v.Uint("cards"), "card"), v.Text("variant")), nil
	},
	Subject: subject,
	Questions: []puzzle.Question{playQuestion, swapQuestion, chainQuestion, startQuestion, inOrderQuestion, decksQuestion,
		sharesQuestion},
	Game: &puzzle.Game{Start: startQuestion.Name, Play: swapQuestion.Name,
		More: []string{playQuestion.Name, chainQuestion.Name}},
}
