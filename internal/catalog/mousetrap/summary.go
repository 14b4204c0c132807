package mousetrap

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// Summarise implements puzzle.Puzzle. Before the survey is complete only the parameters are known. Rows of hits must
// add up, and begin with the number of derangements; the error says so when they do not.
func (s *Survey) Summarise(known puzzle.Results) (puzzle.Summary, error) {
	var sum puzzle.Summary
	sum.AddNumber("cards", uint64(s.p.Cards), "number of cards")
	sum.AddText("variant", s.p.variant(), "plain or modular")
	sum.AddText("count", string(s.p.Count), "what is counted: hits, winning or reformed")
	if known.Layers() == 0 {
		return sum, nil
	}
	t, ok := known.Layer(0)
	if !ok {
		return sum, nil
	}
	var err error
	switch s.p.Count {
	case Hits:
		err = s.showHits(&sum, &t)
	case Winning:
		addWinning(&sum, s.winning(&t))
	default:
		err = s.showReforms(&sum, &t)
	}
	return sum, err
}

// winning is the number of winning decks of a run that counts them, or decks by hits.
func (s *Survey) winning(t *puzzle.Tally) uint128.Uint128 {
	switch {
	case s.sure:
		return t.Sum(fmt.Sprintf(sumAtLeast, s.p.Cards-s.p.Rest))
	case s.p.Count == Hits:
		return t.Sum(fmt.Sprintf(sumHits, s.p.Cards))
	default:
		return t.Sum(sumWinning)
	}
}

func addWinning(sum *puzzle.Summary, n uint128.Uint128) {
	sum.AddCount("winning", n, "decks that lose all their cards")
}

// showHits shows the row of a complete survey.
func (s *Survey) showHits(sum *puzzle.Summary, t *puzzle.Tally) error {
	row, err := s.row(t)
	if err != nil {
		return fmt.Errorf("survey of %d cards: %w; verify the run", s.p.Cards, err)
	}
	sum.AddCounts("hits", row, "decks with 0, 1, 2, ... hits")
	addWinning(sum, row[s.p.Cards])
	sum.Tables = append(sum.Tables, hitsTable(row))
	return nil
}

// row returns the number of decks with k hits, for every k, from the sums.
func (s *Survey) row(t *puzzle.Tally) ([]uint128.Uint128, error) {
	n := s.p.Cards
	cut := n - s.p.Rest
	row := make([]uint128.Uint128, n+1)
	var more uint128.Uint128 // decks with more hits than k
	for k := n; k >= 0; k-- {
		atLeast := plus(more, t.Sum(fmt.Sprintf(sumHits, k)))
		switch {
		case k == 0:
			atLeast = factorial(n)
		case s.sure && k >= cut:
			atLeast = s.winning(t)
		case k < cut:
			atLeast = t.Sum(fmt.Sprintf(sumAtLeast, k))
		}
		var ok bool
		if row[k], ok = atLeast.Sub(more); !ok {
			return nil, fmt.Errorf("%v decks have at least %d hits and %v have more", atLeast, k, more)
		}
		more = atLeast
	}
	if d := derangements(n); row[0] != d {
		return nil, fmt.Errorf("%v decks have no hit and %v are derangements", row[0], d)
	}
	// When all cards but one are hit, the last one is alone in the circle and every number is said on it.
	if n > 1 && !s.p.Modular && !row[n-1].IsZero() {
		return nil, fmt.Errorf("%v decks have %d hits, and no deck can", row[n-1], n-1)
	}
	return row, nil
}

// factorial returns n!, for n at most 24.
func factorial(n int) uint128.Uint128 {
	f := uint128.From(1)
	for i := 2; i <= n; i++ {
		f, _ = f.Mul64(uint64(i))
	}
	return f
}

// derangements returns the number of permutations of n without a fixed point, for n at most 24: a deck has no hit when
// no card lies at the place of its number.
func derangements(n int) uint128.Uint128 {
	// D(i) = i D(i-1) + (-1)^i.
	d := uint128.From(1)
	for i := 1; i <= n; i++ {
		d, _ = d.Mul64(uint64(i))
		if i%2 == 0 {
			d = plus(d, uint128.From(1))
		} else {
			d, _ = d.Sub(uint128.From(1))
		}
	}
	return d
}

