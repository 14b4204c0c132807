package counting

import (
	"context"
	"testing"

	"pagoda/internal/puzzle"
)

// memory is a run held in memory: source, sink and results of every window.
type memory struct {
	tallies map[puzzle.Cell]*puzzle.Tally
	windows map[puzzle.Cell][]puzzle.Window
	blocks  map[puzzle.WindowID][]puzzle.Block
	cache   map[puzzle.WindowID]any // nil: nothing is cached
	layers  [][]puzzle.CellPlan
	keep    bool // blocks are kept for export
}

func newMemory(cached bool) *memory {
	m := &memory{
		tallies: map[puzzle.Cell]*puzzle.Tally{},
		windows: map[puzzle.Cell][]puzzle.Window{},
		blocks:  map[puzzle.WindowID][]puzzle.Block{},
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
	t testing.TB
}

func (s memorySink) Block(b *puzzle.Block) error {
	if err := b.Check(s.w); err != nil {
		s.t.Fatal(err)
	}
	if s.m.cache != nil && !s.m.keep {
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
	ctx := context.Background()
	for n := 0; ; n++ {
		cells, err := p.Layer(n, m)
		if err == puzzle.ErrNoLayer {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		m.layers = append(m.layers, cells)
		for i := range cells {
			c := &cells[i]
			m.tallies[c.Cell] = &puzzle.Tally{}
			for part := range c.Windows() {
				w := c.Window(part)
				tally, err := p.Compute(ctx, w, m, memorySink{m, w, t})
				if err != nil {
					t.Fatal(err)
				}
				if !tally.Canonical() {
					t.Fatalf("window %s: tally is not canonical", w)
				}
				if err := m.tallies[c.Cell].Merge(&tally); err != nil {
					t.Fatal(err)
				}
				m.windows[c.Cell] = append(m.windows[c.Cell], w)
			}
			for _, in := range m.tallies[c.Cell].In {
				var out puzzle.Flow
				for _, f := range m.tallies[in.Cell].Out {
					if f.Cell == c.Cell {
						out = f
					}
				}
				if out.Amount != in.Amount {
					t.Fatalf("edge %v -> %v: %v went out, %v came in", in.Cell, c.Cell, out.Amount, in.Amount)
				}
			}
		}
		// Of the cache only what the next layer reads.
		for id := range m.cache {
			if id.Layer < n {
				delete(m.cache, id)
			}
		}
	}
}
