package survey

import (
	"math/bits"

	"pagoda/internal/peg"
)

// binomials[n][k] is n choose k for n <= 64 and k <= 32, beyond which symmetry gives the rest.
var binomials = func() (b [65][33]uint64) {
	for n := range b {
		b[n][0] = 1
		for k := 1; k <= min(n, 32); k++ {
			if n > 0 {
				b[n][k] = b[n-1][k-1] + b[n-1][k]
			}
		}
	}
	return b
}()

// choose is n choose k, for n <= 64.
func choose(n, k int) uint64 {
	if k < 0 || k > n {
		return 0
	}
	return binomials[n][min(k, n-k)]
}

// rank is the number of positions with as many pegs that are smaller than p as numbers.
func rank(p peg.Position) (r uint64) {
	for k := 1; p != 0; k++ {
		r += choose(bits.TrailingZeros64(uint64(p)), k)
		p &= p - 1
	}
	return r
}

// unrank is the position with k of n holes filled whose rank is r < n choose k.
func unrank(r uint64, n, k int) (p peg.Position) {
	for ; k > 0; k-- {
		n--
		for choose(n, k) > r {
			n--
		}
		r -= choose(n, k)
		p |= 1 << n
	}
	return p
}

// next is the smallest number above p with as many bits, p not being the largest of 64 bits.
func next(p peg.Position) peg.Position {
	low := p & -p
	sum := p + low
	return sum | (p^sum)/low>>2
}
