package reserve

import (
	"context"
	"fmt"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/uint128"
)

// Recounts joins both sums a second time, with the sides exchanged and one layer nearer to the start of the first of
// them. Solutions that come to the meeting by a jump are joined before that jump. In the first sum others have the
// reserve put back at the meeting itself: those that pass, less those that come by a jump.
func (s *Puzzle) Recounts(known puzzle.Results) ([]puzzle.Recount, error) {
	if len(s.meetings) == 0 || s.last()+1 >= known.Layers() {
		return nil, nil
	}
	t, ok := known.Layer(s.last() + 1)
	if !ok {
		return nil, nil
	}
	var list []puzzle.Recount
	for _, m := range s.meetings {
		r, err := m.Recount(t.Sum(m.name))
		if err != nil {
			return nil, err
		}
		r.What = fmt.Sprintf("solutions, put back before the meeting after %s, joined a jump earlier",
			plural.Of(s.meeting, "jump"))
		if m.name == pendingName {
			r.What = fmt.Sprintf("solutions, put back after the meeting after %s, joined a jump later",
				plural.Of(s.meeting, "jump"))
		} else {
			m.putBack(&r)
		}
		list = append(list, r)
	}
	return list, nil
}

// putBack adds the windows where the reserve is put back at the meeting itself.
func (m *meeting) putBack(r *puzzle.Recount) {
	if m.Jumps >= len(m.Near.Layers) {
		return
	}
	here := map[puzzle.WindowID]bool{}
	for _, c := range m.Near.Plan(m.Jumps) {
		for i := range c.Windows() {
			w := c.Window(i)
			here[w.ID()] = true
			r.Windows = append(r.Windows, w)
		}
	}
	byJump := r.Share
	r.Share = func(ctx context.Context, w puzzle.Window, in puzzle.Source) (n uint128.Uint128, err error) {
		if !here[w.ID()] {
			return byJump(ctx, w, in)
		}
		passing, err := m.Passing(ctx, w, in)
		if err != nil {
			return n, err
		}
		jumped, err := m.ByJumps(ctx, w, in)
		if err != nil {
			return n, err
		}
		n, ok := passing.Sub(jumped)
		if !ok {
			return n, fmt.Errorf("window %s: more comes by jumps than passes", w)
		}
		return n, nil
	}
}
