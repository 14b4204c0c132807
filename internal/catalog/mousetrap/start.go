package mousetrap

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/setting"
)

var startQuestion = puzzle.Question{
	Name:     "start",
	Short:    "shuffle a deck",
	Long:     "Shuffles N cards, every deck equally likely. The same seed gives the same deck.\n",
	Examples: []string{"8 --seed 3"},
	Args:     []puzzle.Argument{{Name: "N", Doc: "number of cards."}},
	Flags: []setting.Setting{
		{Name: "seed", Kind: setting.Integer, Default: "0", Max: math.MaxUint64, Doc: "number that decides the deck"},
	},
	Answer: answerStart,
}

func answerStart(_ context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	n, err := setting.ParseInteger(r.Args[0])
	if err != nil || n < 1 || n > mostPlayed {
		return nil, &setting.Error{Setting: "N",
			Err: fmt.Errorf("%s is not a whole number between 1 and %d", setting.Quote(r.Args[0]), mostPlayed)}
	}
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], r.Flags.Uint("seed"))
	deck := rand.New(rand.NewChaCha8(key)).Perm(int(n))
	for i := range deck {
		deck[i]++
	}
	a := &puzzle.Answer{Text: FormatDeck(deck) + "\n"}
	a.Summary.AddText("position", FormatDeck(deck), "the deck, first card first")
	return a, nil
}

// tooManyCards is the error about a deck of more cards than an answer on the spot takes.
func tooManyCards(n int) error {
	return fmt.Errorf("%w: %d cards; the swaps of at most %d are played", ErrDeck, n, mostSwapped)
}
