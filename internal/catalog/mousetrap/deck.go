package mousetrap

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"pagoda/internal/puzzle/setting"
)

// ErrDeck is wrapped by errors about a deck that is none.
var ErrDeck = errors.New("not a deck")

// mostPlayed is the largest deck that can be played in a question: a modular game may go round very often.
const mostPlayed = 200

// ParseDeck reads the cards of a deck, first card first: numbers with spaces or commas between them. A deck of n cards
// has each of 1..n once; n is at most 200. The error wraps ErrDeck and says which card is wrong.
func ParseDeck(text string) ([]int, error) {
	fields := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	n := len(fields)
	if n == 0 || n > mostPlayed {
		return nil, fmt.Errorf("%w: %d cards; a deck has 1 to %d", ErrDeck, n, mostPlayed)
	}
	deck, place := make([]int, n), make([]int, n+1)
	for i, f := range fields {
		v, err := strconv.ParseUint(f, 10, 31)
		if err != nil || v < 1 || v > uint64(n) {
			return nil, fmt.Errorf("%w: card %d is %s; %d cards have the numbers 1 to %d, each once",
				ErrDeck, i+1, setting.Quote(f), n, n)
		}
		if place[v] != 0 {
			return nil, fmt.Errorf("%w: cards %d and %d are both %d; each number from 1 to %d comes once",
				ErrDeck, place[v], i+1, v, n)
		}
		deck[i], place[v] = int(v), i+1
	}
	return deck, nil
}

// FormatDeck writes a deck as ParseDeck reads it, with single spaces.
func FormatDeck[T int | uint8](deck []T) string {
	b := make([]byte, 0, 3*len(deck))
	for i, v := range deck {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendInt(b, int64(v), 10)
	}
	return string(b)
}
