package ways

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"pagoda/internal/counting"
	"pagoda/internal/counting/join"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

// A Puzzle counts the solutions of one problem. For every position that is reachable and winnable it counts the paths
// from the start to it and the ways from it to the goal: paths x ways solutions pass through it.
//
// Two enumerations meet as in Solutions, but under the symmetries that fix both start and goal, since ways have no
// others; both are stored up to the layer where they meet. Then a pass goes back over each. The pass over the
// enumeration from the start gives the layers up to the meeting, the one over the enumeration from the goal's
// complement, by complement, those after it. Where a symmetry exchanges the two ends of the problem, one enumeration
// and one pass serve both.
//
// It implements puzzle.Puzzle, puzzle.Exporter and, with the rows of a finished run, answers questions about single
// positions, draws solutions and says where the pegs of solutions are.
type Puzzle struct {
	problem         peg.Problem
	windowAddresses uint64
	earlier         bool   // the puzzle of earlier programs
	reason          string // why there is no solution, when that is known beforehand; then there is nothing else below

	near, far *counting.Enumeration
	turn      peg.Perm // takes complements of near's positions to far's; the identity where there are two enumerations
	jumps     int      // from start to goal
	meeting   int      // after so many jumps near and far meet
	first     int      // layer of the run in which they do
	passes    []*Pass  // over near; and over far, unless it is near
}

// New prepares the run for the problem of p.
func New(p counting.Params) (*Puzzle, error) {
	return newPuzzle(peg.Problem{Board: p.Board, Start: p.Start, Goal: p.Goal}, p.WindowAddresses, false)
}

// Earlier is the puzzle of programs in which enumerations met where they have the fewest addresses.
func (t *Puzzle) Earlier() (puzzle.Puzzle, error) { return t.EarlierWays() }

// EarlierWays is Earlier, for puzzles of which this one is a part.
func (t *Puzzle) EarlierWays() (*Puzzle, error) { return newPuzzle(t.problem, t.windowAddresses, true) }

func newPuzzle(p peg.Problem, windowAddresses uint64, earlier bool) (*Puzzle, error) {
	t := &Puzzle{problem: p, windowAddresses: windowAddresses, earlier: earlier}
	t.jumps = t.problem.Jumps()
	var forbidden bool
	if t.reason, forbidden = t.problem.Forbidden(); forbidden {
		return t, nil
	}
	group := t.problem.Symmetries()
	var err error
	if t.near, err = counting.NewUnder(p.Board, group, p.Start, windowAddresses, "from0-"); err != nil {
		return nil, err
	}
	if !t.exchange() {
		t.turn, t.far = group[0], nil
		end := p.Board.Complement(p.Goal)
		if t.far, err = counting.NewUnder(p.Board, group, end, windowAddresses, "from1-"); err != nil {
			return nil, err
		}
		t.meeting = counting.Meeting(t.near, t.far, t.jumps, 0, earlier)
	}
	t.first = max(t.meeting, t.jumps-t.meeting) + 1
	j, err := join.New(t.near, t.far, t.turn, t.meeting, t.jumps)
	if err != nil {
		return nil, err
	}
	t.passes = []*Pass{newPass(j, "ways0", t.first)}
	if t.near != t.far {
		if j, err = join.New(t.far, t.near, t.turn, t.jumps-t.meeting, t.jumps); err != nil {
			return nil, err
		}
		t.passes = append(t.passes, newPass(j, "ways1", t.first))
	}
	return t, nil
}

// Problem returns the problem of the run.
func (t *Puzzle) Problem() peg.Problem { return t.problem }

// exchange looks for a symmetry that exchanges start and complement of the goal, preferably one that keeps the fields
// of addresses, and makes near serve as far. It reports whether there is any.
func (t *Puzzle) exchange() bool {
	b := t.problem.Board
	end := b.Complement(t.problem.Goal)
	for _, g := range b.Symmetries() {
		if g.Apply(end) != t.problem.Start || g.Apply(t.problem.Start) != end {
			continue
		}
		s := t.near.Space
		fields := join.SameFields(s, s, s.SpreadTo(s, g))
		if t.turn == nil || fields {
			t.turn = g
		}
		if fields {
			break
		}
	}
	t.far, t.meeting = t.near, t.jumps/2
	return t.turn != nil
}

// Identity names the parameters that decide the result.
func (t *Puzzle) Identity() puzzle.Identity {
	id := t.EarlierIdentity()
	if t.near != t.far && !t.earlier { // where they meet depends on the rates of the program
		id.Params = append(id.Params, puzzle.Param{Name: "meeting", Value: strconv.Itoa(t.meeting)})
	}
	return id
}

