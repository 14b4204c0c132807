package mousetrap

import "slices"

// Rules are those of a game with cards 1..Cards.
type Rules struct {
	Cards   int
	Modular bool
}

// period is the number of counts after which a game with left cards ends when none was a hit.
func (r Rules) period(left int) int {
	if !r.Modular {
		return r.Cards
	}
	return r.Cards / gcd(r.Cards, left) * left
}

// surelyWon is a number of cards, at least 1, from which on a modular game is won when no more are left. In a period of
// left cards every number falls on every card, and so the next card is hit, when left and the number of cards have no
// common factor; and so on as long as that holds for every smaller number. It is one less than the smallest prime
// factor of the number of cards: with a prime number of cards, a game with one hit is won.
func (r Rules) surelyWon() int {
	left := 1
	for left+1 < r.Cards && gcd(left+1, r.Cards) == 1 {
		left++
	}
	return left
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// A Removal is one hit of a game.
type Removal struct {
	Card   int
	Counts int   // numbers said, the hit included
	Left   []int // the cards left, from the next one on; not to be changed
}

// Play plays a deck, which is a permutation of 1..r.Cards or of a subset of it, and calls each, unless it is nil, for
// every removal. It returns the order of removal, and the cards that stay, from the one at which counting last began.
func (r Rules) Play(deck []int, each func(Removal)) (order, left []int) {
	left = slices.Clone(deck)
	for len(left) > 0 {
		at, counts := nextHit(r, left)
		if at < 0 {
			break
		}
		card := left[at]
		order = append(order, card)
		left = takeOut(make([]int, 0, len(left)-1), left, at)
		if each != nil {
			each(Removal{Card: card, Counts: counts, Left: left})
		}
	}
	return order, left
}

// removals is Play for the inner loops: it writes the order of removal to order, which is as long as the deck, and
// returns the number of hits.
func (r Rules) removals(order, deck []uint8) int {
	var buffers [2][MostCards]uint8
	left, other := append(buffers[0][:0], deck...), buffers[1][:0]
	for len(left) > 0 {
		at, _ := nextHit(r, left)
		if at < 0 {
			break
		}
		order[len(deck)-len(left)] = left[at]
		left, other = takeOut(other[:0], left, at), left
	}
	return len(deck) - len(left)
}

// nextHit returns the place of the next hit, -1 when there is none, and how many numbers are said up to it.
func nextHit[T int | uint8](r Rules, left []T) (at, counts int) {
	at, number := 0, T(1)
	for said := 1; said <= r.period(len(left)); said++ {
		if left[at] == number {
			return at, said
		}
		if at++; at == len(left) {
			at = 0
		}
		if number++; int(number) > r.Cards {
			number = 1
		}
	}
	return -1, 0
}

// takeOut appends to dst the cards but the one at the given place, from the next one on.
func takeOut[T int | uint8](dst, left []T, at int) []T {
	return append(append(dst, left[at+1:]...), left[:at]...)
}

// A Reformed says how often a deck can be reformed.
type Reformed struct {
	// Times is k when the deck is k-reformed: 0 when it does not win, 1 when it wins and the order of removal does not,
	// and so on. For decks that reform for ever it is the number of decks met before one comes again.
	Times   int
	Forever bool
}

// Reform plays a deck, then the order of removal as a deck, and so on as long as all cards are removed.
func (r Rules) Reform(deck []int) Reformed {
	// Brent's method: deck is compared with one that lies a power of two back, so that a cycle is found wherever it
	// begins.
	first := deck
	marked, steps, power := deck, 0, 1
	for times := 0; ; {
		order, left := r.Play(deck, nil)
		if len(left) > 0 {
			return Reformed{Times: times}
		}
		times++
		deck = order
		if slices.Equal(deck, marked) {
			return Reformed{Times: r.distinct(first), Forever: true}
		}
		if steps++; steps == power {
			marked, steps, power = deck, 0, 2*power
		}
	}
}

// distinct counts the decks from the given one on before one comes again; there is no end.
func (r Rules) distinct(deck []int) int {
	seen := map[string]bool{}
	for !seen[FormatDeck(deck)] {
		seen[FormatDeck(deck)] = true
		deck, _ = r.Play(deck, nil)
	}
	return len(seen)
}
