package sweeps

import (
	"pagoda/internal/counting"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
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
	p.grow(s + 1)
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

// addJump adds the sequences of all, one jump longer: those of same, which are among all, go on with the peg of their
// last jump.
func (p *poly) addJump(all, same poly) error {
	p.grow(len(all) + 1)
	q := *p
	for s, n := range all {
		if n.IsZero() {
			continue
		}
		m := same.at(s)
		other, _ := n.Sub(m)
		sum, ok := q[s].Add(m)
		next, ok2 := q[s+1].Add(other)
		if !ok || !ok2 {
			return puzzle.ErrOverflow
		}
		q[s], q[s+1] = sum, next
	}
	return nil
}

// grow gives p room for n terms at least, new ones zero.
func (p *poly) grow(n int) {
	if n > cap(*p) {
		*p = append(make(poly, 0, n+growth), *p...)
	}
	if n > len(*p) {
		*p = (*p)[:n] // memory beyond the length was never written
	}
}

// lessShifted multiplies p by 1-x, modulo 2^128.
func (p *poly) lessShifted() {
	if len(*p) == 0 {
		return
	}
	p.grow(len(*p) + 1)
	q := *p
	for i := len(q) - 1; i > 0; i-- {
		q[i], _ = q[i].Sub(q[i-1])
	}
}

// clear makes p the polynomial without terms, which keeps its room.
func (p *poly) clear() {
	clear(*p)
	*p = (*p)[:0]
}

// addProduct adds the sequences made of one of a and one of b, each so often.
func (p *poly) addProduct(a, b poly, times uint64) error {
	for i, m := range a {
		if m.IsZero() {
			continue
		}
		m, ok := m.Mul64(times)
		if !ok {
			return puzzle.ErrOverflow
		}
		for k, n := range b {
			if n.IsZero() {
				continue
			}
			c, ok := counting.Product(m, n)
			if !ok {
				return puzzle.ErrOverflow
			}
			if err := p.add(i+k, c); err != nil {
				return err
			}
		}
	}
	return nil
}
