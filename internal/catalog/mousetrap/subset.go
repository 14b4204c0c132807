package mousetrap

import "math/bits"

// binomial returns n over k, for n at most 24.
func binomial(n, k int) uint64 {
	if k < 0 || k > n {
		return 0
	}
	b := uint64(1)
	for i := range k {
		b = b * uint64(n-i) / uint64(i+1)
	}
	return b
}

// subset returns the set of k numbers below n of the given rank, as bits. Sets are ranked in order of their bits as
// numbers: the rank is the sum of the binomials e_i over i for the elements e_1 < e_2 < ... < e_k.
func subset(n, k int, rank uint64) uint32 {
	var set uint32
	for e := n - 1; k > 0; e-- {
		if b := binomial(e, k); rank >= b {
			rank -= b
			set |= 1 << e
			k--
		}
	}
	return set
}

// scattered returns the set of cards that stands at an address of the sets of k numbers below n. Sets of small cards
// and of large ones take very different times; neighbouring addresses are far apart in rank, near the golden ratio of
// all, so that windows take about the same time.
func scattered(n, k int, address uint64) uint32 {
	all := binomial(n, k)
	stride := uint64(float64(all) * 0.6180339887498949)
	for ; stride > 1 && gcd(int(stride), int(all)) != 1; stride-- {
	}
	hi, lo := bits.Mul64(address, max(stride, 1))
	_, rank := bits.Div64(hi%all, lo, all)
	return subset(n, k, rank)
}
