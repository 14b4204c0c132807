package reserve

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"pagoda/internal/counting"
	"pagoda/internal/counting/join"
	"pagoda/internal/partition"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// ErrVacancy is wrapped by New when the start does not have exactly one empty hole: the hole of the reserve.
var ErrVacancy = errors.New("the reserve needs a start with one empty hole, from which it was taken")

// Puzzle counts the solutions of one problem under the rule of the reserve. It implements puzzle.Puzzle,
// puzzle.Exporter and puzzle.Recounter.
type Puzzle struct {
	problem         peg.Problem
	windowAddresses uint64
	hole            int
	reason          string // why there is no solution, when that is known beforehand; then there is nothing else below

	sides    []*side // from the start, and from the complement of the goal unless that is the start
	jumps    int     // from start to goal
	meeting  int     // after so many jumps the sides meet
	meetings []*meeting
}

// Names of the meetings: the moment has come, or not yet.
const (
	doneName    = "done"
	pendingName = "pending"
)

// A meeting is one of the two sums.
type meeting struct {
	*join.Join
	name string // begins the keys of its cells, and names the scalar that its windows report
	// share is the sum over a window of the near side.
	share func(ctx context.Context, w puzzle.Window, in puzzle.Source) (uint128.Uint128, error)
}

// New prepares the run for the problem of p. The error may wrap ErrVacancy.
func New(p counting.Params) (*Puzzle, error) {
	b := p.Board
	empty := b.Complement(p.Start)
	if empty.Pegs() != 1 {
		return nil, fmt.Errorf("%d holes are empty: %w", empty.Pegs(), ErrVacancy)
	}
	s := &Puzzle{problem: peg.Problem{Board: b, Start: p.Start, Goal: p.Goal}, windowAddresses: p.WindowAddresses}
	for !empty.Has(s.hole) {
		s.hole++
	}
	s.jumps = p.Start.Pegs() + 1 - p.Goal.Pegs()
	s.meeting = s.jumps / 2
	if s.reason = forbidden(b, p.Goal); s.reason != "" {
		return s, nil
	}
	group := s.problem.Symmetries()
	for i, from := range []peg.Position{p.Start, b.Complement(p.Goal)} {
		if i == 1 && from == p.Start {
			break
		}
		x, err := newSide(b, group, from, s.hole, p.WindowAddresses, fmt.Sprintf("before%d-", i), fmt.Sprintf("after%d-", i))
		if err != nil {
			return nil, err
		}
		s.sides = append(s.sides, x)
	}
	return s, s.meet(group[0])
}

// meet makes the two sums.
func (s *Puzzle) meet(identity peg.Perm) error {
	near, far := s.sides[0], s.sides[len(s.sides)-1]
	done, err := join.New(near.after, far.before, identity, s.meeting, s.jumps)
	if err != nil {
		return err
	}
	pending, err := join.New(far.after, near.before, identity, s.jumps-s.meeting, s.jumps)
	if err != nil {
		return err
	}
	s.meetings = []*meeting{
		{Join: done, name: doneName, share: done.Passing},
		{Join: pending, name: pendingName, share: pending.ByJumps},
	}
	return nil
}

// Identity names the parameters that decide the result.
func (s *Puzzle) Identity() puzzle.Identity {
	b := s.problem.Board
	return puzzle.Identity{Puzzle: "peg", Params: []puzzle.Param{
		{Name: "count", Value: "solutions"},
		{Name: "lattice", Value: b.Pattern()},
		{Name: "board", Value: peg.FormatLine(b, b.Full())},
		{Name: "start", Value: peg.FormatLine(b, s.problem.Start)},
		{Name: "goal", Value: peg.FormatLine(b, s.problem.Goal)},
		{Name: "reserve", Value: "true"},
		{Name: "window_addresses", Value: strconv.FormatUint(s.windowAddresses, 10)},
	}}
}

// Columns names the stored columns: the number of paths to a position, in two words.
func (s *Puzzle) Columns() []string { return []string{"paths_lo", "paths_hi"} }

// last is the last layer that is stored.
func (s *Puzzle) last() int { return max(s.meeting, s.jumps-s.meeting) }

