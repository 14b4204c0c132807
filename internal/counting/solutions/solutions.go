package solutions

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"pagoda/internal/counting"
	"pagoda/internal/counting/join"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

// A Puzzle counts the solutions of problems of one board by complement: enumerations from the starts and from the
// complements of the goals, each as far as a join needs it, and one join for each problem. It implements puzzle.Puzzle
// and puzzle.Exporter.
type Puzzle struct {
	Remark string // a note of the summary of all pairs; "" for none

	board           *peg.Board
	start           peg.Position // not of all pairs
	windowAddresses uint64
	allPairs        bool
	earlier         bool       // the puzzle of earlier programs
	goals           *peg.Goals // of one start; nil for one goal, and for all pairs
	problems        []*problem
	meetings        []*meeting
	enumerations    []*counting.Enumeration
	depth           []int // by enumeration: the last layer that a join reads
	joinLayer       int
	stride          int // windows of the joined layer that are one of its joins
}

// A problem of the run.
type problem struct {
	peg.Problem
	class  []peg.Pair // the pairs it stands for, in a run of all pairs
	images int        // the goals it stands for, in a run of several
	reason string     // why it has no solution; "" where that is not known beforehand
	join   *join.Join // nil where there is a reason
	sum    string     // of its join: the scalar that the windows report
	// fromNear takes positions of the near enumeration to those of the problem; the former may begin at an image of the
	// start. orbits has the canonical ones, and is made when it is first needed.
	fromNear peg.Perm
	orbits   func() *peg.Orbits
}

// New prepares counting the solutions from p.Start to p.Goal.
func New(p counting.Params) (*Puzzle, error) {
	return newOne(peg.Problem{Board: p.Board, Start: p.Start, Goal: p.Goal}, p.WindowAddresses, false)
}

// Earlier is the puzzle of programs in which the enumerations of one problem met where they have the fewest addresses.
func (s *Puzzle) Earlier() (puzzle.Puzzle, error) {
	return newOne(s.problems[0].Problem, s.windowAddresses, true)
}

func newOne(q peg.Problem, windowAddresses uint64, earlier bool) (*Puzzle, error) {
	s := &Puzzle{
		board: q.Board, start: q.Start, windowAddresses: windowAddresses, problems: []*problem{{Problem: q}},
		earlier: earlier,
	}
	return s, s.prepare()
}

// NewPairs prepares counting the solutions of every pair of a start vacancy and a final peg that the rule of three
// allows. It counts one of each class under the symmetries of the board. Start and Goal of p are not used. A pair and
// its reverse are both counted: that they agree is a check.
func NewPairs(p counting.Params) (*Puzzle, error) {
	var list []*problem
	for _, class := range peg.PairClasses(p.Board, false) {
		list = append(list, &problem{Problem: class[0].Problem(p.Board), class: class})
	}
	s := &Puzzle{board: p.Board, start: p.Start, windowAddresses: p.WindowAddresses, problems: list, allPairs: true}
	return s, s.prepare()
}

// alone reports whether the run has one problem.
func (s *Puzzle) alone() bool { return !s.allPairs && s.goals == nil }

// prepare makes the joins of the problems and the enumerations that they need.
func (s *Puzzle) prepare() error {
	byStart := map[peg.Position]int{}
	for i, q := range s.problems {
		if reason, forbidden := q.Forbidden(); forbidden {
			q.reason = reason
			continue
		}
		near, a, err := s.enumerationFrom(q.Start, byStart)
		if err != nil {
			return err
		}
		far, b, err := s.enumerationFrom(s.board.Complement(q.Goal), byStart)
		if err != nil {
			return err
		}
		if !s.alone() { // not all enumerations are made where one is too large already
			if err := puzzle.CheckSize(s.enumerations[near].LeastWindows((q.Jumps() + 1) / 2)); err != nil {
				return err
			}
		}
		q.fromNear = a.Inverse()
		q.orbits = sync.OnceValue(func() *peg.Orbits {
			return peg.NewOrbits(peg.Stabiliser(s.board.Symmetries(), q.Start))
		})
		q.sum = fmt.Sprintf("join%d", i)
		// An enumeration that serves both sides, or many joins of all pairs, goes half-way at least, and no layer more than
		// it has to. No join is at the start itself: a second one must be possible a layer before.
		jumps := (q.Jumps() + 1) / 2
		if s.alone() && near != far {
			jumps = counting.Meeting(s.enumerations[near], s.enumerations[far], q.Jumps(), min(1, q.Jumps()), s.earlier)
		}
		if q.join, err = join.New(
			s.enumerations[near],
			s.enumerations[far],
			b.Compose(a.Inverse()),
			jumps,
			q.Jumps(),
		); err != nil {
			return err
		}
	}
	s.arrange()
	return nil
}