// hitsTable shows a row of hits with the shares of all decks.
func hitsTable(row []uint128.Uint128) puzzle.Table {
	t := puzzle.Table{Name: "shares", Columns: []puzzle.Column{
		{Name: "hits", Kind: puzzle.Number, Doc: "number of hits"},
		{Name: "decks", Kind: puzzle.Count, Total: "hits", Doc: "decks with so many hits"},
		{Name: "share", Kind: puzzle.Text, Doc: "their share of all decks, a fraction in lowest terms"},
		{Name: "decimal", Kind: puzzle.Text, Doc: "the share with six decimals, rounded down"},
		{Name: "share_double", Kind: puzzle.Double, Doc: "the double nearest to the share"},
	}}
	for k, n := range row {
		share := shareOf(n, len(row)-1)
		t.Rows = append(t.Rows, []puzzle.Value{
			{N: uint128.From(uint64(k))}, {N: n}, {S: share.String()}, {S: sixDecimals(share)},
			puzzle.Nearest(share),
		})
	}
	return t
}

// shareOf is a number of decks of so many cards over that of all of them.
func shareOf(decks uint128.Uint128, cards int) *big.Rat {
	return new(big.Rat).SetFrac(decks.Big(), factorial(cards).Big())
}

func sixDecimals(share *big.Rat) string {
	n := new(big.Int).Mul(share.Num(), big.NewInt(1_000_000))
	n.Quo(n, share.Denom())
	return fmt.Sprintf("%d.%06d", n.Int64()/1_000_000, n.Int64()%1_000_000)
}

// showReforms shows how often decks can be reformed.
func (s *Survey) showReforms(sum *puzzle.Summary, t *puzzle.Tally) error {
	addWinning(sum, t.Sum(sumWinning))
	decks := map[int]uint128.Uint128{}
	for _, v := range t.Sums {
		if text, ok := strings.CutPrefix(v.Name, sumReformed); ok {
			times, err := strconv.Atoi(text)
			if err != nil {
				return fmt.Errorf("tally has a sum named %q; verify the run", v.Name)
			}
			decks[times] = v.Value
		}
	}
	fact := puzzle.Fact{
		Column: puzzle.Column{Name: "reformed", Kind: puzzle.Count, Doc: "k: decks that are exactly k-reformed"},
		Map:    []puzzle.MapEntry{},
	}
	table := puzzle.Table{Name: "reforms", Columns: []puzzle.Column{
		{Name: "times", Kind: puzzle.Number, Doc: "k"},
		{Name: "decks", Kind: puzzle.Count, Total: "reformed", Doc: "decks that are exactly k-reformed"},
		{Name: "first", Kind: puzzle.Text, Doc: "the first of them in lexicographic order"},
	}}
	for _, times := range slices.Sorted(maps.Keys(decks)) {
		key := strconv.Itoa(times)
		fact.Map = append(fact.Map, puzzle.MapEntry{Key: key, Value: decks[times]})
		table.Rows = append(table.Rows, []puzzle.Value{
			{N: uint128.From(uint64(times))}, {N: decks[times]}, {S: s.firstDeck(t, sumReformed+key)},
		})
	}
	sum.Facts = append(sum.Facts, fact)
	forever := t.Sum(sumForever)
	sum.AddCount("forever", forever, "decks that can be reformed for ever")
	if n := len(table.Rows); n > 0 {
		sum.AddText("most_reformed", table.Rows[n-1][2].S, "the first deck that is reformed most often")
	}
	if !forever.IsZero() {
		sum.AddText("forever_deck", s.firstDeck(t, sumForever), "the first deck that can be reformed for ever")
	}
	sum.Tables = append(sum.Tables, table)
	return nil
}

func (s *Survey) firstDeck(t *puzzle.Tally, name string) string {
	return FormatDeck(deckOf(s.p.Cards, t.Max(name)))
}
