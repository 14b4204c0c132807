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
	if len(*p) <= len(all) {
		if cap(*p) <= len(all) {
			*p = append(make(poly, 0, len(all)+growth), *p...)
		}
		*p = (*p)[:len(all)+1] // what is beyond the length was never written
	}
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

// joining returns, in the room of room, the sequences of all as they are counted after a jump: those of same, which are
// among them, have a sweep less, as they go on with the peg that has jumped. Every sequence of same has a sweep.
func joining(room, all, same poly) (poly, error) {
	room = append(room[:0], all...)
	for s, n := range same {
		if n.IsZero() {
			continue
		}
		room[s], _ = room[s].Sub(n)
		sum, ok := room[s-1].Add(n)
		if !ok {
			return room, puzzle.ErrOverflow
		}
		room[s-1] = sum
	}
	return room, nil
}
