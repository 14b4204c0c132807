package mousetrap

import (
	"context"
	"fmt"
	"strings"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/puzzle/uint128"
)

var playQuestion = puzzle.Question{
	Name:  "play",
	Short: "play one deck, card by card",
	Long: "Plays a deck and shows every count and every removal, the number of hits, and how often the deck can be\n" +
		"reformed: a deck is 1-reformed when it wins and the order of removal does not win as a deck, and k-reformed\n" +
		"when the order of removal is (k-1)-reformed. Of a long count the first and the last numbers are shown.\n",
	Examples: []string{"4 2 3 5 1", "--variant modular 4 2 5 3 1"},
	Args:     deckArgs,
	Flags:    []setting.Setting{variantSetting},
	Answer:   answerPlay,
}

var deckArgs = []puzzle.Argument{
	{Name: "CARD", Doc: "the cards of the deck, first card first: each of 1 to n once.", Repeated: true},
}

// mostCounts bounds the counts that are shown of one hit; of more, half are from the beginning and half from the end.
const mostCounts = 60

// askedDeck is the deck of a question, and the rules of its game.
func askedDeck(r puzzle.Request) ([]int, Rules, error) {
	deck, err := ParseDeck(strings.Join(r.Args, " "))
	if err != nil {
		return nil, Rules{}, &setting.Error{Setting: "CARD", Err: err}
	}
	return deck, Rules{Cards: len(deck), Modular: r.Flags.Text("variant") == modular}, nil
}

func answerPlay(_ context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	deck, rules, err := askedDeck(r)
	if err != nil {
		return nil, err
	}
	turns := puzzle.Table{Name: "turns", Columns: []puzzle.Column{
		{Name: "hit", Kind: puzzle.Number, Doc: "number of the hit"},
		{Name: "card", Kind: puzzle.Number, Doc: "card removed"},
		{Name: "counts", Kind: puzzle.Number, Doc: "numbers said, the hit included"},
		{Name: "said", Kind: puzzle.Text, Doc: "number:card for every number said"},
		{Name: "left", Kind: puzzle.Text, Doc: "cards left, from the next one on"},
	}}
	var text strings.Builder
	before := deck
	order, left := rules.Play(deck, func(m Removal) {
		said := rules.said(before, m.Counts)
		before = m.Left
		hit := len(turns.Rows) + 1
		turns.Rows = append(turns.Rows, []puzzle.Value{
			number(hit), number(m.Card), number(m.Counts), {S: strings.Join(said, " ")}, {S: FormatDeck(m.Left)},
		})
		fmt.Fprintf(&text, "hit %-5d %s leaves; %s\n", hit, strings.Join(said, " "), leftText(m.Left))
	})
	if n := len(left); n > 0 {
		fmt.Fprintf(&text, "no hit    %s\n", strings.Join(rules.said(left, rules.period(n)), " "))
	}
	reformed := rules.Reform(deck)
	result := fmt.Sprintf("loses: %d of %d cards are hit", len(order), len(deck))
	switch {
	case reformed.Forever:
		result = fmt.Sprintf("wins, and reforms for ever: %s, then one of them again", plural.Of(reformed.Times, "deck"))
		if reformed.Times == 1 {
			result = "wins, and reforms for ever into itself"
		}
	case len(left) == 0:
		result = fmt.Sprintf("wins, and is %d-reformed", reformed.Times)
	}
	fmt.Fprintf(&text, "order     %s\nresult    %s\n", FormatDeck(order), result)

	a := &puzzle.Answer{Text: text.String()}
	a.Summary.Problem = understood(FormatDeck(deck)+", "+plural.Of(len(deck), "card"), rules.variant())
	a.Summary.Facts = append(a.Summary.Facts, numbers("deck", deck, "the deck, first card first"))
	a.Summary.AddText("variant", rules.variant(), "plain or modular")
	a.Summary.AddNumber("hits", uint64(len(order)), "number of hits")
	a.Summary.Facts = append(a.Summary.Facts, numbers("order", order, "the cards removed, in that order"),
		numbers("left", left, "the cards that stay, from the one at which counting last began"))
	if reformed.Forever {
		a.Summary.AddText("reformed", "forever", "how often the deck can be reformed")
	} else {
		a.Summary.AddNumber("reformed", uint64(reformed.Times), "how often the deck can be reformed; 0 when it loses")
	}
	a.Summary.Tables = append(a.Summary.Tables, turns)
	return a, nil
}

// said writes number:card for the first counts in a circle of cards, with the middle left out when there are many.
func (r Rules) said(circle []int, counts int) []string {
	var list []string
	for i := 0; i < counts; i++ {
		if counts > mostCounts && i == mostCounts/2 {
			list = append(list, "...")
			i = counts - mostCounts/2
		}
		list = append(list, fmt.Sprintf("%d:%d", i%r.Cards+1, circle[i%len(circle)]))
	}
	return list
}

func leftText(left []int) string {
	switch len(left) {
	case 0:
		return "no card is left"
	case 1:
		return fmt.Sprintf("%d is left", left[0])
	default:
		return FormatDeck(left) + " are left"
	}
}

func number(n int) puzzle.Value { return puzzle.Value{N: uint128.From(uint64(n))} }

// numbers is a fact that is an array of small numbers.
func numbers(name string, list []int, doc string) puzzle.Fact {
	f := puzzle.Fact{Column: puzzle.Column{Name: name, Kind: puzzle.Number, Doc: doc}, List: []puzzle.Value{}}
	for _, n := range list {
		f.List = append(f.List, number(n))
	}
	return f
}
