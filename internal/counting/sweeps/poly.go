package sweeps

import (
	"pagoda/internal/counting"
	"pagoda/internal/puzzle"
	"pagoda/internal/uint128"
)

// A poly has, for each number of sweeps, how many jump sequences have it.
type poly []uint128.Uint128

// growth is how many terms more than it needs a polynomial that has become too short is given.
const growth = 6

// at returns the count of s sweeps.
func (p poly) at(s int) uint128.Uint128 {
	if s < 0 || s >= len(p) {
		return uint128.Uint128{}
	}
	return p[s]
}

// add adds n sequences of s sweeps.
func (p *poly) add(s int, n uint128.Uint128) error {
	if s >= cap(*p) {
		*p = append(make(poly, 0, s+growth), *p...)
	}
	if s >= len(*p) {
		*p = (*p)[:s+1] // what is beyond the length was never written
	}
	sum, ok := (*p)[s].Add(n)
	if !ok {
		return puzzle.ErrOverflow
	}
	(*p)[s] = sum
	return nil
}

// addAll adds another polynomial.
func (p *poly) addAll(q poly) error {
	for s, n := range q {
		if n.IsZero() {
			continue
		}
		if err := p.add(s, n); err != nil {
			return err
		}
	}
	return nil
}

// addJump adds what becomes of sequences by a jump: those of same, which are among all, go on with the peg of their
// last jump.
func (p *poly) addJump(all, same poly) error {
	for s := range all {
		other, _ := all.at(s).Sub(same.at(s))
		if !other.IsZero() {
			if err := p.add(s+1, other); err != nil {
				return err
			}
		}
	}
	return p.addAll(same)
}

// addProduct adds the sequences made of one of a and one of b, each so often, with so many sweeps less than both have.
func (p *poly) addProduct(a, b poly, times uint64, less int) error {
	for i, m := range a {
		if m.IsZero() {
			continue
		}
		for k, n := range b {
			if n.IsZero() {
				continue
			}
			c, ok := counting.Product(m, n)
			c, ok2 := c.Mul64(times)
			if !ok || !ok2 {
				return puzzle.ErrOverflow
			}
			if err := p.add(i+k-less, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// minus returns p without the sequences of q, which are among them.
func (p poly) minus(q poly) poly {
	r := make(poly, len(p))
	for s := range p {
		r[s], _ = p[s].Sub(q.at(s))
	}
	return r
}
