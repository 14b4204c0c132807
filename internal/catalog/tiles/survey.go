package tiles

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"sync"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// Bounds of a plan. A survey is cut into some 64 windows; a large one into more, which still take a good part of a
// second each, so that a window costs little beside its grids.
const (
	goodWindows = 64
	minWindow   = 512
	goodWindow  = 16 * puzzle.BlockAddresses
	maxWindows  = 1 << 20
)

// ErrWindowAddresses is wrapped by New when windows of the wanted size would be too many.
var ErrWindowAddresses = errors.New("window_addresses is too small for this survey")

// Params choose a survey.
type Params struct {
	Rows, Cols, Colours int
	// WindowAddresses bounds the size of a window in ranks; 0 means no bound but the survey's own, a 64th of the ranks
	// within 512 to 1048576. It changes no result.
	WindowAddresses uint64
}

// A Survey finds the number of finals, and more, of every initial grid of a shape. It is a puzzle of one layer without
// parents, with one cell, whose addresses are the ranks of a Census; a rank has a row when its grid is canonical under
// the symmetries too. Safe for concurrent use.
type Survey struct {
	shape     Shape
	addresses uint64 // grids up to colours
	window    uint64
	census    *Census
	syms      []symmetry
	solvers   sync.Pool
	plan      func() (puzzle.CellPlan, error)
}

var (
	_ puzzle.Exporter = (*Survey)(nil)
	_ puzzle.Uneven   = (*Survey)(nil)
)

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

// New returns the survey of a shape. The error wraps ErrShape, also when the survey is too large to be planned, or
// ErrWindowAddresses.
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
	s.window = max(min(max(up.Lo/goodWindows+1, minWindow), goodWindow), up.Lo/maxWindows+1)
	if p.WindowAddresses != 0 && p.WindowAddresses < s.window {
		s.window = p.WindowAddresses
	}
	if (up.Lo-1)/s.window >= maxWindows {
		return nil, fmt.Errorf("%w: %v grids up to colours in windows of %d are more than %d windows; choose %d or more",
			ErrWindowAddresses, up, s.window, maxWindows, up.Lo/maxWindows+1)
	}
	s.addresses = up.Lo
	s.syms = s.shape.symmetries()
	s.solvers.New = func() any {
		sv, err := newSolver(s.shape)
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
		{Name: "columns", Value: strconv.Itoa(s.shape.Cols)},
		{Name: "colours", Value: strconv.Itoa(s.shape.Colours)},
		{Name: "window_addresses", Value: strconv.FormatUint(s.window, 10)},
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
	p := puzzle.CellPlan{Cell: surveyCell, Addresses: s.addresses}
	for first := uint64(0); first < s.addresses; first += s.window {
		p.Cuts = append(p.Cuts, first)
	}
	steps, rows, err := s.sample(0, s.addresses)
	if err != nil {
		return p, err
	}
	p.Work = steps * float64(s.addresses)
	// The bitmap, and about six bytes of columns for a row.
	p.RowBytes = float64(s.addresses)/8 + 6*rows*float64(s.addresses)
	// The levels of a solver when all are full, one block of rows, and tables and maps that no survey has filled.
	p.MemoryBytes = uint64(s.shape.Cells()*3*levelCap*12 + puzzle.BlockAddresses*columns*8 + 16<<20)
	return p, nil
}

// WindowWork implements puzzle.Uneven: low ranks have most of the canonical grids and of the work.
func (s *Survey) WindowWork(w puzzle.Window) (float64, error) {
	steps, _, err := s.sample(w.First, w.Addresses)
	return steps * float64(w.Addresses), err
}

// Costs in steps of a partial final, which takes some 10 ns: of visiting a rank and finding its grid canonical or not;
// of a row beside its finals, with its totals and its code; of a final in the totals.
const (
	rankSteps  = 7
	rowSteps   = 50
	finalSteps = 28
)

// sample predicts, from stretches of grids spread evenly over some ranks, the steps and the rows per rank. A step is a
// partial final extended or a whole one checked. It costs a bounded number of steps and is the same every time.
func (s *Survey) sample(from, ranks uint64) (steps, rows float64, err error) {
	const most, least, budget = 256, 16, 1 << 21
	sv := s.solver()
	defer s.solvers.Put(sv)
	begin, n := sv.steps, 0
	for ; n < most && (n < least || sv.steps-begin < budget); n++ {
		// Reversed bits spread the stretches evenly however many they are. Low ranks have most of the canonical grids and
		// of the work, so each stands for its share of the ranks and starts in the middle of it.
		at := 2*uint64(bits.Reverse8(uint8(n))) + 1
		first, _ := uint128.Mul(ranks, at).QuoRem64(2 * most)
		c, r, err := s.stretch(sv, from+first.Lo)
		if err != nil {
			return 0, 0, err
		}
		steps += c
		rows += r
	}
	steps, rows = steps/float64(n), rows/float64(n)
	return rankSteps + rowSteps*rows + steps, rows, nil
}

// stretch finds the steps of finals and the rows per rank from the given one on. The first canonical grid has no prefix
// to share and does not count unless it is alone. Further ones are solved until the budget is used up; the rest count
// at their average.
func (s *Survey) stretch(sv *finalSolver, first uint64) (steps, rows float64, err error) {
	const length, budget = 64, 1 << 12
	w := newWalk(s.shape, s.census.unrank(uint128.From(first)))
	sv.shared = -1
	var seen, kept, solved, alone, spent uint64
	for more := true; more && seen < length; more = w.next() {
		seen++
		if _, ok := canonical(s.syms, &w.grid); !ok {
			continue
		}
		if kept++; spent > budget {
			continue
		}
		before, finals := sv.steps, uint64(0)
		if err := sv.solve(context.Background(), &w.grid, func(*planes) { finals++ }); err != nil {
			return 0, 0, err
		}
		took := sv.steps - before + finalSteps*finals
		if solved++; solved == 1 {
			alone = took
		} else {
			spent += took
		}
	}
	rows = float64(kept) / float64(seen)
	switch solved {
	case 0:
		return 0, rows, nil
	case 1:
		return rows * float64(alone), rows, nil
	default:
		return rows * float64(spent) / float64(solved-1), rows, nil
	}
}

func (s *Survey) solver() *finalSolver { return s.solvers.Get().(*finalSolver) }
