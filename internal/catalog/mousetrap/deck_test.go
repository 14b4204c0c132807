package mousetrap

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func FuzzParseDeck(f *testing.F) {
	for _, s := range []string{
		"4 2 3 5 1", "1,2,3", " 1 ", "", "1 1", "0", "2", "1 -2", "1 x 3", "+1", "1\n2\t3", "99999999999",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		deck, err := ParseDeck(text)
		if err != nil {
			if !errors.Is(err, ErrDeck) || strings.Contains(err.Error(), "\n") || len(err.Error()) > 300 {
				t.Errorf("%q: error %q", text, err)
			}
			return
		}
		for v := 1; v <= len(deck); v++ {
			if !slices.Contains(deck, v) {
				t.Errorf("%q: %v does not have %d", text, deck, v)
			}
		}
		again, err := ParseDeck(FormatDeck(deck))
		if err != nil || !slices.Equal(again, deck) {
			t.Errorf("%q: %v is read again as %v, %v", text, deck, again, err)
		}
	})
}

func TestParseDeckErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "0 cards; a deck has 1 to 200",
		strings.Repeat("1 ", 201): "201 cards; a deck has 1 to 200",
		"1 2 2":                   "cards 2 and 3 are both 2; each number from 1 to 3 comes once",
		"1 4 2":                   `card 2 is "4"; 3 cards have the numbers 1 to 3`,
		"1 0 2":                   `card 2 is "0"`,
		"1 a 2":                   `card 2 is "a"`,
	} {
		if _, err := ParseDeck(text); err == nil || !errors.Is(err, ErrDeck) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestParseDeckForms reads one deck in every form in which decks are written.
func TestParseDeckForms(t *testing.T) {
	for _, text := range []string{"4 2 3 5 1", "4,2,3,5,1", " 4, 2, 3, 5, 1\r\n", "4\n2\n3\n5\n1\n", "4\t2\t3\t5\t1"} {
		if deck, err := ParseDeck(text); err != nil || FormatDeck(deck) != "4 2 3 5 1" {
			t.Errorf("%q is read as %v, %v", text, deck, err)
		}
	}
}
