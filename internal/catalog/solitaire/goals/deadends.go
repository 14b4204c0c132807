package goals

import (
	"context"
	"slices"

	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

// A deadEnds lists positions without a jump.
type deadEnds struct {
	board *peg.Board
	keep  func(peg.Position) peg.Position // the position that stands for one
	same  func(peg.Position) bool         // whether the invariants allow it
	empty int
	most  int // positions that may be listed
	list  []peg.Position
	nodes int
}

// all lists the positions without a jump that have so many empty holes, one of each class; ok is false when there are
// too many.
//
// A jump into an empty hole is impossible when one of its other holes is empty too. Where that is not so, either of
// them is made empty. Otherwise a further hole is empty, or has a peg.
func (d *deadEnds) all(ctx context.Context) (ok bool, err error) {
	ok, err = d.fill(ctx, 0, 0)
	slices.Sort(d.list)
	d.list = slices.Compact(d.list)
	return ok, err
}

// fill goes on from holes that are empty, and holes that have a peg for good.
func (d *deadEnds) fill(ctx context.Context, empty, pegs peg.Position) (ok bool, err error) {
	if d.nodes++; d.nodes%(1<<16) == 0 && puzzle.Progress(ctx) != nil {
		return false, ctx.Err()
	}
	n := empty.Pegs()
	if n+d.board.Size()-(empty|pegs).Pegs() < d.empty {
		return true, nil
	}
	var choices [2]peg.Position
	q := d.board.Full() &^ empty
	switch i := slices.IndexFunc(d.board.Jumps, func(j peg.Jump) bool { return j.Legal(q) }); {
	case i >= 0:
		choices = [2]peg.Position{1 << d.board.Jumps[i].From, 1 << d.board.Jumps[i].Over}
	case n == d.empty:
		if d.same(q) {
			d.list = append(d.list, d.keep(q))
		}
		return len(d.list) <= d.most, nil
	default:
		rest := d.board.Full() &^ empty &^ pegs
		h := rest & -rest
		if ok, err := d.fill(ctx, empty|h, pegs); err != nil || !ok {
			return ok, err
		}
		return d.fill(ctx, empty, pegs|h)
	}
	if n == d.empty {
		return true, nil
	}
	for _, h := range choices {
		if h&pegs == 0 {
			if ok, err := d.fill(ctx, empty|h, pegs); err != nil || !ok {
				return ok, err
			}
		}
		pegs |= h
	}
	return true, nil
}
