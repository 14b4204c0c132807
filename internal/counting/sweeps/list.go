package sweeps

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"pagoda/internal/partition"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

// A lister lists solutions from the stored states of a run.
type lister struct {
	s    *Puzzle
	near *chains
	far  *chains
	back peg.Perm // holes of the far side to those of the board
}

func (s *Puzzle) lister(in puzzle.Source) *lister {
	return &lister{s, s.near().reader(in).chains(), s.far().reader(in).chains(), s.Turn().Inverse()}
}

// EachFewest passes solutions with so many sweeps to fn: one of each class under the symmetries that fix start and
// goal, with the number of solutions in the class. It reads the rows of a complete run. The order is always the same.
// The jumps are fn's until it returns.
func (s *Puzzle) EachFewest(
	ctx context.Context, known puzzle.Results, in puzzle.Source, sweeps int,
	fn func(jumps []peg.Jump, solutions int) error,
) error {
	if len(s.sides) == 0 {
		return nil
	}
	group, l := s.Problem().Symmetries(), s.lister(in)
	return l.eachMiddle(ctx, known, sweeps, func(q peg.Position, j peg.Jump, a, b *states) error {
		var through []peg.Perm // the symmetries that fix the position in the middle
		for _, g := range group {
			if g.Apply(q) == q {
				through = append(through, g)
			}
		}
		return l.joined(ctx, q, j, a, b, sweeps, func(jumps []peg.Jump) error {
			for _, g := range through {
				if slices.CompareFunc(image(jumps, g), jumps, compareJumps) < 0 {
					return nil
				}
			}
			same := 0
			for _, g := range group {
				if slices.Equal(image(jumps, g), jumps) {
					same++
				}
			}
			return fn(jumps, len(group)/same)
		})
	})
}

func image(jumps []peg.Jump, g peg.Perm) []peg.Jump {
	list := make([]peg.Jump, len(jumps))
	for i, j := range jumps {
		list[i] = g.Jump(j)
	}
	return list
}

func compareJumps(a, b peg.Jump) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
}

// eachMiddle passes to fn every jump that joins the sides, up to symmetry, in solutions of at most so many sweeps: the
// position before it, the jump, and the states of both sides.
func (l *lister) eachMiddle(
	ctx context.Context, known puzzle.Results, sweeps int, fn func(q peg.Position, j peg.Jump, a, b *states) error,
) error {
	s := l.s
	for _, c := range known.Cells(s.last()) {
		v, err := partition.ParseKey(c.Key[len(middleName):])
		if err != nil {
			return fmt.Errorf("cell %d/%s: no such cell in this run", c.Layer, c.Key)
		}
		ws, err := l.near.in.Windows(s.near().pass.Cell(s.middle, v))
		if err != nil {
			return err
		}
		for _, w := range ws {
			err := s.near().eachRow(ctx, l.near.in, w, func(_ int, q peg.Position, _ int) error {
				t, row, ok, err := l.near.of(ctx, q, s.middle)
				if err != nil || !ok {
					return err
				}
				least := int(t.places[row].least) - 1 // the jump of the middle may join two sweeps
				var here *states
				for _, j := range s.Problem().Board.Jumps {
					if !j.Legal(q) {
						continue
					}
					x := s.Complement(j.Play(q))
					t, row, ok, err := l.far.of(ctx, x, s.jumps-s.middle-1)
					if err != nil {
						return err
					}
					if !ok || least+int(t.places[row].least) > sweeps {
						continue
					}
					if here == nil {
						if here, err = l.near.states(ctx, q, s.middle); err != nil {
							return err
						}
					}
					there, err := l.far.states(ctx, x, s.jumps-s.middle-1)
					if err != nil {
						return err
					}
					if err := fn(q, j, here, there); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// joined passes to fn the solutions of so many sweeps that make a jump of the middle from q.
func (l *lister) joined(
	ctx context.Context, q peg.Position, j peg.Jump, a, b *states, sweeps int, fn func([]peg.Jump) error,
) error {
	s, left := l.s, l.s.jumps-l.s.middle-1
	turned := s.Turn()
	for _, h := range a.holes {
		for _, g := range b.holes {
			for n := range sweeps + 1 {
				m := sweeps - n
				if h.hole != int(j.From) {
					m-- // the jump begins a sweep
				}
				if g.hole == int(turned[j.To]) {
					m++ // which goes on
				}
				if h.counts.at(n).IsZero() || g.counts.at(m).IsZero() {
					continue
				}
				if err := l.near.sequences(ctx, s.middle, q, h.hole, n, nil, func(first []peg.Jump) error {
					jumps := append(slices.Clone(first), j)
					slices.Reverse(jumps[:len(first)])
					goal := s.Complement(j.Play(q))
					return l.far.sequences(ctx, left, goal, g.hole, m, nil, func(rest []peg.Jump) error {
						return fn(append(jumps, image(rest, l.back)...))
					})
				}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// sequences passes to fn, last jump first, each sequence of n jumps in so many sweeps to a position whose last jump
// ended at a hole. The jumps are fn's until it returns; they begin with those given.
func (c *chains) sequences(
	ctx context.Context, n int, q peg.Position, hole, sweeps int, jumps []peg.Jump, fn func([]peg.Jump) error,
) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if n == 0 {
		return fn(jumps)
	}
	for _, j := range c.pass.Near.Space.Board.Jumps {
		joint, end := j.From, j.To
		if c.back {
			joint, end = end, joint
		}
		if int(end) != hole || q&j.Mask() != j.Mask()&^j.Need() {
			continue
		}
		before := j.Play(q)
		s, err := c.states(ctx, before, n-1)
		if err != nil {
			return err
		}
		if s == nil {
			continue
		}
		for _, h := range s.holes {
			m := sweeps - 1
			if h.hole == int(joint) {
				m = sweeps
			}
			if h.counts.at(m).IsZero() {
				continue
			}
			with := append(jumps[:len(jumps):len(jumps)], j)
			if err := c.sequences(ctx, n-1, before, h.hole, m, with, fn); err != nil {
				return err
			}
		}
	}
	return nil
}
