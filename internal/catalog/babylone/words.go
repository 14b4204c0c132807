package babylone

import (
	"cmp"
	"slices"
	"strings"

	"pagoda/internal/puzzle/figure"
)

// Words are a position with its piles as words, sorted: the letter of the top colour first, below it those of the other
// bricks, or a dot for each brick that is not told apart.
type words []string

const anyBrick = "."

// wordsOf are the words of a position whose inner bricks are not told apart.
func wordsOf(p Position) words {
	w := make(words, len(p))
	for i, pile := range p {
		w[i] = string(pile.Colour) + strings.Repeat(anyBrick, pile.Height-1)
	}
	return w
}

// visible is the position that the words show.
func (w words) visible() Position {
	p := make(Position, len(w))
	for i, pile := range w {
		p[i] = Pile{pile[0], len(pile)}
	}
	p.sort()
	return p
}

// after lists the positions after one move with inner bricks told apart, each once.
func (w words) after() (list []words) {
	for i, upper := range w {
		for j, lower := range w {
			if i == j || len(upper) != len(lower) && upper[0] != lower[0] {
				continue
			}
			next := make(words, 0, len(w)-1)
			for k, pile := range w {
				if k != i && k != j {
					next = append(next, pile)
				}
			}
			next = append(next, upper+lower)
			slices.Sort(next)
			list = append(list, next)
		}
	}
	slices.SortFunc(list, slices.Compare[words])
	return slices.CompactFunc(list, slices.Equal[words])
}

// renamed is the first of the images of a position under all permutations of its colours: the same for all positions
// that are the same up to colours. Inner bricks are told apart.
func (w words) renamed() words {
	var colours []byte
	for _, pile := range w {
		for i := range len(pile) {
			if !slices.Contains(colours, pile[i]) {
				colours = append(colours, pile[i])
			}
		}
	}
	var first words
	eachPermutation(len(colours), func(order []int) {
		var to [256]byte
		for k, c := range colours {
			to[c] = letters[order[k]]
		}
		image := make(words, len(w))
		for i, pile := range w {
			b := []byte(pile)
			for k, c := range b {
				b[k] = to[c]
			}
			image[i] = string(b)
		}
		slices.Sort(image)
		if first == nil || slices.Compare(image, first) < 0 {
			first = image
		}
	})
	return first
}

// eachPermutation passes every order of the numbers below n to fn, which does not keep it.
func eachPermutation(n int, fn func(order []int)) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	var from func(k int)
	from = func(k int) {
		if k == n {
			fn(order)
			return
		}
		for i := k; i < n; i++ {
			order[k], order[i] = order[i], order[k]
			from(k + 1)
			order[k], order[i] = order[i], order[k]
		}
	}
	from(0)
}

// piles draws the words as bricks. Bricks that are not told apart are grey, and a colour without a hue has its letter.
func (w words) piles() [][]figure.Brick {
	piles := make([][]figure.Brick, len(w))
	for i, pile := range w {
		for k := range len(pile) {
			b := figure.Brick{Fill: cmp.Or(hues[pile[k]], figure.White)}
			switch {
			case pile[k:k+1] == anyBrick:
				b.Fill = figure.Faint
			case hues[pile[k]] == figure.None:
				b.Label = pile[k : k+1]
			}
			piles[i] = append(piles[i], b)
		}
	}
	return piles
}
