package counting

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/uint128"
)

// A fatal is what testing.T, testing.B and rapid.T have in common here.
type fatal interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// memory is a run held in memory: source, sink and results of every window.
type memory struct {
	tallies map[puzzle.Cell]*puzzle.Tally
	windows map[puzzle.Cell][]puzzle.Window
	blocks  map[puzzle.WindowID][]puzzle.Block
	cache   map[puzzle.WindowID]any // nil: nothing is cached
	layers  [][]puzzle.CellPlan
	keep    bool // blocks are kept, for export and for what is read after the next layer
	dropped map[puzzle.WindowID]bool
}

func newMemory(cached bool) *memory {
	m := &memory{
		tallies: map[puzzle.Cell]*puzzle.Tally{},
		windows: map[puzzle.Cell][]puzzle.Window{},
		blocks:  map[puzzle.WindowID][]puzzle.Block{},
		dropped: map[puzzle.WindowID]bool{},
	}
	if cached {
		m.cache = map[puzzle.WindowID]any{}
	}
	return m
}

func (m *memory) Tally(c puzzle.Cell) (puzzle.Tally, error)      { return *m.tallies[c], nil }
func (m *memory) Windows(c puzzle.Cell) ([]puzzle.Window, error) { return m.windows[c], nil }
func (m *memory) Cache() puzzle.Cache                            { return m }
func (m *memory) Get(id puzzle.WindowID) (any, bool)             { v, ok := m.cache[id]; return v, ok }
func (m *memory) Put(id puzzle.WindowID, v any, _ uint64) {
	if m.cache != nil {
		m.cache[id] = v
	}
}

func (m *memory) Blocks(_ context.Context, w puzzle.Window, first, slots uint64, fn func(*puzzle.Block) error) error {
	if m.dropped[w.ID()] {
		return &puzzle.MissingError{Window: w.ID()}
	}
	for i := range m.blocks[w.ID()] {
		b := &m.blocks[w.ID()][i]
		if b.First+uint64(b.Slots) <= first || b.First >= first+slots {
			continue
		}
		if err := fn(b); err != nil {
			return err
		}
	}
	return nil
}

type memorySink struct {
	m *memory
	w puzzle.Window
	t fatal
}

func (s memorySink) Block(b *puzzle.Block) error {
	if err := b.Check(s.w); err != nil {
		s.t.Fatal(err)
	}
	if s.m.cache != nil && !s.m.keep {
		s.m.dropped[s.w.ID()] = true
		return nil
	}
	c := puzzle.Block{First: b.First, Slots: b.Slots, Occupied: append([]uint64(nil), b.Occupied...)}
	for _, col := range b.Columns {
		c.Columns = append(c.Columns, append([]uint64(nil), col...))
	}
	s.m.blocks[s.w.ID()] = append(s.m.blocks[s.w.ID()], c)
	return nil
}

func (m *memory) Layers() int                             { return len(m.layers) }
func (m *memory) Complete() bool                          { return true }
func (m *memory) Cells(layer int) []puzzle.CellPlan       { return m.layers[layer] }
func (m *memory) Cell(c puzzle.Cell) (puzzle.Tally, bool) { return *m.tallies[c], true }
func (m *memory) Layer(layer int) (puzzle.Tally, bool) {
	var t puzzle.Tally
	for _, p := range m.layers[layer] {
		if err := t.Merge(m.tallies[p.Cell]); err != nil {
			return t, false
		}
	}
	return t, true
}

// play computes all windows of p in order and checks the flow over every edge.
func play(t testing.TB, p puzzle.Puzzle, m *memory) {
	t.Helper()
	if err := playTo(t, p, m, -1); err != nil {
		t.Fatal(err)
	}
}

// playTo is play up to the given layer (-1: all of them). What breaks the contract of puzzles is fatal; errors of the
// computation are returned.
func playTo(t fatal, p puzzle.Puzzle, m *memory, last int) error {
	t.Helper()
	for n := 0; last < 0 || n <= last; n++ {
		cells, err := p.Layer(n, m)
		if errors.Is(err, puzzle.ErrNoLayer) {
			break
		}
		if err != nil {
			return err
		}
		m.layers = append(m.layers, cells)
		for i := range cells {
			if err := playCell(t, p, m, &cells[i]); err != nil {
				return err
			}
		}
		// Of the cache only what the next layer reads.
		for id := range m.cache {
			if id.Layer < n {
				delete(m.cache, id)
			}
		}
	}
	return nil
}

func playCell(t fatal, p puzzle.Puzzle, m *memory, c *puzzle.CellPlan) error {
	t.Helper()
	m.tallies[c.Cell] = &puzzle.Tally{}
	for part := range c.Windows() {
		w := c.Window(part)
		tally, err := p.Compute(context.Background(), w, m, memorySink{m, w, t})
		if err != nil {
			return err
		}
		if !tally.Canonical() {
			t.Fatalf("window %s: tally is not canonical", w)
		}
		if err := m.tallies[c.Cell].Merge(&tally); err != nil {
			return fmt.Errorf("window %s: %w", w, err)
		}
		m.windows[c.Cell] = append(m.windows[c.Cell], w)
	}
	for _, in := range m.tallies[c.Cell].In {
		if out := flow(m.tallies[in.Cell].Out, c.Cell); out != in.Amount {
			t.Fatalf("edge %v -> %v: %v went out, %v came in", in.Cell, c.Cell, out, in.Amount)
		}
	}
	return nil
}

// flow is what crosses the edge to or from c.
func flow(list []puzzle.Flow, c puzzle.Cell) uint128.Uint128 {
	for _, f := range list {
		if f.Cell == c {
			return f.Amount
		}
	}
	return uint128.Uint128{}
}
