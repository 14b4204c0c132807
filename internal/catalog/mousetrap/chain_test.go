package mousetrap

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pagoda/internal/puzzle/puzzletest"
)

// counted plays a deck by the rules alone: the plain game, said aloud card by card on a turning list.
func counted(deck []int) (order []int) {
	pile := slices.Clone(deck)
	for said := 1; len(pile) > 0 && said <= slices.Max(deck); said++ {
		top := pile[0]
		pile = pile[1:]
		if top == said {
			order = append(order, top)
			said = 0
		} else {
			pile = append(pile, top)
		}
	}
	return order
}

func decks(n int) (list [][]int) {
	if n == 0 {
		return [][]int{{}}
	}
	for _, d := range decks(n - 1) {
		for at := range n {
			list = append(list, slices.Insert(slices.Clone(d), at, n))
		}
	}
	return list
}

// TestSwapAndChain compares the answers about all decks of up to five cards with games said aloud.
func TestSwapAndChain(t *testing.T) {
	forever, ends := 0, 0
	for n := 1; n <= 5; n++ {
		for _, deck := range decks(n) {
			text := FormatDeck(deck)
			a := puzzletest.Ask(t, &swapQuestion, nil, text)
			if got, want := a.Summary.Facts[1].Value.S, FormatDeck(counted(deck)); got != want {
				t.Fatalf("%s: cards %s are hit, want %s", text, got, want)
			}
			rows := a.Summary.Tables[0].Rows
			met := map[string]bool{text: true}
			for i, m := range rows {
				after, err := ParseDeck(m[1].S)
				if err != nil || m[2].N.Lo != uint64(len(counted(after))) || i > 0 && m[2].N.Lo > rows[i-1][2].N.Lo {
					t.Fatalf("%s: %v, want %d hits, sorted: %v", text, m, len(counted(after)), err)
				}
				moved := ""
				for k := range deck {
					if deck[k] != after[k] {
						moved += fmt.Sprintf(" %d", deck[k])
					}
				}
				if moved != " "+m[0].S || met[m[1].S] {
					t.Fatalf("%s: swap %s gives %s", text, m[0].S, m[1].S)
				}
				met[m[1].S] = true
			}
			if len(rows) != n*(n-1)/2 {
				t.Fatalf("%s has %d swaps", text, len(rows))
			}

			a = puzzletest.Ask(t, &chainQuestion, nil, strings.Fields(text)...)
			now, seen := deck, map[string]bool{}
			for _, row := range a.Summary.Tables[0].Rows {
				order := counted(now)
				if seen[FormatDeck(now)] || row[0].S != FormatDeck(now) || row[2].S != FormatDeck(order) {
					t.Fatalf("%s: %v, want the deck %v and the order %v", text, row, now, order)
				}
				seen[row[0].S] = true
				now = order
			}
			if again := a.Summary.Facts[0].Name == "returns_to"; again {
				forever++
				if at := a.Summary.Facts[0].Value.N.Lo; a.Summary.Tables[0].Rows[at-1][0].S != FormatDeck(now) {
					t.Fatalf("%s returns to row %d, and the next deck is %v", text, at, now)
				}
			} else if len(now) == n {
				t.Fatalf("%s: the chain ends with a deck that wins", text)
			} else {
				ends++
			}
		}
	}
	if forever == 0 || ends == 0 {
		t.Errorf("%d chains return, %d end", forever, ends)
	}
}

// TestStart: all decks of four cards are drawn, and the same seed gives the same one.
func TestStart(t *testing.T) {
	met := map[string]bool{}
	for seed := range 400 {
		flags := map[string]string{"seed": fmt.Sprint(seed)}
		deck := puzzletest.Ask(t, &startQuestion, flags, "4").Text
		if again := puzzletest.Ask(t, &startQuestion, flags, "4").Text; again != deck {
			t.Fatalf("seed %d gives %s and %s", seed, deck, again)
		}
		if _, err := ParseDeck(deck); err != nil {
			t.Fatal(err)
		}
		met[deck] = true
	}
	if len(met) != 24 {
		t.Errorf("%d of 24 decks were drawn", len(met))
	}
}