// EarlierIdentity is Identity without the meeting.
func (t *Puzzle) EarlierIdentity() puzzle.Identity {
	b := t.problem.Board
	return puzzle.Identity{Puzzle: "peg", Params: []puzzle.Param{
		{Name: "count", Value: "solutions"},
		{Name: "lattice", Value: b.Pattern()},
		{Name: "board", Value: peg.FormatLine(b, b.Full())},
		{Name: "start", Value: peg.FormatLine(b, t.problem.Start)},
		{Name: "goal", Value: peg.FormatLine(b, t.problem.Goal)},
		{Name: "store_ways", Value: "true"},
		{Name: "window_addresses", Value: strconv.FormatUint(t.windowAddresses, 10)},
	}}
}

// Columns names the stored columns: the paths to a position, in two words, and in the rows of a pass the ways from it
// to the goal. Rows of an enumeration have no ways.
func (t *Puzzle) Columns() []string {
	return []string{"paths_lo", "paths_hi", "ways_lo", "ways_hi"}
}

// Layer plans the enumerations up to where they meet, and then the passes back over them.
func (t *Puzzle) Layer(n int, _ puzzle.Results) ([]puzzle.CellPlan, error) {
	if t.near == nil || n >= t.Layers() {
		return nil, puzzle.ErrNoLayer
	}
	var cells []puzzle.CellPlan
	if n < t.first {
		for _, s := range t.enumerations() {
			if n <= t.depth(s) && n < len(s.Layers) {
				cells = append(cells, s.Plan(n)...)
			}
		}
		return cells, nil
	}
	for _, p := range t.passes {
		cells = append(cells, p.Plan(p.Jumps-(n-t.first))...)
	}
	return cells, nil
}

// LeastWindows implements puzzle.Sizer.
func (t *Puzzle) LeastWindows() (windows uint64) {
	if t.near == nil {
		return 0
	}
	for _, s := range t.enumerations() {
		windows += s.LeastWindows(t.depth(s) + 1)
	}
	return windows
}

// Layers is the number of layers of the run.
func (t *Puzzle) Layers() int {
	n := t.first
	for _, p := range t.passes {
		n = max(n, p.layer(0)+1)
	}
	return n
}

func (t *Puzzle) enumerations() []*counting.Enumeration {
	if t.near == t.far {
		return []*counting.Enumeration{t.near}
	}
	return []*counting.Enumeration{t.near, t.far}
}

// Passes returns the passes: over the enumeration from the start, and over that from the complement of the goal unless
// one serves as both. There are none when it is known beforehand that there is no solution.
func (t *Puzzle) Passes() []*Pass { return t.passes }

// Turn takes the complements of positions of the game from the start to the positions of the last pass, hole by hole.
func (t *Puzzle) Turn() peg.Perm { return t.turn }

// depth is the last layer of an enumeration that is computed.
func (t *Puzzle) depth(s *counting.Enumeration) int {
	d := 0
	if s == t.near {
		d = t.meeting
	}
	if s == t.far {
		d = max(d, t.jumps-t.meeting)
	}
	return d
}

// Compute computes one window of an enumeration or of a pass.
func (t *Puzzle) Compute(
	ctx context.Context, w puzzle.Window, in puzzle.Source, out puzzle.Sink,
) (puzzle.Tally, error) {
	if p := t.passOf(w.Cell); p != nil {
		return p.compute(ctx, w, in, out)
	}
	for _, s := range t.enumerations() {
		if s != nil && w.Layer < t.first && strings.HasPrefix(w.Key, s.Name) {
			return s.ComputeWindow(ctx, w, in, out)
		}
	}
	return puzzle.Tally{}, fmt.Errorf("window %s: no such cell in this run", w)
}

// passOf returns the pass that a cell belongs to, nil when it belongs to none.
func (t *Puzzle) passOf(c puzzle.Cell) *Pass {
	for _, p := range t.passes {
		if p.owns(c) {
			return p
		}
	}
	return nil
}

// CheckTally implements puzzle.TallyChecker.
func (t *Puzzle) CheckTally(w puzzle.Window, rows uint64, tally *puzzle.Tally) error {
	for _, p := range t.passes {
		if p.owns(w.Cell) {
			return p.check(w, rows, tally)
		}
	}
	for _, e := range []*counting.Enumeration{t.near, t.far} {
		if e != nil && w.Layer < t.first && strings.HasPrefix(w.Key, e.Name) {
			return e.CheckTally(w, rows, tally)
		}
	}
	return nil
}
