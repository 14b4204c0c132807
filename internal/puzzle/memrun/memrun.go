// Package memrun carries out runs in memory, one window after the other, without a folder, a queue or workers. It is
// for runs that are small, and for the first layers of others, which tell how fast a machine is.
package memrun

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
)

// A Run is a run in memory. It implements puzzle.Results and puzzle.Source of the windows that are computed, and the
// cache of the latter. It serves one computation at a time.
type Run struct {
	puzzle puzzle.Puzzle
	layers [][]puzzle.CellPlan
	cells  map[puzzle.Cell]*cell
	rows   int
	over   bool // there are no further layers
	// windows, where not nil, is the cache: it has the decoded windows of the last two layers.
	windows map[puzzle.WindowID]any
	uncoded bool // rows are read from the cache alone, and not kept as blocks
}

type cell struct {
	plan   *puzzle.CellPlan
	tally  puzzle.Tally
	done   []bool    // by window
	wrote  []bool    // by window: it has rows
	blocks [][]block // by window
}

// A block is coded as a store codes it.
type block struct {
	first, end uint64
	coded      []byte
}

var (
	_ puzzle.Results = (*Run)(nil)
	_ puzzle.Source  = (*Run)(nil)
)

// New returns a run of p of which nothing is planned or computed.
func New(p puzzle.Puzzle) *Run { return &Run{puzzle: p, cells: map[puzzle.Cell]*cell{}} }

// Cached returns a run like New whose cache keeps the decoded windows of two layers, as that of a worker does which has
// the memory.
func Cached(p puzzle.Puzzle) *Run {
	r := New(p)
	r.windows = map[puzzle.WindowID]any{}
	return r
}

// Whole carries out all of a run.
func Whole(ctx context.Context, p puzzle.Puzzle) (*Run, error) { return New(p).whole(ctx) }

// Tallies carries out all of a run and keeps its tallies alone. Windows are not coded: the puzzle takes those that it
// reads from the cache, in which it has put them. They stay there until the next layer is computed, so windows may read
// the layer before and their own.
func Tallies(ctx context.Context, p puzzle.Puzzle) (*Run, error) {
	r := Cached(p)
	r.uncoded = true
	return r.whole(ctx)
}

func (r *Run) whole(ctx context.Context) (*Run, error) {
	for {
		plans, err := r.Plan()
		if errors.Is(err, puzzle.ErrNoLayer) {
			return r, nil
		}
		if err != nil {
			return nil, err
		}
		for i := range plans {
			for part := range plans[i].Windows() {
				if err := r.Compute(ctx, plans[i].Window(part)); err != nil {
					return nil, err
				}
			}
		}
	}
}

// Plan plans the next layer. Errors are those of puzzle.Puzzle.Layer.
func (r *Run) Plan() ([]puzzle.CellPlan, error) {
	plans, err := r.puzzle.Layer(len(r.layers), r)
	if err != nil {
		r.over = r.over || errors.Is(err, puzzle.ErrNoLayer)
		return nil, err
	}
	maps.DeleteFunc(r.windows, func(id puzzle.WindowID, _ any) bool { return id.Layer < len(r.layers)-1 })
	r.layers = append(r.layers, plans)
	for i := range plans {
		n := plans[i].Windows()
		r.cells[plans[i].Cell] = &cell{plan: &plans[i], done: make([]bool, n), wrote: make([]bool, n),
			blocks: make([][]block, n)}
	}
	return plans, nil
}

// Compute computes a window of a planned layer, codes its rows and hashes them, as a store would.
func (r *Run) Compute(ctx context.Context, w puzzle.Window) error {
	c, err := r.cell(w.Cell)
	if err != nil {
		return err
	}
	h := blocks.NewHasher(w)
	tally, err := r.puzzle.Compute(ctx, w, r, sink(func(b *puzzle.Block) error {
		c.wrote[w.Part] = true
		if r.uncoded {
			return nil
		}
		h.Add(b)
		c.blocks[w.Part] = append(c.blocks[w.Part], block{b.First, b.First + uint64(b.Addresses), blocks.Encode(nil, b)})
		r.rows += b.Rows()
		return nil
	}))
	h.Sum()
	if err != nil {
		return err
	}
	c.done[w.Part] = true
	return c.tally.Merge(&tally)
}

