package mousetrap

import (
	"context"
	"math/rand/v2"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/setting"
)

const argCards = "CARDS"

var startQuestion = puzzle.Question{
	Name:     "start",
	Short:    "shuffle a deck",
	Long:     "Shuffles CARDS cards, every deck equally likely. The same seed gives the same deck.\n",
	Examples: []string{"8 --seed 3"},
	Args:     []puzzle.Argument{{Name: argCards, Doc: "number of cards."}},
	Flags:    []setting.Setting{puzzle.SeedFlag("the deck")},
	Answer:   answerStart,
}

func answerStart(_ context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	n, err := setting.IntegerArgument(argCards, r.Args[0], 1, mostPlayed, "")
	if err != nil {
		return nil, err
	}
	deck := rand.New(puzzle.Draws(r.Flags)).Perm(int(n))
	for i := range deck {
		deck[i]++
	}
	a := &puzzle.Answer{Text: FormatDeck(deck) + "\n"}
	a.Summary.AddText("position", FormatDeck(deck), "the deck, first card first")
	return a, nil
}
