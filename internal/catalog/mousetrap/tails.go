package mousetrap

// Tails are the orders in which a rest of cards is removed, as the ends of decks. The order of removal of a deck begins
// with the cards removed before, its head. Most of them do not win, and many lose before any card of the tail is hit:
// these are found for all tails at once.
type tails struct {
	cards, left int
	orders      []packed // by arrangement, behind a head
	words       int
	// hits[number*words:] has the arrangements with a hit when that number is said on the first card of the tail.
	hits    []uint64
	numbers []int // said on the first card, one time round after the other, as long as no card of the tail is hit
}

func newTails(n int, rest *arrangements) tails {
	left := len(rest.cards)
	t := tails{cards: n, left: left, words: rest.words, hits: make([]uint64, (n+1)*rest.words)}
	for i := 0; i < len(rest.orders); i += left {
		order := rest.orders[i : i+left]
		t.orders = append(t.orders, pack(order)<<(4*(n-left)))
		for at, card := range order {
			if number := int(card) - at; number > 0 {
				arrangement := i / left
				t.hits[number*t.words+arrangement/64] |= 1 << (arrangement % 64)
			}
		}
	}
	return t
}

// enter plays the head of an order of removal, which is given backwards, as long as no card of the tail is hit.
func (t *tails) enter(back []uint8) {
	var head [MostCards]uint8
	size := len(back)
	for i, card := range back {
		head[size-1-i] = card
	}
	t.numbers = t.numbers[:0]
	for number := 1; number <= t.cards; number += t.left {
		stay := 0
		for _, card := range head[:size] {
			if int(card) == number {
				number = 1
				continue
			}
			number++
			head[stay] = card
			stay++
		}
		size = stay
		if number <= t.cards {
			t.numbers = append(t.numbers, number)
		}
	}
}

// hit has the arrangements of a word whose order, as the tail, has a hit after the head that was entered.
func (t *tails) hit(w int) (some uint64) {
	for _, number := range t.numbers {
		some |= t.hits[number*t.words+w]
	}
	return some
}
