package babylone

import (
	"context"
	"fmt"
	"maps"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// With inner colours a pile is a word of colours from top to bottom, and a position a multiset of words. One brick can
// be built. An upper and a lower word that can be built make another one when they are equally long or begin with the
// same colour. As piles do not meddle with each other, the positions of a game are the multisets of such words that use
// its bricks up.

// mostWords bounds the words, buildable or not, of a game whose positions are counted with inner colours.
const mostWords = 1 << 18

// smallInside says whether at most mostWords words have at most these bricks.
func smallInside(bricks []int) bool {
	ways := []uint64{1} // words of the colours so far, by length
	for _, b := range bricks {
		next, total := make([]uint64, len(ways)+b), uint64(0)
		for length, n := range ways {
			for j := range b + 1 { // j more letters go to any places
				places := min(multisets(uint64(length)+1, j), mostWords+1)
				next[length+j] += n * places
				total += n * places
				if total > mostWords {
					return false
				}
			}
		}
		ways = next
	}
	return true
}

// A wordClass is words of one content, length and first colour. A content is the numbers of bricks of each colour, as a
// number in mixed radix.
type wordClass struct{ content, length, top int }

// A bag is the bricks of a game as contents.
type bag struct{ bricks, unit []int }

func newBag(bricks []int) *bag {
	g := &bag{bricks: bricks}
	unit := 1
	for _, b := range bricks {
		g.unit = append(g.unit, unit)
		unit *= b + 1
	}
	return g
}

// full is the content of all bricks.
func (g *bag) full() (n int) {
	for c, b := range g.bricks {
		n += b * g.unit[c]
	}
	return n
}

// fits says whether the bag has both contents together.
func (g *bag) fits(a, b int) bool {
	for c, n := range g.bricks {
		if a/g.unit[c]%(n+1)+b/g.unit[c]%(n+1) > n {
			return false
		}
	}
	return true
}

// words counts the words that can be built, by class.
func (g *bag) words(ctx context.Context) (map[wordClass]uint64, error) {
	type item struct {
		word    string
		content int
	}
	built := map[string]bool{}
	list := map[wordClass]uint64{}
	front := []item{{}}
	for length := 1; len(front) > 0; length++ {
		var longer []item
		for _, f := range front {
			if err := puzzle.Progress(ctx); err != nil {
				return nil, err
			}
			for c := range g.bricks {
				if !g.fits(f.content, g.unit[c]) {
					continue
				}
				w := item{f.word + string([]byte{byte(c)}), f.content + g.unit[c]}
				longer = append(longer, w)
				ok := length == 1
				for i := 1; i < length && !ok; i++ {
					ok = (w.word[i] == w.word[0] || 2*i == length) && built[w.word[:i]] && built[w.word[i:]]
				}
				if ok {
					built[w.word] = true
					list[wordClass{w.content, length, int(w.word[0])}]++
				}
			}
		}
		front = longer
	}
	return list, nil
}

// A pileContent is a number of piles with a content together.
type pileContent struct{ piles, content int }

// inside counts the positions of a game with inner colours, and those without a move, by number of piles.
func inside(ctx context.Context, bricks []int) (positions, terminal counts, err error) {
	g := newBag(bricks)
	words, err := g.words(ctx)
	if err != nil {
		return nil, nil, err
	}
	if positions, err = g.multisets(words); err == nil {
		terminal, err = g.terminal(words)
	}
	return positions, terminal, err
}

// multisets counts multisets of words that use up the bag, by number of words.
func (g *bag) multisets(words map[wordClass]uint64) (counts, error) {
	byContent := map[int]uint64{}
	for c, n := range words {
		byContent[c.content] += n
	}
	ways := map[pileContent]uint128.Uint128{{}: uint128.From(1)}
	for content, n := range byContent {
		next := maps.Clone(ways)
		for at, w := range ways {
			to := at
			for j := 1; g.fits(to.content, content); j++ {
				to = pileContent{to.piles + 1, to.content + content}
				if err := addProduct(next, to, w, multisets(n, j)); err != nil {
					return nil, err
				}
			}
		}
		ways = next
	}
	result := make(counts, sum(g.bricks)+1)
	for at, w := range ways {
		if at.content == g.full() {
			result[at.piles] = w
		}
	}
	return result, nil
}

// terminal counts sets of words of different lengths and first colours that use up the bag, by number of words.
func (g *bag) terminal(words map[wordClass]uint64) (counts, error) {
	type state struct {
		pileContent
		tops int // a bit for each first colour in use
	}
	ways := map[state]uint128.Uint128{{}: uint128.From(1)}
	for length := 1; length <= sum(g.bricks); length++ {
		next := maps.Clone(ways)
		for c, n := range words {
			if c.length != length {
				continue
			}
			for at, w := range ways {
				if at.tops>>c.top&1 == 0 && g.fits(at.content, c.content) {
					to := state{pileContent{at.piles + 1, at.content + c.content}, at.tops | 1<<c.top}
					if err := addProduct(next, to, w, n); err != nil {
						return nil, err
					}
				}
			}
		}
		ways = next
	}
	result := make(counts, sum(g.bricks)+1)
	for at, w := range ways {
		if at.content == g.full() {
			result[at.piles], _ = result[at.piles].Add(w) // at most all positions
		}
	}
	return result, nil
}

func addProduct[K comparable](m map[K]uint128.Uint128, key K, a uint128.Uint128, b uint64) error {
	more, ok1 := a.Mul64(b)
	all, ok2 := m[key].Add(more)
	if !ok1 || !ok2 {
		return fmt.Errorf("positions with inner colours: %w", puzzle.ErrOverflow)
	}
	m[key] = all
	return nil
}

// insideTally is the tally of the cell that counts positions with inner colours.
func insideTally(ctx context.Context, bricks []int) (t puzzle.Tally, err error) {
	positions, terminal, err := inside(ctx, bricks)
	if err != nil {
		return t, err
	}
	for k := range positions {
		if err := t.AddSum(insideName(sumPositions, k), positions[k]); err != nil {
			return t, err
		}
		if err := t.AddSum(insideName(sumTerminal, k), terminal[k]); err != nil {
			return t, err
		}
	}
	return t, nil
}

func insideName(what string, piles int) string { return fmt.Sprintf("inside.%s.%02d", what, piles) }
