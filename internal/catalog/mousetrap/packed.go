package mousetrap

import "math/bits"

// A packed deck has up to 16 cards, four bits each: card v is v-1, the first card in the lowest bits.
type packed uint64

// mostPacked is the largest deck that is packed.
const mostPacked = 16

const (
	eachCard packed = 0x1111111111111111
	counting packed = 0xfedcba9876543210 // the numbers that are said on the cards of a first time round
)

func pack(deck []uint8) packed {
	var p packed
	for i, v := range deck {
		p |= packed(v-1) << (4 * i)
	}
	return p
}

// wins reports whether a deck of n cards wins the plain game.
func (p packed) wins(n int) bool {
	for left := n; left > 0; left-- {
		at := p.hit(n, left)
		if at < 0 {
			return false
		}
		p = p.without(at, left)
	}
	return true
}

// order is the order in which the n cards of a deck are removed in the plain game; it reports whether all are.
func (p packed) order(n int) (order packed, won bool) {
	for left := n; left > 0; left-- {
		at := p.hit(n, left)
		if at < 0 {
			return 0, false
		}
		order |= p >> at & 15 << (4 * (n - left))
		p = p.without(at, left)
	}
	return order, true
}

// hit is the lowest bit of the next card that is hit when so many are left of n, or negative. All cards are compared
// with the numbers said on them at a time.
func (p packed) hit(n, left int) int {
	for said := 0; said < n; said += left {
		differ := p ^ counting>>(4*said)
		// The top bits of groups that are 0; above the lowest one a borrow may have set others.
		hit := (differ - eachCard) & ^differ & (eachCard << 3) & (1<<(4*min(left, n-said)) - 1)
		if hit != 0 {
			return bits.TrailingZeros64(uint64(hit)) &^ 3
		}
	}
	return -1
}

// without takes a card from so many, so that the next one is first.
func (p packed) without(at, left int) packed { return p>>(at+4) | p&(1<<at-1)<<(4*left-4-at) }
