package tiles

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"pagoda/internal/puzzle"
	"pagoda/internal/uint128"
)

// Bounds of a plan. A survey is cut into some 64 windows, of one block at most, unless that would be too many of them.
const (
	goodWindows = 64
	minWindow   = 512
	maxWindows  = 1 << 20
)

// Params choose a survey.
type Params struct {
	Rows, Cols, Colours int
	// WindowSlots bounds the size of a window in ranks; 0 means no bound but the survey's own, a 64th of the ranks within
	// 512 to 65536. It changes no result.
	WindowSlots uint64
}

// A Survey finds the number of finals, and more, of every initial grid of a shape. It is a puzzle of one layer without
// parents, with one cell, whose addresses are the ranks of a Census; a rank has a row when its grid is canonical under
// the symmetries too. Safe for concurrent use.
type Survey struct {
	shape   Shape
	slots   uint64 // grids up to colours
	window  uint64
	census  *Census
	syms    []symmetry
	solvers sync.Pool
	plan    func() (puzzle.CellPlan, error)
}

var _ puzzle.Exporter = (*Survey)(nil)

// surveyCell is the only cell of a survey.
var surveyCell = puzzle.Cell{Layer: 0, Key: "grids"}

// The columns of a stored row.
const (
	colFinals        = iota
	colOrbit         // grids in the class
	colEqual         // pairs of adjacent blocks that miss the same colours
	colDistributions // different tile distributions among the finals
	colPermutations  // finals that are the initial grid with its colours permuted
	colCyclic        // candidates that agree in pairs of blocks but have a cycle
	columns
)

// New returns the survey of a shape. The error wraps ErrShape, and says so when the survey is too large to be planned.
func New(p Params) (*Survey, error) {
	s := &Survey{shape: Shape{Rows: p.Rows, Cols: p.Cols, Colours: p.Colours}}
	var err error
	if s.census, err = NewCensus(s.shape); err != nil {
		return nil, err
	}
	up := s.census.UpToColours()
	if up.Hi != 0 || up.Lo > 1<<62 {
		return nil, fmt.Errorf("%w: a survey of %v has %v grids up to colours, past any addresses; choose a smaller grid",
			ErrShape, s.shape, up)
	}
	s.window = max(min(max(up.Lo/goodWindows+1, minWindow), puzzle.BlockSlots), up.Lo/maxWindows+1)
	if p.WindowSlots != 0 && p.WindowSlots < s.window {
		s.window = p.WindowSlots
	}
	if (up.Lo-1)/s.window >= maxWindows {
		return nil, fmt.Errorf("%w: %v grids up to colours in windows of %d are more than %d windows; choose window_slots "+
			"of %d or more", ErrShape, up, s.window, maxWindows, up.Lo/maxWindows+1)
	}
	s.slots = up.Lo
	s.syms = s.shape.symmetries()
	s.solvers.New = func() any {
		sv, err := NewSolver(s.shape)
		if err != nil {
			panic(err) // the shape was checked
		}
		return sv
	}
	s.plan = sync.OnceValues(s.planCell)
	return s, nil
}

// Shape returns the shape surveyed.
func (s *Survey) Shape() Shape { return s.shape }

// Census returns the numbering of the grids.
func (s *Survey) Census() *Census { return s.census }

// Identity implements puzzle.Puzzle.
func (s *Survey) Identity() puzzle.Identity {
	return puzzle.Identity{Puzzle: "tiles", Params: []puzzle.Param{
		{Name: "rows", Value: strconv.Itoa(s.shape.Rows)},
		{Name: "cols", Value: strconv.Itoa(s.shape.Cols)},
		{Name: "colours", Value: strconv.Itoa(s.shape.Colours)},
		{Name: "window_slots", Value: strconv.FormatUint(s.window, 10)},
	}}
}

// Columns implements puzzle.Puzzle.
func (s *Survey) Columns() []string {
	return []string{"finals", "orbit", "equal_adjacent", "distributions", "permutations", "cyclic"}
}

// Layer implements puzzle.Puzzle: there is one.
func (s *Survey) Layer(n int, _ puzzle.Results) ([]puzzle.CellPlan, error) {
	if n != 0 {
		return nil, puzzle.ErrNoLayer
	}
	p, err := s.plan()
	if err != nil {
		return nil, err
	}
	return []puzzle.CellPlan{p}, nil
}

func (s *Survey) planCell() (puzzle.CellPlan, error) {
	p := puzzle.CellPlan{Cell: surveyCell, Slots: s.slots}
	for first := uint64(0); first < s.slots; first += s.window {
		p.Cuts = append(p.Cuts, first)
	}
	steps, rows, err := s.sample()
	if err != nil {
		return p, err
	}
	p.Work = steps * float64(s.slots)
	// The bitmap, and about six bytes of columns for a row.
	p.RowBytes = float64(s.slots)/8 + 6*rows*float64(s.slots)
	// The levels of a solver when all are full, one block of rows, and tables and maps that no survey has filled.
	p.MemoryBytes = uint64(s.shape.Cells()*3*levelCap*12 + puzzle.BlockSlots*columns*8 + 16<<20)
	return p, nil
}

// sample predicts, from stretches of grids spread evenly over the ranks, the steps and the rows per rank. A step is a
// partial final extended or a whole one checked. It costs a bounded number of steps and is the same every time.
func (s *Survey) sample() (steps, rows float64, err error) {
	const stretches, length, budget = 16, 256, 1 << 14
	sv := s.solver()
	defer s.solvers.Put(sv)
	var seen, kept uint64
	var heads, rest, headSteps, restSteps uint64 // a stretch's first grid shares nothing with the one before
	for i := range uint64(stretches) {
		first, _ := uint128.Mul(s.slots, i).QuoRem64(stretches)
		w := newWalk(s.shape, s.census.unrank(first))
		from, head := sv.steps, true
		for n := 0; n < length && sv.steps-from < budget; n++ {
			if _, ok := canonical(s.syms, &w.grid); ok {
				before := sv.steps
				if err := sv.solve(context.Background(), &w.grid, func(*planes) {}); err != nil {
					return 0, 0, err
				}
				kept++
				if head {
					heads, headSteps, head = heads+1, headSteps+sv.steps-before, false
				} else {
					rest, restSteps = rest+1, restSteps+sv.steps-before
				}
			}
			seen++
			if !w.next() {
				break
			}
		}
	}
	if rest == 0 {
		rest, restSteps = max(heads, 1), headSteps
	}
	rows = float64(kept) / float64(seen)
	return float64(restSteps) / float64(rest) * rows, rows, nil
}

func (s *Survey) solver() *Solver { return s.solvers.Get().(*Solver) }