// enumerationFrom returns the enumeration that begins at the smallest image of start under the symmetries of the board,
// and a symmetry that takes start there. Starts that are images of each other share it.
func (s *Puzzle) enumerationFrom(start peg.Position, byStart map[peg.Position]int) (int, peg.Perm, error) {
	var best peg.Perm
	least := ^peg.Position(0)
	for _, g := range s.board.Symmetries() {
		if p := g.Apply(start); p < least {
			least, best = p, g
		}
	}
	if i, ok := byStart[least]; ok {
		return i, best, nil
	}
	i := len(s.enumerations)
	en, err := counting.New(s.board, least, s.windowAddresses, fmt.Sprintf("from%d-", i))
	if err != nil {
		return 0, nil, err
	}
	byStart[least] = i
	s.enumerations = append(s.enumerations, en)
	return i, best, nil
}

// Identity names the parameters that decide the result.
func (s *Puzzle) Identity() puzzle.Identity {
	id := s.EarlierIdentity()
	if !s.alone() || s.earlier {
		return id
	}
	if j := s.problems[0].join; j != nil && j.Near != j.Far { // where they meet depends on the rates of the program
		id.Params = append(id.Params, puzzle.Param{Name: "meeting", Value: strconv.Itoa(j.Jumps)})
	}
	return id
}

// EarlierIdentity is Identity without the meeting.
func (s *Puzzle) EarlierIdentity() puzzle.Identity {
	id := puzzle.Identity{Puzzle: "peg", Params: []puzzle.Param{
		{Name: "count", Value: "solutions"},
		{Name: "lattice", Value: s.board.Pattern()},
		{Name: "board", Value: peg.FormatLine(s.board, s.board.Full())},
	}}
	if s.allPairs {
		id.Params = append(id.Params, puzzle.Param{Name: "pairs", Value: "all"})
	} else {
		id.Params = append(id.Params,
			puzzle.Param{Name: "start", Value: peg.FormatLine(s.board, s.start)},
			puzzle.Param{Name: "goal", Value: s.goalText()})
	}
	id.Params = append(id.Params, puzzle.Param{Name: "window_addresses", Value: strconv.FormatUint(s.windowAddresses, 10)})
	if s.stride > 1 {
		id.Params = append(id.Params, puzzle.Param{Name: "windows_joined", Value: strconv.Itoa(s.stride)})
	}
	return id
}

// Columns names the stored columns: the number of paths to a position, in two words. Joins store no rows.
func (s *Puzzle) Columns() []string { return []string{"paths_lo", "paths_hi"} }

// Layer plans the positions after n jumps, of every enumeration that goes so far; and last the joins.
func (s *Puzzle) Layer(n int, _ puzzle.Results) ([]puzzle.CellPlan, error) {
	var cells []puzzle.CellPlan
	switch {
	case n < s.joinLayer:
		for i, en := range s.enumerations {
			if n <= s.depth[i] && n < len(en.Layers) {
				cells = append(cells, en.Plan(n)...)
			}
		}
		return cells, nil
	case n == s.joinLayer:
		for _, m := range s.meetings {
			cells = append(cells, m.plan(n)...)
		}
		if len(cells) > 0 {
			return cells, nil
		}
	}
	return nil, puzzle.ErrNoLayer
}

// LeastWindows implements puzzle.Sizer.
func (s *Puzzle) LeastWindows() (windows uint64) {
	for i, en := range s.enumerations {
		windows += en.LeastWindows(min(s.depth[i]+1, s.joinLayer))
	}
	return windows
}

// Compute computes one window of an enumeration or of a join.
func (s *Puzzle) Compute(
	ctx context.Context, w puzzle.Window, in puzzle.Source, out puzzle.Sink,
) (puzzle.Tally, error) {
	if w.Layer < s.joinLayer {
		en, err := s.enumerationOf(w.Cell)
		if err != nil {
			return puzzle.Tally{}, err
		}
		return en.ComputeWindow(ctx, w, in, out)
	}
	for _, m := range s.meetings {
		if t, ok, err := m.compute(ctx, w, in); ok {
			return t, err
		}
	}
	return puzzle.Tally{}, fmt.Errorf("window %s: no such cell in this run", w)
}

// Holds implements puzzle.Weigher.
func (s *Puzzle) Holds(w puzzle.Window, planned uint64, tally puzzle.Tallies) (uint64, error) {
	if w.Layer < s.joinLayer {
		en, err := s.enumerationOf(w.Cell)
		if err != nil {
			return 0, err
		}
		return en.Holds(w, planned, tally)
	}
	for _, m := range s.meetings {
		if bytes, ok, err := m.holds(w, planned, tally); ok {
			return bytes, err
		}
	}
	return 0, fmt.Errorf("window %s: no such cell in this run", w)
}

func (s *Puzzle) enumerationOf(c puzzle.Cell) (*counting.Enumeration, error) {
	for _, en := range s.enumerations {
		if strings.HasPrefix(c.Key, en.Name) {
			return en, nil
		}
	}
	return nil, fmt.Errorf("cell %d/%s: no such cell in this run", c.Layer, c.Key)
}

// CheckTally implements puzzle.TallyChecker for the windows of enumerations.
func (s *Puzzle) CheckTally(w puzzle.Window, rows uint64, t *puzzle.Tally) error {
	e, err := s.enumerationOf(w.Cell)
	if err != nil {
		return nil //nolint:nilerr // a join, which stores no rows and reports one number
	}
	return e.CheckTally(w, rows, t)
}
