package mousetrap

import (
	"context"
	"math/bits"
	"slices"
)

// arrangements lists orders in which a rest of cards can lie, from the card at which counting goes on. Each is a bit of
// words; those with the same number of hits stand together, in words of their own.
type arrangements struct {
	cards  []uint8 // of the rest, ascending
	decks  []uint8 // bit i: its arrangement is decks[i*len(cards):(i+1)*len(cards)]
	orders []uint8 // and the order of removal, as far as cards are removed
	words  int     // of a set of arrangements, a multiple of vectorWords; 0 when none are listed
	all    []uint64
	// without[cell(place, j):] has the words of the arrangements that do not have card j at a place.
	without []uint64
	// ends[k] is the word behind the arrangements with at most k hits.
	ends  []int
	found []listed
}

// listed is an arrangement found before the number of hits of all of them is known.
type listed struct {
	hits  int
	index int
}

// vectorWords is the number of words in which sets are taken at a time.
const vectorWords = 8

// set lists the arrangements of the cards in a set (bit v-1 for card v): winning ones when s is given, a search with
// the same rules, and all of them otherwise.
func (a *arrangements) set(ctx context.Context, r Rules, cards uint32, s *search) error {
	a.hold(cards)
	a.decks, a.orders, a.found = a.decks[:0], a.orders[:0], a.found[:0]
	if s == nil {
		a.permute(r, slices.Clone(a.cards), 0)
	} else if err := a.winning(ctx, cards, s); err != nil {
		return err
	}
	a.pack()
	return nil
}

// hold makes a the rest of the cards in a set, without a list of arrangements.
func (a *arrangements) hold(cards uint32) {
	a.words, a.all, a.cards = 0, a.all[:0], a.cards[:0]
	for ; cards != 0; cards &= cards - 1 {
		a.cards = append(a.cards, uint8(bits.TrailingZeros32(cards)+1))
	}
}

// winning lists the arrangements that win: the same search with all cards to be put back.
func (a *arrangements) winning(ctx context.Context, cards uint32, s *search) error {
	s.visit = func(f *frame, order []uint8) error {
		for _, code := range f.circle[:f.size] {
			a.decks = append(a.decks, code-known)
		}
		for i := len(order) - 1; i >= 0; i-- {
			a.orders = append(a.orders, order[i])
		}
		a.found = append(a.found, listed{len(a.cards), len(a.found)})
		return nil
	}
	return s.run(ctx, new(arrangements), cards)
}

// permute lists the arrangements that begin with deck[:fixed].
func (a *arrangements) permute(r Rules, deck []uint8, fixed int) {
	if fixed == len(deck) {
		at := len(a.orders)
		a.decks = append(a.decks, deck...)
		a.orders = append(a.orders, deck...) // as long as the deck
		a.found = append(a.found, listed{r.removals(a.orders[at:], deck), len(a.found)})
		return
	}
	for i := fixed; i < len(deck); i++ {
		deck[fixed], deck[i] = deck[i], deck[fixed]
		a.permute(r, deck, fixed+1)
		deck[fixed], deck[i] = deck[i], deck[fixed]
	}
}

// pack gives every arrangement found a bit, those with fewer hits first, and fills the sets.
func (a *arrangements) pack() {
	n := len(a.cards)
	counts := make([]int, n+1)
	for _, f := range a.found {
		counts[f.hits]++
	}
	a.ends = a.ends[:0]
	next := make([]int, n+1) // bit of the next arrangement with so many hits
	words := 0
	for k, c := range counts {
		next[k] = 64 * words
		words += (c + 63) / 64
		a.ends = append(a.ends, words)
	}
	a.words = (words + vectorWords - 1) / vectorWords * vectorWords
	a.all = resize(a.all, a.words)
	clear(a.all)
	a.without = resize(a.without, n*n*a.words)
	clear(a.without)
	var rank [codes]int
	for j, v := range a.cards {
		rank[v] = j
	}
	decks, orders := make([]uint8, 64*words*n), make([]uint8, 64*words*n)
	for _, f := range a.found {
		b := next[f.hits]
		next[f.hits]++
		deck := a.decks[f.index*n:][:n]
		copy(decks[b*n:], deck)
		copy(orders[b*n:], a.orders[f.index*n:][:n])
		word, bit := b/64, uint64(1)<<(b%64)
		a.all[word] |= bit
		for place, v := range deck {
			a.without[a.cell(place, rank[v])+word] |= bit
		}
	}
	a.decks, a.orders = decks, orders
	for i := 0; i < len(a.without); i += a.words {
		for w, all := range a.all {
			a.without[i+w] = all &^ a.without[i+w]
		}
	}
}

// cell is the first word in without of card j at a place.
func (a *arrangements) cell(place, j int) int { return (place*len(a.cards) + j) * a.words }

// avoid sets dst to the arrangements of src that have none of the cells, and reports whether there are any. Where none
// are listed, it cannot say, and reports true.
func (a *arrangements) avoid(dst, src []uint64, cells []int32) bool {
	return a.words == 0 || intersect(dst, src, a.without, cells)
}

// countAvoiding counts the arrangements of src that have none of the cells.
func (a *arrangements) countAvoiding(src []uint64, cells []int32) uint64 {
	if a.words == 0 {
		return 0
	}
	return countIntersection(src, a.without, cells)
}

// addByHits adds to counts[k] the arrangements of src with k hits.
func (a *arrangements) addByHits(counts []uint64, src []uint64) {
	first := 0
	for k, end := range a.ends {
		n := 0
		for _, w := range src[first:end] {
			n += bits.OnesCount64(w)
		}
		counts[k] += uint64(n)
		first = end
	}
}

func resize(s []uint64, n int) []uint64 {
	return slices.Grow(s[:0], n)[:n]
}
