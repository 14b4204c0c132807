package babylone

import (
	"fmt"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// counts[k] is a number of positions with k piles.
type counts []uint128.Uint128

// countApart counts the positions of a game with colours told apart: the coefficients of the product over the colours
// of the series of the partitions that the colour has bricks for, by size and piles (see the package comment).
func countApart(bricks []int) (counts, error) { return product(bricks, sum(bricks)) }

// product is the same for positions of n bricks. The colours may have more.
func product(bricks []int, n int) (counts, error) {
	product := [][]uint128.Uint128{0: {0: uint128.From(1)}} // by size, then by piles
	for len(product) <= n {
		product = append(product, nil)
	}
	for s := range product {
		product[s] = append(product[s], make([]uint128.Uint128, n+1-len(product[s]))...)
	}
	for _, b := range bricks {
		series := partitionSeries(b, n)
		next := make([][]uint128.Uint128, n+1)
		for s := range next {
			next[s] = make([]uint128.Uint128, n+1)
		}
		for s := range product {
			for k, ways := range product[s] {
				if ways.IsZero() {
					continue
				}
				for t := 0; s+t <= n; t++ {
					for l := 0; l <= t && k+l <= n; l++ {
						more, ok1 := ways.Mul64(series[t][l])
						all, ok2 := next[s+t][k+l].Add(more)
						if !ok1 || !ok2 {
							return nil, fmt.Errorf("%w of this size: positions of bricks %s: %w",
								ErrGame, writeBricks(bricks), puzzle.ErrOverflow)
						}
						next[s+t][k+l] = all
					}
				}
			}
		}
		product = next
	}
	return product[n], nil
}

// partitionSeries is the number of partitions of weight at most b, by size up to n and number of piles.
func partitionSeries(b, n int) [][]uint64 {
	by := make([][][]uint64, b+1) // by weight, size, piles
	for w := range by {
		by[w] = make([][]uint64, n+1)
		for s := range by[w] {
			by[w][s] = make([]uint64, n+1)
		}
	}
	by[0][0][0] = 1
	for h := 1; h <= n; h++ {
		for w := weight(h); w <= b; w++ { // ascending: a pile of height h any number of times
			for s := h; s <= n; s++ {
				for k := 1; k <= n; k++ {
					by[w][s][k] += by[w-weight(h)][s-h][k-1]
				}
			}
		}
	}
	for w := 1; w <= b; w++ {
		for s := range by[0] {
			for k := range by[0][s] {
				by[0][s][k] += by[w][s][k]
			}
		}
	}
	return by[0]
}
