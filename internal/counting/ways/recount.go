package ways

import (
	"context"
	"fmt"

	"pagoda/internal/counting"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/uint128"
)

// Recounts joins the problem a second time, one layer before the enumerations met, and sums the solutions through the
// stored rows of every layer of the passes.
func (t *Puzzle) Recounts(known puzzle.Results) ([]puzzle.Recount, error) {
	if t.near == nil {
		return nil, nil
	}
	met, ok := t.passes[0].totals(t.meeting, known)
	if !ok {
		return nil, nil
	}
	var list []puzzle.Recount
	if t.meeting > 0 {
		r, err := t.passes[0].Recount(met.solutions)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	for i, p := range t.passes {
		for n := p.Jumps; n >= 0; n-- {
			after := n
			if i > 0 {
				after = t.jumps - n
			}
			r := puzzle.Recount{What: "solutions through the rows after " + plural.Of(after, "jump"), Want: met.solutions}
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
func (p *Pass) rowSum(ctx context.Context, w puzzle.Window, in puzzle.Source) (sum uint128.Uint128, err error) {
	_, v, err := p.Place(w.Cell)
	if err != nil {
		return sum, err
	}
	layout := p.Near.Space.Layout(v)
	err = in.Blocks(ctx, w, w.First, w.Addresses, func(b *puzzle.Block) error {
		return p.eachRepresentative(layout, b, func(r int, _ uint64, orbit int) error {
			n, ok := counting.Product(counting.Wide(b, columnPaths, r), counting.Wide(b, columnWays, r))
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
