package sweeps

import (
	"math/bits"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// products are the sum of products of polynomials.
type products struct {
	// narrow has sums of products of counts that fit in 64 bits, in three words, least first.
	narrow [][3]uint64
	wide   poly // all others
}

// add adds the sequences made of one of a and one of b, each so often.
func (s *products) add(a, b poly, times uint64) error {
	for len(s.narrow) < len(a)+len(b) {
		s.narrow = append(s.narrow, [3]uint64{})
	}
	for i, m := range a {
		if m.IsZero() {
			continue
		}
		high, low := bits.Mul64(m.Lo, times)
		if m.Hi != 0 || high != 0 {
			if err := s.addWide(i, m, b, times); err != nil {
				return err
			}
			continue
		}
		for k, n := range b {
			if n.Hi != 0 {
				if err := s.addWide(i+k, m, poly{n}, times); err != nil {
					return err
				}
				continue
			}
			high, low := bits.Mul64(low, n.Lo)
			sum := &s.narrow[i+k]
			var carry uint64
			sum[0], carry = bits.Add64(sum[0], low, 0)
			sum[1], carry = bits.Add64(sum[1], high, carry)
			sum[2] += carry
		}
	}
	return nil
}

// addWide adds a count of so many sweeps times b.
func (s *products) addWide(sweeps int, m uint128.Uint128, b poly, times uint64) error {
	one := make(poly, sweeps+1)
	one[sweeps] = m
	return s.wide.addProduct(one, b, times)
}

// sums returns the sums by number of sweeps.
func (s *products) sums() (poly, error) {
	all := append(poly(nil), s.wide...)
	for n, sum := range s.narrow {
		if sum[2] != 0 {
			return nil, puzzle.ErrOverflow
		}
		if x := (uint128.Uint128{Lo: sum[0], Hi: sum[1]}); !x.IsZero() {
			if err := all.add(n, x); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}
