package sweeps

import (
	"context"
	"strings"

	"pagoda/internal/counting"
	"pagoda/internal/counting/ways"
	"pagoda/internal/puzzle"
)

// Puzzle counts the solutions of one problem by sweeps. It implements puzzle.Puzzle, puzzle.Exporter and
// puzzle.Recounter. Its first layers are those of package ways.
type Puzzle struct {
	*ways.Puzzle
	jumps  int     // from start to goal
	sides  []*side // from the start, and from the goal; none when there is no solution
	middle int     // the jump after so many of the first side joins the two

	middleJumps [][]middleJump // jumps of the board, by the hole where they begin
}

// New prepares the run for the problem of p.
func New(p counting.Params) (*Puzzle, error) {
	w, err := ways.New(p)
	if err != nil {
		return nil, err
	}
	return newPuzzle(w), nil
}

// Earlier is the puzzle of programs in which the ways were those of [ways.Puzzle.Earlier].
func (s *Puzzle) Earlier() (puzzle.Puzzle, error) {
	w, err := s.EarlierWays()
	if err != nil {
		return nil, err
	}
	return newPuzzle(w), nil
}

func newPuzzle(w *ways.Puzzle) *Puzzle {
	s := &Puzzle{Puzzle: w, jumps: w.Problem().Jumps()}
	passes := w.Passes()
	if len(passes) == 0 {
		return s
	}
	s.middle = min(passes[0].Jumps, s.jumps-1)
	s.sides = []*side{
		{pass: passes[0], name: "sweeps0-", depth: s.middle, whole: maxFirst},
		{pass: passes[len(passes)-1], name: "sweeps1-", depth: s.jumps - s.middle - 1, whole: maxLast, back: true},
	}
	board := w.Problem().Board
	s.middleJumps = middleJumps(board, w.Turn())
	for _, x := range s.sides {
		x.first = w.Layers()
		x.ends, x.overs = backJumps(board, x.back), oversByClass(board)
	}
	return s
}

// Identity names the parameters that decide the result.
func (s *Puzzle) Identity() puzzle.Identity { return ofSweeps(s.Puzzle.Identity()) }

// EarlierIdentity is Identity of the puzzle that Earlier makes.
func (s *Puzzle) EarlierIdentity() puzzle.Identity { return ofSweeps(s.Puzzle.EarlierIdentity()) }

// ofSweeps makes the identity of a run of ways that of a run of sweeps.
func ofSweeps(id puzzle.Identity) puzzle.Identity {
	var params []puzzle.Param
	for _, p := range id.Params {
		switch p.Name {
		case "count":
			p.Value = "sweeps"
		case "store_ways":
			continue
		}
		params = append(params, p)
	}
	// The content of the rows: a run whose rows hold something else is another run.
	id.Params = append(params, puzzle.Param{Name: "rows", Value: "sweeps by position"})
	return id
}

// near and far are the sides that the middle joins.
func (s *Puzzle) near() *side { return s.sides[0] }
func (s *Puzzle) far() *side  { return s.sides[1] }

// last is the layer of the middle.
func (s *Puzzle) last() int {
	return s.near().first + max(s.near().depth, s.far().depth)
}

// Layer plans the layers of the ways, then the sides, jump by jump, and last the middle.
func (s *Puzzle) Layer(n int, known puzzle.Results) ([]puzzle.CellPlan, error) {
	if len(s.sides) == 0 || n < s.near().first {
		return s.Puzzle.Layer(n, known)
	}
	switch {
	case n == s.last():
		return s.planMiddle(), nil
	case n > s.last():
		return nil, puzzle.ErrNoLayer
	}
	var cells []puzzle.CellPlan
	for _, x := range s.sides {
		cells = append(cells, x.plan(n-x.first+1)...)
	}
	return cells, nil
}

// Compute computes one window.
func (s *Puzzle) Compute(
	ctx context.Context,
	w puzzle.Window,
	in puzzle.Source,
	out puzzle.Sink,
) (puzzle.Tally, error) {
	if strings.HasPrefix(w.Key, middleName) {
		return s.join(ctx, w, in)
	}
	for _, x := range s.sides {
		if strings.HasPrefix(w.Key, x.name) {
			return x.compute(ctx, w, in, out)
		}
	}
	return s.Puzzle.Compute(ctx, w, in, out)
}

// ExportRows emits the classes of the positions that are reachable and winnable; the rows of sides give none.
func (s *Puzzle) ExportRows(c puzzle.Cell, b *puzzle.Block, emit func(row []puzzle.Value) error) error {
	if len(s.sides) > 0 && c.Layer >= s.near().first {
		return nil
	}
	return s.Puzzle.ExportRows(c, b, emit)
}
