package sweeps

import (
	"context"
	"errors"
	"slices"

	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

// errFound ends a search.
var errFound = errors.New("found")

// Longest returns a solution with a sweep of so many jumps, and after how many jumps that begins; it reads the rows of
// a complete run. No jumps say that there is none.
func (s *Puzzle) Longest(
	ctx context.Context, known puzzle.Results, in puzzle.Source, length int,
) (jumps []peg.Jump, begins int, err error) {
	if len(s.sides) == 0 || length < 1 {
		return nil, 0, nil
	}
	l := s.lister(in)
	for _, c := range []*chains{l.near, l.far} {
		jumps, begins, err = l.onSide(ctx, known, c, length)
		if err != nil || jumps != nil {
			return jumps, begins, err
		}
	}
	err = l.eachMiddle(ctx, known, s.jumps, func(q peg.Position, j peg.Jump, a, b *states) error {
		before, after := a.at(uint8(j.From)).longest, b.at(s.Turn()[j.To]).longest
		if before+1+after < length {
			return nil
		}
		sweep, ok, err := l.sweep(ctx, j.Play(q), s.middle+1, uint8(j.To), after, false)
		if err != nil || !ok {
			return err
		}
		first, ok, err := l.sweep(ctx, q, s.middle, uint8(j.From), before, true)
		if err != nil || !ok {
			return err
		}
		slices.Reverse(first)
		sweep = append(append(first, j), sweep...)
		if jumps, err = l.complete(ctx, q, s.middle, len(first), sweep); err != nil {
			return err
		}
		begins = s.middle - len(first)
		return errFound
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	return jumps, begins, err
}

// onSide looks for a sweep of so many jumps that ends at a position of a side, in the cells whose tallies have one.
func (l *lister) onSide(
	ctx context.Context, known puzzle.Results, r *chains, length int,
) (jumps []peg.Jump, begins int, err error) {
	for n := 1; n <= r.depth; n++ {
		for _, c := range known.Cells(r.first + n - 1) {
			_, v, err := r.place(c.Cell)
			t, ok := known.Cell(c.Cell)
			if err != nil || !ok || t.Max(maxSweep).Lo < uint64(length) {
				continue // a cell of the other side, or of shorter sweeps
			}
			ws, err := r.in.Windows(r.pass.Cell(n, v))
			if err != nil {
				return nil, 0, err
			}
			for _, w := range ws {
				err := r.eachRow(ctx, r.in, w, func(_ int, q peg.Position, _ int) error {
					s, err := r.states(ctx, q, n)
					if err != nil || s == nil {
						return err
					}
					for _, h := range s.holes {
						if h.longest < length {
							continue
						}
						hole := uint8(h.hole)
						if jumps, begins, err = l.withSweep(ctx, r, q, n, hole, length); err != nil {
							return err
						}
						return errFound
					}
					return nil
				})
				if errors.Is(err, errFound) {
					err = nil
				}
				if err != nil || jumps != nil {
					return jumps, begins, err
				}
			}
		}
	}
	return nil, 0, nil
}

// withSweep returns a solution with a sweep that the states of a position of a side tell of.
func (l *lister) withSweep(
	ctx context.Context, r *chains, q peg.Position, n int, hole uint8, length int,
) (jumps []peg.Jump, begins int, err error) {
	if r.back {
		// On the board the sweep begins there, and goes on towards the goal.
		q, n, hole = l.s.Problem().Board.Complement(l.back.Apply(q)), l.s.jumps-n, l.back[hole]
		sweep, ok, err := l.sweep(ctx, q, n, hole, length, false)
		if err != nil || !ok {
			return nil, 0, err
		}
		jumps, err = l.complete(ctx, q, n, 0, sweep)
		return jumps, n, err
	}
	sweep, ok, err := l.sweep(ctx, q, n, hole, length, true)
	if err != nil || !ok {
		return nil, 0, err
	}
	slices.Reverse(sweep)
	jumps, err = l.complete(ctx, q, n, length, sweep)
	return jumps, n - length, err
}

// passes reports whether a solution passes through a position after n jumps.
func (l *lister) passes(ctx context.Context, q peg.Position, n int) (bool, error) {
	r := l.near
	if n > l.s.middle {
		r, q, n = l.far, l.s.Complement(q), l.s.jumps-n
	}
	_, _, ok, err := r.of(ctx, q, n)
	return ok, err
}

// sweep looks for a sweep of so many jumps of the peg in a hole of a position after n jumps, through positions that
// solutions pass; or, back, for one that has brought it there, whose jumps come last first.
func (l *lister) sweep(
	ctx context.Context, q peg.Position, n int, hole uint8, length int, back bool,
) (jumps []peg.Jump, ok bool, err error) {
	if length == 0 {
		return nil, true, nil
	}
	step := 1
	if back {
		step = -1
	}
	for _, j := range l.s.Problem().Board.Jumps {
		at, to, legal := uint8(j.From), uint8(j.To), j.Legal(q)
		if back {
			at, to, legal = to, at, q&j.Mask() == j.Mask()&^j.Need()
		}
		if at != hole || !legal {
			continue
		}
		next := j.Play(q)
		if ok, err = l.passes(ctx, next, n+step); err != nil || !ok {
			if err != nil {
				return nil, false, err
			}
			continue
		}
		rest, ok, err := l.sweep(ctx, next, n+step, to, length-1, back)
		if err != nil || ok {
			return append([]peg.Jump{j}, rest...), ok, err
		}
	}
	return nil, false, nil
}

// complete makes a solution of a sweep, of which so many jumps lead to q, which solutions pass after n jumps.
func (l *lister) complete(ctx context.Context, q peg.Position, n, before int, sweep []peg.Jump) ([]peg.Jump, error) {
	first, last := q, q
	for i := before - 1; i >= 0; i-- {
		first = sweep[i].Play(first)
	}
	for _, j := range sweep[before:] {
		last = j.Play(last)
	}
	to, err := l.way(ctx, first, n-before, true)
	if err != nil {
		return nil, err
	}
	slices.Reverse(to)
	from, err := l.way(ctx, last, n-before+len(sweep), false)
	return append(append(to, sweep...), from...), err
}

// way returns jumps from a position that solutions pass to the goal; or, back, to the start, last first.
func (l *lister) way(ctx context.Context, q peg.Position, n int, back bool) (jumps []peg.Jump, err error) {
	end, step := l.s.jumps, 1
	if back {
		end, step = 0, -1
	}
	for n != end {
		found := false
		for _, j := range l.s.Problem().Board.Jumps {
			legal := j.Legal(q)
			if back {
				legal = q&j.Mask() == j.Mask()&^j.Need()
			}
			if !legal {
				continue
			}
			if found, err = l.passes(ctx, j.Play(q), n+step); err != nil {
				return nil, err
			}
			if found {
				q, n, jumps = j.Play(q), n+step, append(jumps, j)
				break
			}
		}
		if !found {
			return nil, errors.New("no solution goes on from a position of the run; verify the run")
		}
	}
	return jumps, nil
}
