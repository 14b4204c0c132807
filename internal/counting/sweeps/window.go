package sweeps

import (
	"context"
	"fmt"
	"math/bits"

	"pagoda/internal/counting"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/uint128"
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
		if err := ctx.Err(); err != nil {
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
	x, before := &writer{w: w, out: out}, s.reader(in)
	longest, first := 0, 0
	err = s.eachRow(ctx, in, from, func(row int, q peg.Position, _ int) error {
		here, err := before.after(ctx, q, n)
		if err != nil {
			return fmt.Errorf("window %s: %w", w, err)
		}
		for mask := here.mask; mask != 0; mask &= mask - 1 {
			hole := bits.TrailingZeros64(mask)
			h := &here.holes[hole]
			longest = max(longest, h.longest)
			if one := h.counts.at(1); !one.IsZero() {
				first = n
			}
			at := w.First + uint64(row)*s.stride(n) + uint64(hole*(n+1))
			if err := x.put(at, uint128.From(uint64(h.longest))); err != nil {
				return err
			}
			for sweeps := 1; sweeps < len(h.counts); sweeps++ {
				if err := x.put(at+uint64(sweeps), h.counts[sweeps]); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err == nil {
		err = x.flush()
	}
	if err == nil {
		err = t.AddMax(maxSweep, uint128.From(uint64(longest)))
	}
	if err == nil {
		err = t.AddMax(s.whole, uint128.From(uint64(first)))
	}
	return t, err
}

// A scratch is the states of one position while they are made, by hole; used again for the next position.
type scratch struct {
	mask  uint64 // holes that have a state
	holes [64]holeState
}

// add makes room for a hole.
func (s *scratch) add(hole uint8) *holeState {
	h := &s.holes[hole]
	if s.mask>>hole&1 == 0 {
		s.mask |= 1 << hole
		h.longest = 0
		h.counts.clear()
	}
	return h
}

// after returns the states of a position after n jumps, from those of its predecessors. They are valid until the next
// call.
func (r *reader) after(ctx context.Context, q peg.Position, n int) (*scratch, error) {
	here := &r.scratch
	here.mask = 0
	for _, j := range r.pass.Near.Space.Board.Jumps {
		if q&j.Mask() != j.Mask()&^j.Need() {
			continue
		}
		s, element, err := r.of(ctx, j.Play(q), n-1)
		if err != nil {
			return nil, err
		}
		if s == nil {
			continue
		}
		joint, end := j.From, j.To
		if r.back {
			joint, end = end, joint
		}
		same, h := s.at(int(element[joint])), here.add(end)
		if err := h.counts.addJump(s.total, same.counts); err != nil {
			return nil, err
		}
		h.longest = max(h.longest, same.longest+1)
	}
	return here, nil
}
