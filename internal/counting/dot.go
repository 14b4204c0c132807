package counting

import (
	"math/bits"

	"pagoda/internal/puzzle/uint128"
)

// Dot returns the sum of near[i] x far[ranks[i]], for near counts of at most 64 bits; ok is false when it does not fit.
func Dot(near, far *Counts, ranks []uint16) (sum uint128.Uint128, ok bool) {
	switch {
	case near.short != nil && far.short != nil:
		return dotShort(near.short, far.short, ranks), true
	case near.short != nil && far.hi == nil:
		return dotNarrow(near.short, far.lo, ranks)
	case far.short != nil:
		return dotNarrow(near.lo, far.short, ranks)
	case far.hi == nil:
		return dotNarrow(near.lo, far.lo, ranks)
	}
	for i, rank := range ranks {
		p, fits := Product(near.At(uint64(i)), far.At(uint64(rank)))
		if sum, ok = sum.Add(p); !ok || !fits {
			return sum, false
		}
	}
	return sum, true
}

// dotShort is dot for counts below 2^32, of which there are fewer than 2^32. It multiplies zeros too: two of three
// counts are zero, and a branch could not predict which.
func dotShort(near, far []uint32, ranks []uint16) (sum uint128.Uint128) {
	ranks = ranks[:len(near)]
	for i, n := range near {
		var c uint64
		sum.Lo, c = bits.Add64(sum.Lo, uint64(n)*uint64(far[ranks[i]]), 0)
		sum.Hi += c
	}
	return sum
}

func dotNarrow[N, F uint32 | uint64](near []N, far []F, ranks []uint16) (sum uint128.Uint128, ok bool) {
	var carry uint64
	ranks = ranks[:len(near)]
	for i, n := range near {
		h, l := bits.Mul64(uint64(n), uint64(far[ranks[i]]))
		var c uint64
		sum.Lo, c = bits.Add64(sum.Lo, l, 0)
		sum.Hi, c = bits.Add64(sum.Hi, h, c)
		carry |= c
	}
	return sum, carry == 0
}

// Product returns n*m; ok is false when it does not fit.
func Product(n, m uint128.Uint128) (p uint128.Uint128, ok bool) {
	if n.Hi > 0 {
		n, m = m, n
	}
	p, ok = m.Mul64(n.Lo)
	return p, ok && n.Hi == 0 || n.IsZero() || m.IsZero()
}

// Fetch has the counts with these ranks brought nearer, and does not wait for them.
func (c *Counts) Fetch(ranks []uint16) {
	switch {
	case len(ranks) == 0:
	case c.short != nil:
		fetchShort(c.short, ranks)
	default:
		fetch(c.lo, ranks)
	}
}
