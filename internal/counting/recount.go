package counting

import (
	"context"
	"fmt"

	"pagoda/internal/puzzle"
	"pagoda/internal/uint128"
)

// Recounts joins every problem a second time, one layer before the run did, from the side of the goal: what was the far
// enumeration goes one layer on, and what was the near one stays one layer behind.
func (s *Solutions) Recounts(known puzzle.Results) ([]puzzle.Recount, error) {
	var list []puzzle.Recount
	for _, q := range s.problems {
		if q.join == nil {
			continue
		}
		want, ok := s.solutions(q, known)
		if !ok {
			continue
		}
		r, err := q.join.recount(want)
		if err != nil {
			return nil, err
		}
		if s.allPairs {
			p := q.class[0]
			r.What = fmt.Sprintf("%s to %s: %s", s.board.HoleName(int(p.Start)), s.board.HoleName(int(p.Goal)), r.What)
		}
		list = append(list, r)
	}
	return list, nil
}

// back is the join of the same problem with the roles of near and far exchanged, one layer nearer to the start.
func (j *join) back() (*join, error) {
	return newJoin(j.far, j.near, j.turn.Inverse(), j.farJumps+1, j.jumps+j.farJumps)
}

// recount is the second join, to be compared with what the first one gave.
func (j *join) recount(want uint128.Uint128) (puzzle.Recount, error) {
	back, err := j.back()
	if err != nil {
		return puzzle.Recount{}, err
	}
	r := puzzle.Recount{Want: want, Share: func(
		ctx context.Context, w puzzle.Window, in puzzle.Source,
	) (uint128.Uint128, error) {
		return back.share(ctx, w, in)
	}}
	r.What = fmt.Sprintf("solutions, joined after %d jumps", j.jumps-1)
	if back.jumps < len(back.near.layers) {
		for _, c := range back.near.plan(back.jumps) {
			for i := range c.Windows() {
				r.Windows = append(r.Windows, c.Window(i))
			}
		}
	}
	return r, nil
}

// Recounts joins the problem a second time, one layer before the enumerations met, and sums the solutions through the
// stored rows of every layer of the passes.
func (t *Through) Recounts(known puzzle.Results) ([]puzzle.Recount, error) {
	if t.near == nil {
		return nil, nil
	}
	met, ok := t.passes[0].totals(t.meeting, known)
	if !ok {
		return nil, nil
	}
	var list []puzzle.Recount
	if t.meeting > 0 {
		r, err := t.passes[0].recount(met.solutions)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	for i, p := range t.passes {
		for n := p.jumps; n >= 0; n-- {
			after := n
			if i > 0 {
				after = t.jumps - n
			}
			r := puzzle.Recount{What: fmt.Sprintf("solutions through the rows after %d jumps", after), Want: met.solutions}
			for _, c := range known.Cells(p.layer(n)) {
				for i := range c.Windows() {
					if p.owns(c.Cell) {
						r.Windows = append(r.Windows, c.Window(i))
					}
				}
			}
			r.Share = p.rowSum
			list = append(list, r)
		}
	}
	return list, nil
}

// rowSum sums the solutions through the rows of a window of the pass, from the rows alone.
func (p *pass) rowSum(ctx context.Context, w puzzle.Window, in puzzle.Source) (sum uint128.Uint128, err error) {
	_, v, err := p.place(w.Cell)
	if err != nil {
		return sum, err
	}
	layout := p.near.space.Layout(v)
	err = in.Blocks(ctx, w, w.First, w.Addresses, func(b *puzzle.Block) error {
		return p.eachRepresentative(layout, b, func(r int, _ uint64, orbit int) error {
			n, ok := product(wide(b, columnPaths, r), wide(b, columnWays, r))
			n, ok2 := n.Mul64(uint64(orbit))
			s, ok3 := sum.Add(n)
			if sum = s; !ok || !ok2 || !ok3 {
				return fmt.Errorf("window %s: solutions: %w", w, puzzle.ErrOverflow)
			}
			return nil
		})
	})
	return sum, err
}
