package counting

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"pagoda/internal/partition"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

// ErrWindowSlots is wrapped by NewGames when windows of the wanted size cannot be cut.
var ErrWindowSlots = errors.New("window_slots is too small for this board")

// Params are the parameters of a peg solitaire run.
type Params struct {
	Board   *peg.Board
	Start   peg.Position
	Goal    peg.Position // counted when HasGoal
	HasGoal bool
	// WindowSlots is the largest number of slots of a window; 0 means one window for each cell.
	WindowSlots uint64
}

// Games counts all games from a start: for every layer its symmetry classes, positions, paths into it, dead ends and the
// games that end there. It implements puzzle.Puzzle and puzzle.Exporter.
type Games struct {
	params Params
	space  *partition.Space
	table  *jumpTable
	pairs  *pairTable

	layers [][]partition.Vector
	cells  map[partition.Vector]int // layer

	goal      partition.Vector // cell of the goal
	goalAt    uint64           // its address
	goalKnown bool

	mu    sync.Mutex
	plans map[int][]puzzle.CellPlan
}

// NewGames prepares the run of p: the address space, the lattice of cells and the tables of the kernel.
func NewGames(p Params) (*Games, error) {
	group := peg.Stabiliser(p.Board.Symmetries(), p.Start)
	space, err := partition.NewSpace(p.Board, group, p.Start)
	if err != nil {
		return nil, err
	}
	if least := uint64(space.MaxLow()); p.WindowSlots > 0 && p.WindowSlots < least {
		return nil, fmt.Errorf("%w: %d, the least on %s is %d", ErrWindowSlots, p.WindowSlots, p.Board.Name, least)
	}
	g := &Games{params: p, space: space, table: newJumpTable(space), cells: map[partition.Vector]int{}}
	g.pairs = newPairTable(space, g.table.shapes)
	g.plans = map[int][]puzzle.CellPlan{}
	g.layers = space.Lattice()
	for n, layer := range g.layers {
		for _, v := range layer {
			g.cells[v] = n
		}
	}
	if p.HasGoal {
		v, canonical, _ := space.Locate(p.Goal)
		if n, ok := g.cells[v]; ok && n == p.Start.Pegs()-p.Goal.Pegs() {
			g.goal = v
			g.goalAt, g.goalKnown = space.Layout(v).Address(canonical)
		}
	}
	return g, nil
}

// Identity names the parameters that decide the result.
func (g *Games) Identity() puzzle.Identity {
	b := g.params.Board
	id := puzzle.Identity{Puzzle: "peg", Params: []puzzle.Param{
		{Name: "count", Value: "games"},
		{Name: "lattice", Value: b.Lattice.String()},
		{Name: "board", Value: peg.FormatLine(b, b.Full())},
		{Name: "start", Value: peg.FormatLine(b, g.params.Start)},
	}}
	if g.params.HasGoal {
		id.Params = append(id.Params, puzzle.Param{Name: "goal", Value: peg.FormatLine(b, g.params.Goal)})
	}
	id.Params = append(id.Params, puzzle.Param{Name: "window_slots", Value: strconv.FormatUint(g.params.WindowSlots, 10)})
	return id
}

// Columns names the stored columns: the number of paths to a position, in two words.
func (g *Games) Columns() []string { return []string{"paths_lo", "paths_hi"} }

// Layer plans the positions after n jumps. All layers are known beforehand.
func (g *Games) Layer(n int, _ puzzle.Results) ([]puzzle.CellPlan, error) {
	if n >= len(g.layers) {
		return nil, puzzle.ErrNoLayer
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if p, ok := g.plans[n]; ok {
		return p, nil
	}
	plans := make([]puzzle.CellPlan, len(g.layers[n]))
	for i, v := range g.layers[n] {
		plans[i] = g.planCell(n, v)
	}
	g.plans[n] = plans
	return plans, nil
}

// Rates that a plan is made with: of the slots of a cell about a third have a row, a row has about eight jumps into it,
// and a stored row takes about six bytes. Measured on the English board; an estimate elsewhere.
const (
	updatesPerSlot  = 8
	rowBytesPerSlot = 2.0
)

func (g *Games) planCell(n int, v partition.Vector) puzzle.CellPlan {
	layout := g.space.Layout(v)
	p := puzzle.CellPlan{
		Cell:     puzzle.Cell{Layer: n, Key: v.Key()},
		Slots:    layout.Slots(),
		Cuts:     layout.Cuts(g.params.WindowSlots),
		Work:     updatesPerSlot * float64(layout.Slots()),
		RowBytes: rowBytesPerSlot * float64(layout.Slots()),
	}
	largest := uint64(0)
	for i := range p.Cuts {
		largest = max(largest, p.Window(i).Slots)
	}
	held := largest
	for _, e := range g.edges(v, n) {
		p.Parents = appendCell(p.Parents, puzzle.Cell{Layer: n - 1, Key: e.Parent.Key()})
	}
	for _, c := range p.Parents {
		pv, _ := partition.ParseKey(c.Key)
		held += g.space.Layout(pv).Slots()
	}
	p.MemoryBytes = 16 * held // two words a slot
	return p
}

// edges lists the edges into a cell of layer n whose parents are in the lattice.
func (g *Games) edges(v partition.Vector, n int) []partition.Edge {
	var list []partition.Edge
	for _, e := range g.space.Edges(v) {
		if layer, ok := g.cells[e.Parent]; ok && layer == n-1 {
			list = append(list, e)
		}
	}
	return list
}

// appendCell adds c unless it is there: two edges of a cell can lead to the same parent orbit.
func appendCell(list []puzzle.Cell, c puzzle.Cell) []puzzle.Cell {
	for _, have := range list {
		if have == c {
			return list
		}
	}
	return append(list, c)
}

// Compute computes one window.
func (g *Games) Compute(ctx context.Context, w puzzle.Window, in puzzle.Source, out puzzle.Sink) (puzzle.Tally, error) {
	k, err := g.newKernel(w, in)
	if err != nil {
		return puzzle.Tally{}, err
	}
	return k.run(ctx, out)
}
