package mousetrap

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"sync"

	"pagoda/internal/puzzle"
)

// Count names the decks that are counted.
type Count string

// The counts.
const (
	Hits     Count = "hits"     // decks with k hits, for every k
	Winning  Count = "winning"  // decks that lose all cards
	Reforms  Count = "reformed" // decks that are k-reformed, for every k
	modular        = "modular"
	plain          = "plain"
	cellName       = "hits-%02d" // the cell in which games are cut after so many hits
)

// ErrCards is wrapped by New when a survey would not end on any machine.
var ErrCards = errors.New("too many cards")

// ErrWindowAddresses is wrapped by New when windows of the wanted size would be too many.
var ErrWindowAddresses = errors.New("window_addresses is too small for this survey")

// Params choose a survey.
type Params struct {
	Rules
	Count Count
	// WindowAddresses bounds the size of a window in addresses; 0 means no bound but the survey's own. It changes no
	// result.
	WindowAddresses uint64
	// Rest is the number of cards that are left when games are cut; 0 means a good one. It changes no result.
	Rest int
}

// A Survey counts the decks of one size. It is a puzzle of one layer without parents. The addresses of a cell are the
// sets of cards that can be left when games are cut, and no rows are stored. Safe for concurrent use.
type Survey struct {
	p       Params
	sure    bool   // games are cut where they are won
	window  uint64 // the largest window, in addresses
	workers sync.Pool
}

var _ puzzle.Puzzle = (*Survey)(nil)

const maxWindows = 1 << 16

// New returns a survey. The error wraps ErrCards or ErrWindowAddresses.
func New(p Params) (*Survey, error) {
	if most := mostCounted(p); p.Cards < 1 || p.Cards > most {
		return nil, fmt.Errorf("%w: %d cards; %s of the %s game are counted of 1 to %d cards",
			ErrCards, p.Cards, p.Count, p.variant(), most)
	}
	if p.Rest == 0 {
		p.Rest = goodRest(p)
	}
	if p.Rest < 1 || p.Rest > p.Cards {
		return nil, fmt.Errorf("mousetrap: a rest of %d of %d cards; choose 1 to %d", p.Rest, p.Cards, p.Cards)
	}
	s := &Survey{p: p}
	if sure := p.surelyWon(); p.Modular && p.Count != Reforms && p.Rest <= sure {
		s.p.Rest, s.sure = sure, true
	}
	s.workers.New = func() any { return newWorker(s.p, s.sure) }
	for _, left := range s.rests() {
		s.window = max(s.window, s.goodWindow(left))
	}
	if p.WindowAddresses != 0 && p.WindowAddresses < s.window {
		s.window = p.WindowAddresses
	}
	for _, left := range s.rests() {
		if all := binomial(p.Cards, left); (all-1)/s.window >= maxWindows {
			return nil, fmt.Errorf("%w: %d sets of cards in windows of %d are more than %d windows; choose %d or more",
				ErrWindowAddresses, all, s.window, maxWindows, (all-1)/maxWindows+1)
		}
	}
	return s, nil
}

// mostCounted is the largest number of cards of which a survey of years of processor time can be made.
func mostCounted(p Params) int {
	switch {
	case p.Modular:
		return 16
	case p.Count == Winning:
		return 22
	default:
		return 18
	}
}

// goodRest is where the search and the arrangements take about the same time.
func goodRest(p Params) int {
	if p.Modular || p.Count == Hits {
		return min(max(p.Cards/2, 1), 7)
	}
	return min(max((p.Cards+1)/2, 1), 10)
}

func (r Rules) variant() string {
	if r.Modular {
		return modular
	}
	return plain
}

// Params returns the parameters, with a Rest.
func (s *Survey) Params() Params { return s.p }

