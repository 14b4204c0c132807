package mousetrap

import (
	"context"
	"math/bits"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/setting"
)

// InOrder returns the deck of n cards that leave in the order 1, 2, ..., n. There is exactly one: card 1 lies first,
// and each other one where its number is said when it is its turn, counting places that are still free. No card leaves
// too early, because the numbers said before are those of cards that have left already.
//
// It takes O(n log n) steps.
func InOrder(n int) []int {
	deck := make([]int, n)
	free := newFree(n)
	at := 0 // among the free places
	for card := 1; card <= n; card++ {
		at = (at + card - 1) % (n - card + 1)
		deck[free.take(at)] = card
	}
	return deck
}

// A freeList is the set of free places, a Fenwick tree of their numbers: tree[i] counts those of the places i-lowbit(i)
// to i-1.
type freeList struct {
	tree []int
	top  int // the largest power of two that is at most the number of places
}

func newFree(n int) *freeList {
	f := &freeList{tree: make([]int, n+1)}
	for i := 1; i <= n; i++ {
		f.tree[i] = i & -i
	}
	if n > 0 {
		f.top = 1 << (bits.Len(uint(n)) - 1)
	}
	return f
}

// take removes the i-th free place, counted from 0, and returns it.
func (f *freeList) take(i int) int {
	place, left := 0, i+1
	for step := f.top; step > 0; step >>= 1 {
		if next := place + step; next < len(f.tree) && f.tree[next] < left {
			place, left = next, left-f.tree[next]
		}
	}
	for j := place + 1; j < len(f.tree); j += j & -j {
		f.tree[j]--
	}
	return place
}

// mostInOrder bounds the decks of the question.
const mostInOrder = 1_000_000

var inOrderQuestion = puzzle.Question{
	Name:     "inorder",
	Short:    "make the deck whose cards leave in the order 1, 2, 3, ...",
	Long:     "Finds the one deck of N cards that leave in the order 1, 2, ..., N in the plain game, N up to 1000000.\n",
	Examples: []string{"8", "10000 --output json"},
	Args:     []puzzle.Argument{{Name: "N", Doc: "number of cards."}},
	Answer:   answerInOrder,
}

func answerInOrder(_ context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	n, err := setting.IntegerArgument("N", r.Args[0], 1, mostInOrder, "")
	if err != nil {
		return nil, err
	}
	deck := InOrder(int(n))
	a := &puzzle.Answer{Text: FormatDeck(deck) + "\n"}
	a.Summary.AddNumber("cards", n, "number of cards")
	a.Summary.Facts = append(a.Summary.Facts, numbers("deck", deck, "the deck, first card first"))
	return a, nil
}
