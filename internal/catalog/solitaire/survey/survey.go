// Package survey finds how far the criteria of package feasible go: of all problems of a kind on a board it says
// which can be solved, and which criterion is the first to forbid each of the others, if any.
//
// There are three kinds: from one vacancy to one peg; from every position to one peg; and from every position to every
// other. A survey is a puzzle of one layer without parents. Its addresses are starts, and one of each symmetry class is
// looked at; a cell has the starts with as many pegs.
//
// Whether a problem can be solved does not come from the criteria, see truth.go; that a criterion forbids a problem
// that can be solved is an error.
package survey

import (
	"errors"
	"fmt"
	"strconv"
	"sync"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

// A Kind says which problems are surveyed.
type Kind string

// The kinds.
const (
	Vacancies Kind = "all"       // from one vacancy to one peg
	OnePeg    Kind = "one_peg"   // from every position of at least two pegs to every single peg
	Positions Kind = "positions" // from every position to every other with fewer pegs, but one
)

// Limits of a survey.
const (
	maxStarts    = 1 << 26 // with OnePeg, positions of all numbers of pegs together: 8 bytes each
	maxPositions = 16      // holes with Positions
)

// Errors of this package wrap one of these.
var (
	// ErrTooLarge says that a survey of that kind needs a smaller board, or starts of fewer pegs.
	ErrTooLarge = errors.New("too large for this survey")
	// ErrWindowAddresses says that windows would be too many.
	ErrWindowAddresses = errors.New("window_addresses is too small for this survey")
)

// Params are the parameters of a survey.
type Params struct {
	Board *peg.Board
	Kind  Kind
	// MostPegs is how many pegs a start has at most; 0 means any number. Vacancies have no use for it.
	MostPegs int
	// WindowAddresses bounds the starts of a window, with Vacancies the problems; 0 means the survey's own bound.
	WindowAddresses uint64
}

// Survey implements puzzle.Puzzle and puzzle.Exporter. It is safe for concurrent use.
type Survey struct {
	params  Params
	group   []peg.Perm
	decider *feasible.Decider
	cells   []cell

	mu    sync.Mutex
	truth *onePegTruth // nil where it is not used
}

// A cell has the starts with as many pegs; with Vacancies all problems.
type cell struct {
	pegs      int
	addresses uint64
}

// ownWindow is the most addresses of a window, by kind: some seconds of work.
var ownWindow = map[Kind]uint64{Vacancies: 16, OnePeg: 1 << 16, Positions: 512}

const maxWindows = 1 << 20

// New prepares a survey. The error wraps ErrTooLarge or ErrWindowAddresses.
func New(p Params) (*Survey, error) {
	b := p.Board
	n := b.Size()
	if p.MostPegs == 0 || p.MostPegs > n {
		p.MostPegs = n
	}
	if p.Kind == Vacancies {
		p.MostPegs = n - 1
	}
	own := ownWindow[p.Kind]
	if p.WindowAddresses == 0 || p.WindowAddresses > own {
		p.WindowAddresses = own
	}
	s := &Survey{params: p, group: b.Symmetries(), decider: feasible.NewDecider(b, feasible.Limits{})}
	all := float64(n)
	for k := 2; k <= p.MostPegs; k++ {
		all += float64(choose(n, k)) // at most 64 choose 32, which 64 bits hold
	}
	switch p.Kind {
	case Vacancies:
		s.cells = []cell{{n - 1, uint64(n * n)}}
		if uint64(1)<<min(n, 63) <= maxStarts {
			s.truth = newOnePegTruth(b)
		}
		return s, s.countWindows()
	case Positions:
		if n > maxPositions {
			return nil, fmt.Errorf("%w: board %s has %d holes, and all pairs of positions are surveyed on at most %d",
				ErrTooLarge, b.Name, n, maxPositions)
		}
	case OnePeg:
		if all > maxStarts {
			return nil, fmt.Errorf("%w: board %s has %.0f positions of at most %d pegs, and %d are surveyed at most",
				ErrTooLarge, b.Name, all, p.MostPegs, maxStarts)
		}
		s.truth = newOnePegTruth(b)
	default:
		return nil, fmt.Errorf("a survey of %q is unknown", p.Kind)
	}
	for k := 2; k <= p.MostPegs; k++ {
		s.cells = append(s.cells, cell{k, choose(n, k)})
	}
	return s, s.countWindows()
}

func (s *Survey) countWindows() error {
	for _, c := range s.cells {
		if (c.addresses-1)/s.params.WindowAddresses >= maxWindows {
			return fmt.Errorf("%w: %d starts in windows of %d are more than %d windows", ErrWindowAddresses, c.addresses,
				s.params.WindowAddresses, maxWindows)
		}
	}
	return nil
}

// Identity implements puzzle.Puzzle.
func (s *Survey) Identity() puzzle.Identity {
	b := s.params.Board
	return puzzle.Identity{Puzzle: "peg", Params: []puzzle.Param{
		{Name: "count", Value: "survey"},
		{Name: "pairs", Value: string(s.params.Kind)},
		{Name: "lattice", Value: b.Pattern()},
		{Name: "board", Value: peg.FormatLine(b, b.Full())},
		{Name: "most_pegs", Value: strconv.Itoa(s.params.MostPegs)},
		{Name: "window_addresses", Value: strconv.FormatUint(s.params.WindowAddresses, 10)},
	}}
}

// The columns of a stored row: of a start, or with Vacancies of a problem.
const (
	colOrbit    = iota // starts or problems in its symmetry class
	colProblems        // problems of the start
	colSolvable        // of these, those that can be solved
	colOpen            // of the others, those that no criterion forbids
	columns
)

// Columns implements puzzle.Puzzle.
func (s *Survey) Columns() []string { return []string{"orbit", "problems", "solvable", "open"} }

func (s *Survey) cell(c cell) puzzle.Cell {
	return puzzle.Cell{Layer: 0, Key: fmt.Sprintf("pegs-%02d", c.pegs)}
}

// Layer implements puzzle.Puzzle: there is one.
func (s *Survey) Layer(n int, _ puzzle.Results) ([]puzzle.CellPlan, error) {
	if n != 0 {
		return nil, puzzle.ErrNoLayer
	}
	plans := make([]puzzle.CellPlan, len(s.cells))
	for i, c := range s.cells {
		p := puzzle.CellPlan{Cell: s.cell(c), Addresses: c.addresses}
		for first := uint64(0); first < c.addresses; first += s.params.WindowAddresses {
			p.Cuts = append(p.Cuts, first)
		}
		goals := uint64(s.params.Board.Size())
		switch s.params.Kind {
		case Positions:
			goals = 1 << s.params.Board.Size()
		case Vacancies:
			goals = 1 << 16
		}
		p.Work = float64(c.addresses) * float64(goals)
		p.RowBytes = float64(c.addresses) * (1.0/8 + 4.0/float64(len(s.group)))
		p.MemoryBytes = 64<<20 + s.truth.bytes(c.pegs)
		plans[i] = p
	}
	return plans, nil
}
