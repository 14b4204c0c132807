package mousetrap

import (
	"context"
	"fmt"
	"math/bits"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// A worker computes windows, one at a time.
type worker struct {
	p      Params
	sure   bool
	outer  search
	inner  search // lists the arrangements that win
	rest   arrangements
	perm   permanents
	totals totals
}

func newWorker(p Params, sure bool) *worker {
	return &worker{p: p, sure: sure, outer: search{rules: p.Rules}, inner: search{rules: p.Rules}}
}

// totals are the counts of a window.
type totals struct {
	winning uint128.Uint128
	atLeast uint128.Uint128   // decks with as many hits as those after which games are cut, or more
	hits    []uint128.Uint128 // decks with k hits
	reforms reforms
}

// Compute implements puzzle.Puzzle. It reads no parents and writes no rows.
func (s *Survey) Compute(ctx context.Context, w puzzle.Window, _ puzzle.Source, _ puzzle.Sink) (puzzle.Tally, error) {
	left, err := s.cellRest(w)
	if err != nil {
		return puzzle.Tally{}, err
	}
	k := s.workers.Get().(*worker)
	defer s.workers.Put(k)
	k.totals = totals{hits: make([]uint128.Uint128, s.p.Cards+1)}
	for a := w.First; a < w.First+w.Addresses; a++ {
		if err := puzzle.Progress(ctx); err != nil {
			return puzzle.Tally{}, err
		}
		if err := k.address(ctx, left, a); err != nil {
			return puzzle.Tally{}, err
		}
	}
	return k.tally(left)
}

// cellRest returns the number of cards that are left when games are cut, in the cell of a window.
func (s *Survey) cellRest(w puzzle.Window) (int, error) {
	for _, left := range s.rests() {
		all := binomial(s.p.Cards, left)
		if w.Cell == cellOf(s.p.Cards-left) && w.Addresses > 0 && w.First < all && w.Addresses <= all-w.First {
			return left, nil
		}
	}
	return 0, fmt.Errorf("window %v of sets %d+%d does not belong to the survey of %d cards",
		w, w.First, w.Addresses, s.p.Cards)
}

// address counts the decks whose games, when cut, have left a certain set of cards.
func (k *worker) address(ctx context.Context, left int, address uint64) error {
	cards := scattered(k.p.Cards, left, address)
	before := uint32(1)<<k.p.Cards - 1 - cards
	switch {
	case left != k.p.Rest || k.sure:
		return k.cut(ctx, cards, before)
	case k.p.Count == Hits:
		return k.row(ctx, cards, before)
	case k.p.Count == Winning:
		return k.winning(ctx, cards, before)
	default:
		return k.reformed(ctx, cards, before, func(deck []uint8) error {
			k.totals.reforms.add(k.p.Rules, deck)
			return nil
		})
	}
}

// winning counts decks that win.
func (k *worker) winning(ctx context.Context, cards, before uint32) error {
	if err := k.rest.set(ctx, k.p.Rules, cards, &k.inner); err != nil || len(k.rest.found) == 0 {
		return err
	}
	k.outer.visit, k.outer.count = nil, 0
	err := k.outer.run(ctx, &k.rest, before)
	k.totals.winning = plus(k.totals.winning, uint128.From(k.outer.count))
	return err
}

// row counts decks by hits, all cards of the rest left included.
func (k *worker) row(ctx context.Context, cards, before uint32) error {
	if err := k.rest.set(ctx, k.p.Rules, cards, nil); err != nil {
		return err
	}
	var counts [MostCards + 1]uint64
	k.outer.visit = func(f *frame, _ []uint8) error {
		k.rest.addByHits(counts[:], f.alive)
		return nil
	}
	err := k.outer.run(ctx, &k.rest, before)
	first := bits.OnesCount32(before)
	for i := range k.rest.ends {
		k.totals.hits[first+i] = plus(k.totals.hits[first+i], uint128.From(counts[i]))
	}
	return err
}

// cut counts decks that have at least as many hits as games are cut after.
func (k *worker) cut(ctx context.Context, cards, before uint32) error {
	k.rest.hold(cards)
	k.outer.visit = func(f *frame, _ []uint8) error {
		k.totals.atLeast = plus(k.totals.atLeast, uint128.From(k.perm.of(f.forbidden[:len(k.rest.cards)])))
		return nil
	}
	return k.outer.run(ctx, &k.rest, before)
}

// reformed counts the winning decks that can be reformed once, as nearly all, and passes the others to again. That does
// not keep them.
func (k *worker) reformed(ctx context.Context, cards, before uint32, again func(deck []uint8) error) error {
	if k.p.Modular || k.p.Cards > mostPacked {
		var removed [MostCards]uint8
		return k.decks(ctx, cards, before, func(deck, order []uint8) error {
			if k.p.removals(removed[:], order) == len(order) {
				return again(deck)
			}
			k.totals.reforms.of(1).add(deck)
			return nil
		})
	}
	n := k.p.Cards
	var deck [MostCards]uint8
	var t tails
	return k.branches(ctx, cards, before, func(f *frame, back []uint8) error {
		if t.orders == nil {
			t = newTails(n, &k.rest)
		}
		var head packed
		for _, card := range back {
			head = head<<4 | packed(card-1)
		}
		once := k.totals.reforms.of(1)
		t.enter(back)
		for w, word := range f.alive {
			if word == 0 {
				continue
			}
			look := word & (t.hit(w) | k.early(f, w, &once.first, once.decks))
			once.decks += uint64(bits.OnesCount64(word &^ look))
			for ; look != 0; look &= look - 1 {
				i := 64*w + bits.TrailingZeros64(look)
				switch {
				case (head | t.orders[i]).wins(n):
					k.fill(deck[:n], f, i)
					if err := again(deck[:n]); err != nil {
						return err
					}
				case once.decks > 0 && k.card(f, i, 0) > once.first[0]:
					once.decks++ // it is not the first
				default:
					k.fill(deck[:n], f, i)
					once.add(deck[:n])
				}
			}
		}
		return nil
	})
}

// early has the arrangements of a word with which a deck at the end of a branch may come before the first of so many,
// in lexicographic order: the card in front decides it, nearly always.
func (k *worker) early(f *frame, w int, first *[MostCards]uint8, decks uint64) uint64 {
	switch code := f.circle[0]; {
	case decks == 0 || code < known && first[0] > 1 || code >= known && code-known <= first[0]:
		return ^uint64(0)
	case code < known && k.rest.cards[0] == 1:
		return ^k.rest.without[k.rest.cell(int(code), 0)+w]
	}
	return 0
}

// decks passes every winning deck and its order of removal to each, which does not keep them.
func (k *worker) decks(ctx context.Context, cards, before uint32, each func(deck, order []uint8) error) error {
	n, left := k.p.Cards, bits.OnesCount32(cards)
	var deck, order [MostCards]uint8
	return k.branches(ctx, cards, before, func(f *frame, back []uint8) error {
		for i, card := range back {
			order[len(back)-1-i] = card
		}
		for w, word := range f.alive {
			for ; word != 0; word &= word - 1 {
				i := 64*w + bits.TrailingZeros64(word)
				copy(order[n-left:], k.rest.orders[i*left:][:left])
				k.fill(deck[:n], f, i)
				if err := each(deck[:n], order[:n]); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// branches passes the end of every branch of the search to visit, with the winning arrangements of the rest.
func (k *worker) branches(ctx context.Context, cards, before uint32, visit func(f *frame, back []uint8) error) error {
	if err := k.rest.set(ctx, k.p.Rules, cards, &k.inner); err != nil || len(k.rest.found) == 0 {
		return err
	}
	k.outer.visit = visit
	return k.outer.run(ctx, &k.rest, before)
}

// fill writes the deck of arrangement i at the end of a branch.
func (k *worker) fill(deck []uint8, f *frame, i int) {
	for place := range deck {
		deck[place] = k.card(f, i, place)
	}
}

// card is the one at a place of the deck of arrangement i at the end of a branch.
func (k *worker) card(f *frame, i, place int) uint8 {
	code := f.circle[place]
	if code >= known {
		return code - known
	}
	return k.rest.decks[i*len(k.rest.cards)+int(code)]
}

// plus adds counts of decks, of which there are less than 2^128.
func plus(a, b uint128.Uint128) uint128.Uint128 {
	sum, _ := a.Add(b)
	return sum
}
