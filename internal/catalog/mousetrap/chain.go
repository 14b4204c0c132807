package mousetrap

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/setting"
)

var chainQuestion = puzzle.Question{
	Name:  "chain",
	Short: "play a deck, then the order of removal as a deck, and so on",
	Long: "Lists the decks that follow from one: each is the order in which the cards of the deck before are removed.\n" +
		"The list ends with a deck that does not win, or before a deck that was there already.\n",
	Examples: []string{"4 2 3 5 1"},
	Args:     deckArgs,
	Flags:    []setting.Setting{variantSetting},
	Outputs:  []puzzle.Output{puzzle.Pictures, puzzle.Tables},
	Answer:   answerChain,
}

func answerChain(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	deck, rules, err := askedDeck(r)
	if err != nil {
		return nil, err
	}
	a := &puzzle.Answer{}
	a.Summary.Problem = understood(FormatDeck(deck), rules.variant())
	table := puzzle.Table{Name: "chain", Columns: []puzzle.Column{
		{Name: "deck", Kind: puzzle.Text, Doc: "the cards, first card first"},
		{Name: "hits", Kind: puzzle.Number, Doc: "number of hits"},
		{Name: "order", Kind: puzzle.Text, Doc: "the order in which cards are removed: the next deck, when all are"},
	}}
	picture := figure.Figure{Name: "chain", Title: "Decks that follow from " + FormatDeck(deck), Board: &figure.Board{}}
	seen := map[string]int{}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		text := FormatDeck(deck)
		if at, ok := seen[text]; ok {
			a.Summary.AddNumber("returns_to", uint64(at+1), "row of the deck that comes again")
			break
		}
		seen[text] = len(table.Rows)
		order, left := rules.Play(deck, nil)
		cells := cardsOf(deck, order, len(deck))
		for i := range cells {
			cells[i].Row = float64(len(table.Rows))
		}
		picture.Board.Add(text,
			fmt.Sprintf("deck %d: %s, %s", len(table.Rows)+1, text, plural.Of(len(order), "hit")), cells...)
		table.Rows = append(table.Rows, []puzzle.Value{{S: text}, number(len(order)), {S: FormatDeck(order)}})
		if len(left) > 0 {
			break
		}
		deck = order
	}
	a.Figures = []figure.Figure{picture}
	a.Summary.AddNumber("decks", uint64(len(table.Rows)), "decks of the chain")
	a.Summary.Tables = []puzzle.Table{table}
	return a, nil
}

// cardsInRow is how many cards lie beside each other in the picture of a deck.
const cardsInRow = 10

// cardsOf draws the cards of a deck, so many in a row: those that are hit in green, and the number of the hit at the
// foot.
func cardsOf(deck, order []int, inRow int) (cells []figure.Cell) {
	for i, card := range deck {
		c := figure.Cell{Row: float64(i / inRow), Column: float64(i % inRow), Fill: figure.White, Label: strconv.Itoa(card),
			Detail: fmt.Sprintf("card %d in place %d, not hit", card, i+1)}
		if k := slices.Index(order, card); k >= 0 {
			c.Fill, c.Foot = figure.Good, strconv.Itoa(k+1)
			c.Detail = fmt.Sprintf("card %d in place %d, hit %d", card, i+1, k+1)
		}
		cells = append(cells, c)
	}
	return cells
}

var swapQuestion = puzzle.Question{
	Name:  "swap",
	Short: "list the swaps of two cards of a deck, and how many hits each makes",
	Long: "Says how many cards of a deck are hit, and for every two cards how many are hit after they have changed\n" +
		"places. The swap with the most hits comes first: so a deck is led to one that wins, swap by swap.\n",
	Examples: []string{"4 2 5 3 1"},
	Args:     deckArgs,
	Flags:    []setting.Setting{variantSetting},
	Outputs:  []puzzle.Output{puzzle.Pictures, puzzle.Tables},
	Answer:   answerSwap,
}

// mostSwapped bounds the cards of a deck whose swaps are all played.
const mostSwapped = 60

func answerSwap(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	deck, rules, err := askedDeck(r)
	if err != nil {
		return nil, err
	}
	if len(deck) > mostSwapped {
		return nil, &setting.Error{Setting: "CARD",
			Err: fmt.Errorf("%w: %d cards; the swaps of at most %d are played", ErrDeck, len(deck), mostSwapped)}
	}
	table := puzzle.Table{Name: "moves", Columns: []puzzle.Column{
		{Name: "move", Kind: puzzle.Text, Doc: "the cards that change places"},
		{Name: "position", Kind: puzzle.Text, Doc: "the deck after it"},
		{Name: "hits", Kind: puzzle.Number, Doc: "cards that are hit then"},
	}}
	for i := range deck {
		for j := range i {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			swapped := slices.Clone(deck)
			swapped[i], swapped[j] = swapped[j], swapped[i]
			order, _ := rules.Play(swapped, nil)
			table.Rows = append(table.Rows, []puzzle.Value{
				{S: FormatDeck([]int{deck[j], deck[i]})}, {S: FormatDeck(swapped)}, number(len(order))})
		}
	}
	slices.SortStableFunc(table.Rows, func(a, b []puzzle.Value) int { return b[2].N.Cmp(a[2].N) })
	order, left := rules.Play(deck, nil)
	moves := &puzzle.Moves{Over: len(left) == 0}
	for _, row := range table.Rows {
		moves.Presses = append(moves.Presses, strings.Fields(row[0].S))
		if !moves.Over && row[2].N == table.Rows[0][2].N {
			moves.Best++
		}
	}
	picture := figure.Figure{Name: "deck", Title: "Deck " + FormatDeck(deck), Board: &figure.Board{}}
	for _, c := range cardsOf(deck, order, cardsInRow) {
		picture.Board.Add(c.Label, c.Detail, c)
	}
	a := &puzzle.Answer{Moves: moves, Figures: []figure.Figure{picture}}
	a.Summary.Problem = understood(FormatDeck(deck), rules.variant())
	a.Summary.AddText("position", FormatDeck(deck), "the deck, first card first")
	a.Summary.AddText("order", FormatDeck(order), "the cards that are hit, in that order")
	a.Summary.AddNumber("hits", uint64(len(order)), "number of hits")
	a.Summary.Tables = []puzzle.Table{table}
	if len(left) == 0 {
		a.Summary.Notes = append(a.Summary.Notes, "the deck wins: every card is hit")
	}
	return a, nil
}
