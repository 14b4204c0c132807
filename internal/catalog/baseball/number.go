package baseball

import "math/big"

// MaxCounted is the largest number of bases that Configurations counts.
const MaxCounted = 1000

// Configurations returns the number C(n) of configurations of n bases, n from 1 on, by the source's recurrence:
//
//	C(n) = n P(n-1) + n(n-1) C(n-1)
//	P(n) = n P(n-1) + n(n-1)/2 C(n-1)
//
// with C(1) = P(1) = 1. P(n) counts the ways to fill n bases with two tokens of each of n colours.
func Configurations(n int) *big.Int {
	c, _ := counts(n)
	return c
}

// counts returns C(n) and P(n).
func counts(n int) (c, p *big.Int) {
	c, p = big.NewInt(1), big.NewInt(1)
	for k := int64(2); k <= int64(n); k++ {
		kp := new(big.Int).Mul(p, big.NewInt(k))
		half := new(big.Int).Mul(c, big.NewInt(k*(k-1)/2))
		p = new(big.Int).Add(kp, half)
		c = kp.Add(kp, half.Lsh(half, 1))
	}
	return c, p
}
