package mousetrap

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func parse(t *testing.T, text string) []int {
	t.Helper()
	deck, err := ParseDeck(text)
	if err != nil {
		t.Fatal(err)
	}
	return deck
}

func TestPlayKnownDecks(t *testing.T) {
	for _, c := range []struct {
		deck        string
		modular     bool
		order, left string
	}{
		{"4 2 3 5 1", false, "2 4 5 1 3", ""},
		{"4 2 5 3 1", false, "2 4", "5 3 1"},
		{"4 2 5 3 1", true, "2 4 1 5 3", ""},
		{"1 6 2 4 5 3 7 8", false, "1 2 3 4 5 6 7 8", ""},
		{"2 1", false, "", "2 1"},
		{"2 1", true, "", "2 1"},
		{"1", false, "1", ""},
	} {
		deck := parse(t, c.deck)
		order, left := Rules{len(deck), c.modular}.Play(deck, nil)
		if FormatDeck(order) != c.order || FormatDeck(left) != c.left {
			t.Errorf("%s: order %v, left %v; want %s and %s", c.deck, order, left, c.order, c.left)
		}
	}
}

func TestReformKnownDecks(t *testing.T) {
	for text, want := range map[string]Reformed{
		"1": {1, true}, "1 2": {1, true}, "2 1": {}, "4 2 3 5 1": {Times: 1}, "4 2 5 3 1": {},
		"2 5 1 4 3": {Times: 2}, "1 6 5 3 4 2": {Times: 3},
		"1 16 12 15 6 8 14 10 9 3 4 11 13 2 7 5": {Times: 5},
	} {
		deck := parse(t, text)
		if got := (Rules{Cards: len(deck)}).Reform(deck); got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}

// drawDeck draws a deck of up to most cards.
func drawDeck(t *rapid.T, most int) []int {
	deck := make([]int, rapid.IntRange(1, most).Draw(t, "cards"))
	for i := range deck {
		deck[i] = i + 1
	}
	return rapid.Permutation(deck).Draw(t, "deck")
}

func TestPlayAgainstReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		deck := drawDeck(t, 20)
		r := Rules{len(deck), rapid.Bool().Draw(t, "modular")}
		wantOrder, wantLeft := slowGame(deck, r.Modular)
		var seen []int
		before := deck
		order, left := r.Play(deck, func(m Removal) {
			seen = append(seen, m.Card)
			if before[(m.Counts-1)%len(before)] != m.Card || (m.Counts-1)%r.Cards+1 != m.Card {
				t.Fatalf("card %d cannot be hit at count %d of %v", m.Card, m.Counts, before)
			}
			before = m.Left
		})
		if !slices.Equal(order, wantOrder) || !slices.Equal(left, wantLeft) || !slices.Equal(seen, wantOrder) {
			t.Fatalf("%v: order %v %v, left %v; want %v and %v", deck, order, seen, left, wantOrder, wantLeft)
		}
		narrow := make([]uint8, len(deck))
		for i, v := range deck {
			narrow[i] = uint8(v)
		}
		out := make([]uint8, len(deck))
		if hits := r.removals(out, narrow); FormatDeck(out[:hits]) != FormatDeck(wantOrder) {
			t.Fatalf("%v: removals %v, want %v", deck, out[:hits], wantOrder)
		}
		if len(deck) > mostPacked {
			return
		}
		p := pack(narrow)
		if order, left := slowGame(deck, false); p.wins(len(deck)) != (len(left) == 0) {
			t.Fatalf("%v: packed wins %v, order %v", deck, p.wins(len(deck)), order)
		}
	})
}

// TestPackedDecks plays all decks of up to 8 cards, and the larger ones that leave in order.
func TestPackedDecks(t *testing.T) {
	for n := 1; n <= 8; n++ {
		permutations(n, func(deck []int) {
			narrow := make([]uint8, n)
			for i, v := range deck {
				narrow[i] = uint8(v)
			}
			removed, left := slowGame(deck, false)
			if pack(narrow).wins(n) != (len(left) == 0) {
				t.Errorf("%v: packed wins %v, left %v", deck, pack(narrow).wins(n), left)
			}
			want := packed(0)
			for i, v := range removed {
				want |= packed(v-1) << (4 * i)
			}
			if order, won := pack(narrow).order(n); won != (len(left) == 0) || won && order != want {
				t.Errorf("%v: packed order %x, wins %v, want %v", deck, order, won, removed)
			}
		})
	}
	for n := 9; n <= mostPacked; n++ {
		narrow := make([]uint8, n)
		for i, v := range InOrder(n) {
			narrow[i] = uint8(v)
		}
		if !pack(narrow).wins(n) {
			t.Errorf("%v loses when packed", narrow)
		}
	}
}

// TestReformAgainstReference takes all decks of up to 6 cards; in the modular game many reform for ever.
func TestReformAgainstReference(t *testing.T) {
	forever := 0
	for n := 1; n <= 6; n++ {
		for _, isModular := range []bool{false, true} {
			permutations(n, func(deck []int) {
				got := Rules{n, isModular}.Reform(deck)
				want := slowReform(deck, isModular)
				if got.Forever {
					forever++
				}
				if got.Forever != (want < 0) || !got.Forever && got.Times != want {
					t.Errorf("%v modular %v: %+v, want %d", deck, isModular, got, want)
				}
			})
		}
	}
	if forever == 0 {
		t.Error("no deck reforms for ever")
	}
}

// TestCountingFurtherChangesNothing counts on to larger numbers than the cards have: no card is hit later.
func TestCountingFurtherChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		deck := drawDeck(t, 15)
		order, left := Rules{Cards: len(deck)}.Play(deck, nil)
		further, rest := Rules{Cards: 4 * len(deck)}.Play(deck, nil)
		if !slices.Equal(order, further) || !slices.Equal(left, rest) {
			t.Fatalf("%v: %v %v, counting further %v %v", deck, order, left, further, rest)
		}
	})
}

func TestInOrder(t *testing.T) {
	if got := FormatDeck(InOrder(8)); got != "1 6 2 4 5 3 7 8" {
		t.Errorf("8 cards: %s", got)
	}
	sizes := []int{1, 2, 3, 4, 5, 6, 7, 31, 32, 33, 1000}
	if !testing.Short() {
		sizes = append(sizes, 10000)
	}
	for _, n := range sizes {
		order, left := Rules{Cards: n}.Play(InOrder(n), nil)
		if len(left) > 0 || !slices.IsSorted(order) {
			t.Errorf("%d cards: %d are left", n, len(left))
		}
	}
}

// TestInOrderIsTheOnlyOne looks for other decks of up to 7 cards that leave in order.
func TestInOrderIsTheOnlyOne(t *testing.T) {
	for n := 1; n <= 7; n++ {
		var found []string
		permutations(n, func(deck []int) {
			if order, left := slowGame(deck, false); len(left) == 0 && slices.IsSorted(order) {
				found = append(found, FormatDeck(deck))
			}
		})
		if want := []string{FormatDeck(InOrder(n))}; fmt.Sprint(found) != fmt.Sprint(want) {
			t.Errorf("%d cards: %v, want %v", n, found, want)
		}
	}
}
