package main

import (
	"context"
	"fmt"
	"strconv"

	"pagoda/internal/counting"
	"pagoda/internal/puzzle"
)

// memory is a run whose windows live in the cache of decoded windows only. It is source, cache, sink and results.
type memory struct {
	games   *counting.Games
	each    func(position uint64)
	layers  [][]puzzle.CellPlan
	plans   map[puzzle.Cell]*puzzle.CellPlan
	tallies map[puzzle.Cell]*puzzle.Tally
	decoded map[puzzle.WindowID]any
	slots   uint64
}

func newMemory(g *counting.Games, each func(position uint64)) *memory {
	return &memory{games: g, each: each, plans: map[puzzle.Cell]*puzzle.CellPlan{},
		tallies: map[puzzle.Cell]*puzzle.Tally{}, decoded: map[puzzle.WindowID]any{}}
}

// compute computes the windows of a cell.
func (m *memory) compute(ctx context.Context, c *puzzle.CellPlan) error {
	sum := &puzzle.Tally{}
	for i := range c.Windows() {
		t, err := m.games.Compute(ctx, c.Window(i), m, sink{m, c.Cell})
		if err != nil {
			return err
		}
		if err := sum.Merge(&t); err != nil {
			return err
		}
	}
	m.plans[c.Cell], m.tallies[c.Cell] = c, sum
	m.slots += c.Slots
	return nil
}

// forget drops what the layer after n does not read.
func (m *memory) forget(n int) {
	for id := range m.decoded {
		if id.Layer < n {
			delete(m.decoded, id)
		}
	}
}

// facts returns named facts of the finished run.
func (m *memory) facts(names ...string) ([]string, error) {
	s, err := m.games.Summarise(m)
	if err != nil {
		return nil, err
	}
	values := make([]string, len(names))
	for i, name := range names {
		for _, f := range s.Facts {
			if f.Name == name {
				values[i] = f.Value.N.String()
			}
		}
	}
	return values, nil
}

// Tally returns the tally of a parent.
func (m *memory) Tally(c puzzle.Cell) (puzzle.Tally, error) { return *m.tallies[c], nil }

// Windows returns the windows of a parent.
func (m *memory) Windows(c puzzle.Cell) ([]puzzle.Window, error) {
	p := m.plans[c]
	var list []puzzle.Window
	for i := range p.Windows() {
		list = append(list, p.Window(i))
	}
	return list, nil
}

// Blocks is never asked, because the cache has every window that is needed.
func (m *memory) Blocks(_ context.Context, w puzzle.Window, _, _ uint64, _ func(*puzzle.Block) error) error {
	return fmt.Errorf("window %s is not in memory", w)
}

// Cache returns the windows in memory.
func (m *memory) Cache() puzzle.Cache { return m }

// Get returns a window.
func (m *memory) Get(id puzzle.WindowID) (any, bool) {
	v, ok := m.decoded[id]
	return v, ok
}

// Put keeps a window.
func (m *memory) Put(id puzzle.WindowID, v any, _ uint64) { m.decoded[id] = v }

// Layers counts the layers planned.
func (m *memory) Layers() int { return len(m.layers) }

// Complete says that all windows are there.
func (m *memory) Complete() bool { return true }

// Cells returns the plan of a layer.
func (m *memory) Cells(layer int) []puzzle.CellPlan { return m.layers[layer] }

// Cell returns the tally of a cell.
func (m *memory) Cell(c puzzle.Cell) (puzzle.Tally, bool) { return *m.tallies[c], true }

// Layer returns the tally of a layer.
func (m *memory) Layer(layer int) (sum puzzle.Tally, ok bool) {
	for _, c := range m.layers[layer] {
		if sum.Merge(m.tallies[c.Cell]) != nil {
			return sum, false
		}
	}
	return sum, true
}

// sink takes the packed blocks of a cell, and drops them.
type sink struct {
	m *memory
	c puzzle.Cell
}

// Block passes the classes of a block to m.each.
func (s sink) Block(b *puzzle.Block) error {
	if s.m.each == nil {
		return nil
	}
	return s.m.games.ExportRows(s.c, b, func(row []puzzle.Value) error {
		position, err := strconv.ParseUint(row[0].S, 0, 64)
		s.m.each(position)
		return err
	})
}