// depth returns the last layers of a side that are stored, before and after the moment.
func (s *Puzzle) depth(x *side) (before, after int) {
	before, after = -1, -1
	for _, m := range s.meetings {
		if m.Far == x.before {
			before = max(before, m.FarJumps)
		}
		if m.Near == x.after {
			before, after = max(before, m.Jumps), max(after, m.Jumps-1)
		}
	}
	return before, after
}

// Layer plans the positions after n jumps, those before the moment first, because they feed the others; and last the
// meetings.
func (s *Puzzle) Layer(n int, _ puzzle.Results) ([]puzzle.CellPlan, error) {
	var cells []puzzle.CellPlan
	switch {
	case len(s.sides) == 0 || n > s.last()+1:
		return nil, puzzle.ErrNoLayer
	case n == s.last()+1:
		for _, m := range s.meetings {
			cells = append(cells, m.plan(n)...)
		}
		if len(cells) == 0 {
			return nil, puzzle.ErrNoLayer
		}
		return cells, nil
	}
	for _, x := range s.sides {
		before, after := s.depth(x)
		if n <= before && n < len(x.before.Layers) {
			cells = append(cells, x.before.Plan(n)...)
		}
		if n <= after && n < len(x.after.Layers) {
			cells = append(cells, x.after.Plan(n)...)
		}
	}
	return cells, nil
}

// LeastWindows implements puzzle.Sizer.
func (s *Puzzle) LeastWindows() (windows uint64) {
	for _, x := range s.sides {
		before, after := s.depth(x)
		windows += x.before.LeastWindows(before+1) + x.after.LeastWindows(after+1)
	}
	return windows
}

// plan plans a meeting in layer n: a cell for each cell of the near side that the far side has complements of.
func (m *meeting) plan(n int) []puzzle.CellPlan {
	if m.Jumps >= len(m.Near.Layers) {
		return nil
	}
	var cells []puzzle.CellPlan
	for i, p := range m.Near.Plan(m.Jumps) {
		v := m.Near.Layers[m.Jumps][i]
		parents := append([]puzzle.Cell{}, p.Parents...)
		var far uint64
		for _, u := range m.FarVectors(v) {
			parents = counting.AppendCell(parents, puzzle.Cell{Layer: m.FarJumps, Key: m.Far.Key(u)})
			far += m.Far.Space.Addresses(u)
		}
		if far == 0 {
			continue
		}
		p.WindowBytes = nil
		p.Parents, p.MemoryBytes, p.LeastBytes, p.RowBytes = parents, p.MemoryBytes+16*far, 0, 0
		p.Work += p.Work / 2
		p.Cell = puzzle.Cell{Layer: n, Key: m.name + "-" + v.Key()}
		cells = append(cells, p)
	}
	return cells
}

// Compute computes one window.
func (s *Puzzle) Compute(
	ctx context.Context,
	w puzzle.Window,
	in puzzle.Source,
	out puzzle.Sink,
) (puzzle.Tally, error) {
	if w.Layer <= s.last() {
		if e := s.enumerationOf(w.Cell); e != nil {
			return e.ComputeWindow(ctx, w, in, out)
		}
	}
	for _, m := range s.meetings {
		key, ok := strings.CutPrefix(w.Key, m.name+"-")
		v, err := partition.ParseKey(key)
		if !ok || err != nil || w.Layer != s.last()+1 {
			continue
		}
		w.Cell = puzzle.Cell{Layer: m.Jumps, Key: m.Near.Key(v)}
		n, err := m.share(ctx, w, in)
		if err != nil {
			return puzzle.Tally{}, err
		}
		var t puzzle.Tally
		return t, t.AddSum(m.name, n)
	}
	return puzzle.Tally{}, fmt.Errorf("window %s: no such cell in this run", w)
}

// enumerationOf returns the enumeration that a cell belongs to, nil when it belongs to none.
func (s *Puzzle) enumerationOf(c puzzle.Cell) *counting.Enumeration {
	for _, x := range s.sides {
		for _, e := range []*counting.Enumeration{x.before, x.after} {
			if strings.HasPrefix(c.Key, e.Name) {
				return e
			}
		}
	}
	return nil
}

// CheckTally implements puzzle.TallyChecker for the windows of enumerations.
func (s *Puzzle) CheckTally(w puzzle.Window, rows uint64, t *puzzle.Tally) error {
	if e := s.enumerationOf(w.Cell); e != nil {
		return e.CheckTally(w, rows, t)
	}
	return nil // a meeting, which stores no rows and reports one number
}
