package reach

import (
	"context"
	"errors"
	"slices"
	"testing"

	"pagoda/internal/puzzle"
)

// A fatal is a test, a benchmark or a property check.
type fatal interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// A memory is a run held in memory: source, sink and results.
type memory struct {
	t       fatal
	tallies map[puzzle.Cell]*puzzle.Tally
	windows map[puzzle.Cell][]puzzle.Window
	blocks  map[puzzle.WindowID][]puzzle.Block // nil: not kept
	cache   map[puzzle.WindowID]any            // nil: nothing is cached
	layers  [][]puzzle.CellPlan
}

func newMemory(t fatal, stored, cached bool) *memory {
	m := &memory{t: t, tallies: map[puzzle.Cell]*puzzle.Tally{}, windows: map[puzzle.Cell][]puzzle.Window{}}
	if stored {
		m.blocks = map[puzzle.WindowID][]puzzle.Block{}
	}
	if cached {
		m.cache = map[puzzle.WindowID]any{}
	}
	return m
}

func (m *memory) Tally(c puzzle.Cell) (puzzle.Tally, error) {
	if m.tallies[c] == nil {
		m.t.Fatalf("cell %v is read before it is computed, or not at all in the plan", c)
	}
	return *m.tallies[c], nil
}

func (m *memory) Windows(c puzzle.Cell) ([]puzzle.Window, error) { return m.windows[c], nil }
func (m *memory) Cache() puzzle.Cache                            { return m }
func (m *memory) Get(id puzzle.WindowID) (any, bool)             { v, ok := m.cache[id]; return v, ok }
func (m *memory) Put(id puzzle.WindowID, v any, _ uint64) {
	if m.cache != nil {
		m.cache[id] = v
	}
}

func (m *memory) Blocks(_ context.Context, w puzzle.Window, first, slots uint64, fn func(*puzzle.Block) error) error {
	if m.blocks == nil {
		m.t.Fatalf("window %s is read, but only cached", w)
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
}

func (s memorySink) Block(b *puzzle.Block) error {
	if err := b.Check(s.w); err != nil {
		s.m.t.Fatal(err)
	}
	if s.m.blocks != nil {
		c := puzzle.Block{First: b.First, Slots: b.Slots, Occupied: slices.Clone(b.Occupied)}
		s.m.blocks[s.w.ID()] = append(s.m.blocks[s.w.ID()], c)
	}
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

// play computes all windows of p in order. forget drops from the cache what later layers do not read.
func (m *memory) play(p puzzle.Puzzle, forget bool) {
	m.t.Helper()
	ctx := context.Background()
	for n := 0; ; n++ {
		cells, err := p.Layer(n, m)
		if errors.Is(err, puzzle.ErrNoLayer) {
			return
		}
		if err != nil {
			m.t.Fatal(err)
		}
		m.layers = append(m.layers, cells)
		for i := range cells {
			c := &cells[i]
			var sum puzzle.Tally
			for part := range c.Windows() {
				w := c.Window(part)
				t, err := p.Compute(ctx, w, m, memorySink{m, w})
				if err != nil {
					m.t.Fatal(err)
				}
				if !t.Canonical() {
					m.t.Fatalf("window %s: tally is not canonical", w)
				}
				if err := sum.Merge(&t); err != nil {
					m.t.Fatal(err)
				}
				m.windows[c.Cell] = append(m.windows[c.Cell], w)
			}
			m.tallies[c.Cell] = &sum
		}
		for id := range m.cache {
			if forget && id.Layer < n {
				delete(m.cache, id)
			}
		}
	}
}

// fact returns a fact of the summary, "absent" when it is not there.
func (m *memory) fact(p puzzle.Puzzle, name string) string {
	m.t.Helper()
	s, err := p.Summarise(m)
	if err != nil {
		m.t.Fatal(err)
	}
	for _, f := range s.Facts {
		if f.Name == name {
			return f.Value.N.String()
		}
	}
	return "absent"
}

var _ fatal = testing.TB(nil)