// Identity implements puzzle.Puzzle.
func (s *Survey) Identity() puzzle.Identity {
	return puzzle.Identity{Puzzle: "mousetrap", Params: []puzzle.Param{
		{Name: "cards", Value: strconv.Itoa(s.p.Cards)},
		{Name: "variant", Value: s.p.variant()},
		{Name: "count", Value: string(s.p.Count)},
		{Name: "rest", Value: strconv.Itoa(s.p.Rest)},
		{Name: "window_addresses", Value: strconv.FormatUint(s.window, 10)},
	}}
}

// Columns implements puzzle.Puzzle: no rows are stored.
func (s *Survey) Columns() []string { return nil }

// rests lists the numbers of cards that are left when games are cut, one for each cell: Params.Rest, and for rows of
// hits every larger one but Cards itself. Where games are won when cut, decks with at least so many hits are all that
// is asked for.
func (s *Survey) rests() []int {
	list := []int{s.p.Rest}
	for left := s.p.Rest + 1; s.p.Count == Hits && left < s.p.Cards; left++ {
		list = append(list, left)
	}
	return list
}

// Layer implements puzzle.Puzzle: there is one.
func (s *Survey) Layer(n int, _ puzzle.Results) ([]puzzle.CellPlan, error) {
	if n != 0 {
		return nil, puzzle.ErrNoLayer
	}
	var plans []puzzle.CellPlan
	for _, left := range s.rests() {
		plans = append(plans, s.plan(left))
	}
	return plans, nil
}

// Bounds of a plan: a window is a few seconds of work, and there are enough windows for a fleet where there is work.
const (
	windowWork = 1 << 26
	fewWindows = 16
)

// plan plans the cell in which so many cards are left.
func (s *Survey) plan(left int) puzzle.CellPlan {
	listed := s.listed(left)
	plan := puzzle.CellPlan{
		Cell:      cellOf(s.p.Cards - left),
		Addresses: binomial(s.p.Cards, left),
		Work:      s.work(left),
		// The sets of arrangements, the list of them while it is made, and the frames of two searches.
		MemoryBytes: 2*uint64(listed)*uint64(left*left/8+6*left+64) + uint64(left+s.p.Cards)*1<<13 + 1<<20,
	}
	window := min(s.goodWindow(left), s.window)
	for first := uint64(0); first < plan.Addresses; first += window {
		plan.Cuts = append(plan.Cuts, first)
	}
	return plan
}

// goodWindow is the number of addresses in a window of a cell.
func (s *Survey) goodWindow(left int) uint64 {
	all := binomial(s.p.Cards, left)
	window := uint64(float64(all) / s.work(left) * windowWork)
	return max(min(window, all/fewWindows), (all-1)/maxWindows+1)
}

// listed predicts the arrangements that are listed for an address, on average. Those that win were counted of 6 to 10
// cards of 12 to 20: 0.645 times as many for each card more, and never twice the average.
func (s *Survey) listed(left int) float64 {
	switch all, _ := factorial(left).Big().Float64(); {
	case left != s.p.Rest || s.sure:
		return 0
	case s.p.Count == Hits || s.p.Modular:
		return all
	default:
		return min(1.9*math.Pow(0.645, float64(left)), 1) * all
	}
}

// work predicts the steps of a cell: nodes of the search, each with a part of the arrangements or a permanent, and the
// arrangements, which are listed for each address. There are somewhat fewer nodes than orders in which the other cards
// can be removed first. The modular game has more: a card can be put back at several places.
func (s *Survey) work(left int) float64 {
	nodes := 1.0
	for v := left + 1; v <= s.p.Cards; v++ {
		nodes *= float64(v)
		if s.p.Modular {
			nodes *= math.Sqrt(float64(v))
		}
	}
	listed := s.listed(left)
	each := 1 + listed/4096
	if left != s.p.Rest || s.sure {
		each = math.Exp2(float64(left)) / 16
	}
	return nodes*each + 4*listed*float64(binomial(s.p.Cards, left))
}

func cellOf(hits int) puzzle.Cell {
	return puzzle.Cell{Layer: 0, Key: fmt.Sprintf(cellName, hits)}
}