// WindowWork is puzzle.WindowWork of the run's puzzle.
func (r *Run) WindowWork(c *puzzle.CellPlan, w puzzle.Window) (float64, error) {
	return puzzle.WindowWork(r.puzzle, c, w)
}

// Rows is the number of rows that are kept.
func (r *Run) Rows() int { return r.rows }

func (r *Run) cell(c puzzle.Cell) (*cell, error) {
	if have, ok := r.cells[c]; ok {
		return have, nil
	}
	return nil, fmt.Errorf("cell %d/%s was not computed", c.Layer, c.Key)
}

// Layers implements puzzle.Results.
func (r *Run) Layers() int { return len(r.layers) }

// Complete implements puzzle.Results.
func (r *Run) Complete() bool {
	for _, c := range r.cells {
		if !c.complete() {
			return false
		}
	}
	return r.over
}

func (c *cell) complete() bool {
	for _, done := range c.done {
		if !done {
			return false
		}
	}
	return true
}

// Cells implements puzzle.Results.
func (r *Run) Cells(layer int) []puzzle.CellPlan {
	if layer < 0 || layer >= len(r.layers) {
		return nil
	}
	return r.layers[layer]
}

// Cell implements puzzle.Results.
func (r *Run) Cell(id puzzle.Cell) (puzzle.Tally, bool) {
	c, ok := r.cells[id]
	if !ok || !c.complete() {
		return puzzle.Tally{}, false
	}
	return c.tally, true
}

// Layer implements puzzle.Results. A layer whose tallies do not add up in 128 bits is not ok either.
func (r *Run) Layer(layer int) (sum puzzle.Tally, ok bool) {
	if layer < 0 || layer >= len(r.layers) {
		return sum, false
	}
	for i := range r.layers[layer] {
		t, ok := r.Cell(r.layers[layer][i].Cell)
		if !ok || sum.Merge(&t) != nil {
			return sum, false
		}
	}
	return sum, true
}

// Tally implements puzzle.Source.
func (r *Run) Tally(id puzzle.Cell) (puzzle.Tally, error) {
	c, err := r.cell(id)
	if err != nil {
		return puzzle.Tally{}, err
	}
	return c.tally, nil
}

// Windows implements puzzle.Source.
func (r *Run) Windows(id puzzle.Cell) ([]puzzle.Window, error) {
	c, err := r.cell(id)
	if err != nil {
		return nil, err
	}
	var list []puzzle.Window
	for i := range c.plan.Windows() {
		list = append(list, c.plan.Window(i))
	}
	return list, nil
}

// Blocks implements puzzle.Source.
func (r *Run) Blocks(
	_ context.Context, w puzzle.Window, first, addresses uint64, fn func(*puzzle.Block) error,
) error {
	c, err := r.cell(w.Cell)
	if err != nil {
		return err
	}
	if r.uncoded && c.wrote[w.Part] {
		return &puzzle.MissingError{Window: w.ID()}
	}
	var b puzzle.Block
	for _, have := range c.blocks[w.Part] {
		if have.end <= first || have.first >= first+addresses {
			continue
		}
		if err := blocks.Decode(have.coded, &b); err != nil {
			return err
		}
		if err := fn(&b); err != nil {
			return err
		}
	}
	return nil
}

// Cache implements puzzle.Source.
func (r *Run) Cache() puzzle.Cache { return r }

// Get implements puzzle.Cache.
func (r *Run) Get(id puzzle.WindowID) (any, bool) {
	v, ok := r.windows[id]
	return v, ok
}

// Put implements puzzle.Cache. A run that is not Cached keeps nothing.
func (r *Run) Put(id puzzle.WindowID, v any, _ uint64) {
	if r.windows != nil {
		r.windows[id] = v
	}
}

// MemoryBytes implements puzzle.Source: it sets no limit.
func (r *Run) MemoryBytes() uint64 { return 0 }

// A sink is a puzzle.Sink.
type sink func(*puzzle.Block) error

func (fn sink) Block(b *puzzle.Block) error { return fn(b) }
