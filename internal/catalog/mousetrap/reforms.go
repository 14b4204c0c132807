package mousetrap

import (
	"fmt"
	"slices"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// reforms counts winning decks by how often they can be reformed, with the first deck of each kind.
type reforms struct {
	times   map[int]*kind
	forever kind
}

// A kind is a number of decks, and the first of them in lexicographic order.
type kind struct {
	decks uint64
	first [MostCards]uint8
}

func (k *kind) add(deck []uint8) {
	if k.decks++; k.decks == 1 || slices.Compare(deck, k.first[:len(deck)]) < 0 {
		copy(k.first[:], deck)
	}
}

// of returns the decks that are k-reformed.
func (r *reforms) of(times int) *kind {
	if r.times == nil {
		r.times = map[int]*kind{}
	}
	k := r.times[times]
	if k == nil {
		k = new(kind)
		r.times[times] = k
	}
	return k
}

// mostOrders is how many orders of removal are followed before a deck is taken for one that may reform for ever.
const mostOrders = 8

// add adds a winning deck.
func (r *reforms) add(rules Rules, deck []uint8) {
	if n := len(deck); n <= mostPacked && !rules.Modular {
		p, won := pack(deck).order(n)
		for times := 1; won && times <= mostOrders; times++ {
			if p, won = p.order(n); !won {
				r.of(times).add(deck)
				return
			}
		}
	}
	if how := rules.Reform(wide(deck)); how.Forever {
		r.forever.add(deck)
	} else {
		r.of(how.Times).add(deck)
	}
}

// winning is the number of decks added.
func (r *reforms) winning() uint64 {
	n := r.forever.decks
	for _, k := range r.times {
		n += k.decks
	}
	return n
}

func wide(deck []uint8) []int {
	w := make([]int, len(deck))
	for i, v := range deck {
		w[i] = int(v)
	}
	return w
}

// Names of sums and maxima. A maximum names a deck by deckCode.
const (
	sumWinning  = "winning"
	sumAtLeast  = "at_least.%02d"
	sumHits     = "hits.%02d"
	sumReformed = "reformed."
	sumForever  = "forever"
)

// tally returns the counts of the window.
func (k *worker) tally(left int) (puzzle.Tally, error) {
	t := puzzle.Tally{}
	cut := k.p.Cards - left
	var err error
	sum := func(name string, v uint128.Uint128) {
		if err == nil {
			err = t.AddSum(name, v)
		}
	}
	first := func(name string, f *kind) {
		sum(name, uint128.From(f.decks))
		if err == nil && f.decks > 0 {
			err = t.AddMax(name, deckCode(f.first[:k.p.Cards]))
		}
	}
	switch {
	case left != k.p.Rest || k.sure:
		sum(fmt.Sprintf(sumAtLeast, cut), k.totals.atLeast)
	case k.p.Count == Hits:
		for hits := cut; hits <= k.p.Cards; hits++ {
			sum(fmt.Sprintf(sumHits, hits), k.totals.hits[hits])
		}
	case k.p.Count == Winning:
		sum(sumWinning, k.totals.winning)
	default:
		sum(sumWinning, uint128.From(k.totals.reforms.winning()))
		for times, f := range k.totals.reforms.times {
			if f.decks == 0 {
				continue
			}
			first(fmt.Sprint(sumReformed, times), f)
		}
		first(sumForever, &k.totals.reforms.forever)
	}
	return t, err
}

// deckCode is a number for a deck, five bits a card, larger for earlier decks in lexicographic order.
func deckCode(deck []uint8) uint128.Uint128 {
	var c uint128.Uint128
	for _, v := range deck {
		c.Hi = c.Hi<<5 | c.Lo>>59
		c.Lo = c.Lo<<5 | uint64(31-v)
	}
	return c
}

// deckOf is the deck of n cards with a code.
func deckOf(n int, c uint128.Uint128) []uint8 {
	deck := make([]uint8, n)
	for i := n - 1; i >= 0; i-- {
		deck[i] = 31 - uint8(c.Lo&31)
		c.Lo = c.Lo>>5 | c.Hi<<59
		c.Hi >>= 5
	}
	return deck
}
