package sequences

import (
	"context"

	"pagoda/internal/counting"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// Recounts counts the sequences that cross the middle a second time: where half of the jumps were used, with all of
// them, and otherwise from the stored rows of the middle layer.
func (s *Puzzle) Recounts(known puzzle.Results) ([]puzzle.Recount, error) {
	t, ok := known.Layer(s.stored + 1)
	if !ok {
		return nil, nil
	}
	r := puzzle.Recount{
		What:  "sequences across the middle, by all jumps",
		Want:  t.Sum(middleName),
		Share: s.middle.ByJumps,
	}
	if s.middle.Jumps == s.middle.FarJumps {
		// Rows count the sequence without a jump too: for each position those that begin there.
		t, ok := known.Layer(s.middle.FarJumps)
		if !ok {
			return nil, nil
		}
		if r.Want, ok = r.Want.Add(t.Sum(counting.SumPaths)); !ok {
			return nil, puzzle.ErrOverflow
		}
		r.What, r.Share = "sequences through the rows of the middle", s.byRows
	}
	for _, c := range s.all.Plan(s.middle.Jumps) {
		for i := range c.Windows() {
			r.Windows = append(r.Windows, c.Window(i))
		}
	}
	return []puzzle.Recount{r}, nil
}

// byRows joins the stored rows of a window of the middle layer.
func (s *Puzzle) byRows(ctx context.Context, w puzzle.Window, in puzzle.Source) (uint128.Uint128, error) {
	k, err := s.all.StoredKernel(ctx, w, in)
	if err != nil {
		return uint128.Uint128{}, err
	}
	return s.middle.Dot(ctx, k, in)
}
