package sweeps

import (
	"context"
	"fmt"

	"pagoda/internal/counting"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// Names of the scalars that windows report.
const (
	maxSweep = "longest_sweep"       // in jumps
	maxFirst = "longest_first_sweep" // of those that begin a solution
	maxLast  = "longest_last_sweep"  // of those that end one
)

// eachRow passes to fn the rows of a window of the pass that stand for their class: the number of the row, its
// position, and how many positions the class has.
func (s *side) eachRow(
	ctx context.Context, in puzzle.Source, w puzzle.Window, fn func(row int, p peg.Position, orbit int) error,
) error {
	_, v, err := s.pass.Place(w.Cell)
	if err != nil {
		return err
	}
	space := s.pass.Near.Space
	layout := space.Layout(v)
	row := -1
	return in.Blocks(ctx, w, w.First, w.Addresses, func(b *puzzle.Block) error {
		if err := puzzle.Progress(ctx); err != nil {
			return err
		}
		return counting.EachAddress(b, func(address uint64) error {
			row++
			x := layout.Ordered(address)
			stands, orbit := layout.Class(layout.PrefixOf(space.Prefix.Of(x)), x)
			if !stands {
				return nil
			}
			return fn(row, space.Position(x), orbit)
		})
	})
}

// passWindow returns the window of the pass that a window of the side has the positions of.
func (s *side) passWindow(in puzzle.Source, w puzzle.Window, c puzzle.Cell, stride uint64) (puzzle.Window, error) {
	ws, err := in.Windows(c)
	if err != nil {
		return w, err
	}
	if w.Part >= len(ws) || ws[w.Part].First*stride != w.First || ws[w.Part].Addresses*stride != w.Addresses {
		return w, fmt.Errorf("window %s: cell %d/%s has no window of the same positions", w, c.Layer, c.Key)
	}
	return ws[w.Part], nil
}

// compute computes one window.
func (s *side) compute(
	ctx context.Context,
	w puzzle.Window,
	in puzzle.Source,
	out puzzle.Sink,
) (t puzzle.Tally, err error) {
	n, v, err := s.place(w.Cell)
	if err != nil {
		return t, fmt.Errorf("window %s: %w", w, err)
	}
	from, err := s.passWindow(in, w, s.pass.Cell(n, v), s.stride(n))
	if err != nil {
		return t, err
	}
	x, before := puzzle.NewWriter(w, out), s.reader(in).chains()
	at := before.spotOf(spotPlace{n, v}) // of all positions
	longest := 0
	var total poly
	err = s.eachRow(ctx, in, from, func(row int, q peg.Position, _ int) error {
		if err := before.all(ctx, q, at); err != nil {
			return fmt.Errorf("window %s: %w", w, err)
		}
		longest = max(longest, before.longest+1)
		total = before.fold(total)
		first := w.First + uint64(row)*s.stride(n)
		for i, count := range total { // x times that: a sweep more each
			if count.IsZero() {
				continue
			}
			if err := x.Row(first+uint64(i), count.Lo, count.Hi); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = x.Flush()
	}
	if err == nil {
		err = t.AddMax(maxSweep, uint128.From(uint64(longest)))
	}
	if err == nil {
		first := 0
		if longest == n { // from the start
			first = n
		}
		err = t.AddMax(s.whole, uint128.From(uint64(first)))
	}
	return t, err
}
