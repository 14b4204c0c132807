package babylone

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"

	"pagoda/internal/puzzle"
)

// The values of the setting count.
const (
	CountWinner  = "winner"  // who wins each position; stops at the first move that wins
	CountNimbers = "nimbers" // the Grundy value of each position
	CountGraph   = "graph"   // nimbers, and the moves of each position
)

// Bounds of a plan.
const (
	goodWindow = 1 << 20 // positions; of the order of a second
	maxWindows = 1 << 20
)

// ErrWindowAddresses is wrapped by New when windows of the wanted size would be too many.
var ErrWindowAddresses = errors.New("window_addresses is too small for this game")

// Params choose a run.
type Params struct {
	Bricks []int // of each colour
	Count  string
	// WindowAddresses bounds the size of a window in positions, which is a power of two. 0 means 1048576, or more where
	// windows would be too many. It changes no result.
	WindowAddresses uint64
}

// A Puzzle labels all positions of a game up to colours, backwards: layer 0 has those with the fewest piles, and a
// layer is computed from the one before it. Its layers are known beforehand, as package space numbers the positions of
// each. Safe for concurrent use.
//
//	count    rows                columns
//	winner   the lost positions  none
//	nimbers  all positions       nimber
//	graph    all positions       nimber, moves (distinct positions after a move, up to colours)
type Puzzle struct {
	bricks []int // as given
	count  string
	shift  uint // a window has 1<<shift addresses
	least  int  // number of piles of layer 0
	space  *space
	apart  counts // positions with colours told apart
}

var _ puzzle.Exporter = (*Puzzle)(nil)

// New returns a run. The error wraps ErrGame or ErrWindowAddresses.
func New(p Params) (*Puzzle, error) {
	if _, err := ParseBricks(writeBricks(p.Bricks), 0); err != nil {
		return nil, err
	}
	if p.Count != CountWinner && p.Count != CountNimbers && p.Count != CountGraph {
		return nil, fmt.Errorf("count %q: choose %s, %s or %s", p.Count, CountGraph, CountWinner, CountNimbers)
	}
	s, err := newSpace(p.Bricks)
	if err != nil {
		return nil, err
	}
	b := &Puzzle{bricks: p.Bricks, count: p.Count, space: s}
	if b.apart, err = countApart(p.Bricks); err != nil {
		return nil, err
	}
	for s.size(b.least) == 0 {
		b.least++
	}
	least := uint(0)
	for b.windows(least) > maxWindows {
		least++
	}
	window := max(goodWindow, uint64(1)<<least)
	if p.WindowAddresses > 0 {
		window = min(window, p.WindowAddresses)
	}
	if b.shift = uint(bits.Len64(window) - 1); b.shift < least {
		return nil, fmt.Errorf("%w: windows of %d positions are more than %d windows; choose %d or more",
			ErrWindowAddresses, 1<<b.shift, maxWindows, 1<<least)
	}
	return b, nil
}

// windows is the number of windows of 1<<shift addresses.
func (b *Puzzle) windows(shift uint) (n uint64) {
	for piles := b.least; piles <= b.space.total; piles++ {
		n += (b.space.size(piles)-1)>>shift + 1
	}
	return n
}

// Identity implements puzzle.Puzzle.
func (b *Puzzle) Identity() puzzle.Identity {
	return puzzle.Identity{Puzzle: "babylone", Params: []puzzle.Param{
		{Name: "bricks", Value: writeBricks(b.bricks)},
		{Name: "count", Value: b.count},
		{Name: "window_addresses", Value: strconv.FormatUint(1<<b.shift, 10)},
	}}
}

// Columns implements puzzle.Puzzle.
func (b *Puzzle) Columns() []string {
	return map[string][]string{
		CountWinner: {}, CountNimbers: {"nimber"}, CountGraph: {"nimber", "moves"},
	}[b.count]
}

func positionsCell(layer int) puzzle.Cell { return puzzle.Cell{Layer: layer, Key: "positions"} }

// insideCell counts positions with the colours inside the piles.
var insideCell = puzzle.Cell{Layer: 0, Key: "inside"}

// layers is their number.
func (b *Puzzle) layers() int { return b.space.total - b.least + 1 }

// piles is the number of piles of a layer.
func (b *Puzzle) piles(layer int) int { return b.least + layer }

// inside says whether the run counts positions with inner colours.
func (b *Puzzle) inside() bool { return b.count == CountGraph && smallInside(b.bricks) }

// Layer implements puzzle.Puzzle.
func (b *Puzzle) Layer(n int, _ puzzle.Results) ([]puzzle.CellPlan, error) {
	if n >= b.layers() {
		return nil, puzzle.ErrNoLayer
	}
	size := b.space.size(b.piles(n))
	p := puzzle.CellPlan{Cell: positionsCell(n), Addresses: size}
	for first := uint64(0); first < size; first += 1 << b.shift {
		p.Cuts = append(p.Cuts, first)
	}
	below := uint64(0)
	if n > 0 {
		p.Parents = []puzzle.Cell{positionsCell(n - 1)}
		below = b.space.size(b.piles(n - 1))
	}
	// A position with k piles has about 3k/2 moves, and a third of them are looked at until one wins.
	p.Work = float64(size) * (2 + 1.5*float64(b.piles(n)))
	p.RowBytes = float64(size) / 2
	p.MemoryBytes = 4*uint64(len(b.space.counts)) + 64*uint64(len(b.space.all)) + 4*8*puzzle.BlockAddresses
	switch b.count {
	case CountWinner:
		p.Work /= 3
		p.RowBytes = float64(size) / 8
		p.MemoryBytes += (below + 1<<b.shift) / 8
	case CountGraph:
		p.RowBytes = float64(size)
		fallthrough
	case CountNimbers:
		p.MemoryBytes += below + 1<<b.shift
	}
	plans := []puzzle.CellPlan{p}
	if n == 0 && b.inside() {
		plans = append(plans, puzzle.CellPlan{
			Cell: insideCell, Addresses: 1, Cuts: []uint64{0}, Work: mostWords, MemoryBytes: 256 * mostWords,
		})
	}
	return plans, nil
}
