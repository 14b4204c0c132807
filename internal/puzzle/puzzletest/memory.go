// Package puzzletest carries out a run of any puzzle in memory, without store, ledger or queue, and holds the puzzle to
// its contract on the way. Tests call [Play], [PlayTo] and [Compute], which fail the test; programs call the methods of
// [Memory], which return errors.
package puzzletest

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"pagoda/internal/puzzle"
)

// Options say which parts of a window are kept for its readers. Without Cached and Stored nothing is.
type Options struct {
	// Cached keeps decoded windows in the cache. It forgets a cell when the last of its readers in the next layer is
	// computed, and all cells below a layer when that layer is finished.
	Cached bool
	// Hoard makes the cache forget nothing.
	Hoard bool
	// Stored keeps blocks. Without it, reading a window's blocks gives a *puzzle.MissingError, unless it has none.
	Stored bool
	// Memory is how many bytes windows may hold that can do with less than the plan says, but at least their LeastBytes;
	// 0 sets no limit. See puzzle.Source.
	Memory uint64
	// Each sees every block as it is written, unless it is nil; an error ends the run. The block is its only until it
	// returns.
	Each func(w puzzle.Window, b *puzzle.Block) error
}

// A Memory is a run held in memory: puzzle.Source, puzzle.Cache and puzzle.Results of its windows. It serves one
// computation at a time.
type Memory struct {
	options Options
	layers  [][]puzzle.CellPlan
	tallies map[puzzle.Cell]*puzzle.Tally // of cells all of whose windows are computed
	windows map[puzzle.Cell][]puzzle.Window
	blocks  map[puzzle.WindowID][]puzzle.Block
	cache   map[puzzle.WindowID]any
}

var (
	_ puzzle.Source  = (*Memory)(nil)
	_ puzzle.Cache   = (*Memory)(nil)
	_ puzzle.Results = (*Memory)(nil)
)

// New returns a run of which nothing is computed.
func New(o Options) *Memory {
	return &Memory{
		options: o,
		tallies: map[puzzle.Cell]*puzzle.Tally{},
		windows: map[puzzle.Cell][]puzzle.Window{},
		blocks:  map[puzzle.WindowID][]puzzle.Block{},
		cache:   map[puzzle.WindowID]any{},
	}
}

// known demands that a cell is computed before it is read.
func (m *Memory) known(c puzzle.Cell) error {
	if m.tallies[c] == nil {
		return fmt.Errorf("%w: cell %d/%s is read before it is computed, or not in the plan at all",
			ErrContract, c.Layer, c.Key)
	}
	return nil
}

// Tally implements puzzle.Source.
func (m *Memory) Tally(c puzzle.Cell) (puzzle.Tally, error) {
	if err := m.known(c); err != nil {
		return puzzle.Tally{}, err
	}
	return m.tallies[c].Totals(), nil
}

// Windows implements puzzle.Source.
func (m *Memory) Windows(c puzzle.Cell) ([]puzzle.Window, error) { return m.windows[c], m.known(c) }

// Blocks implements puzzle.Source.
func (m *Memory) Blocks(
	_ context.Context, w puzzle.Window, first, addresses uint64, fn func(*puzzle.Block) error,
) error {
	if err := m.known(w.Cell); err != nil {
		return err
	}
	blocks, ok := m.blocks[w.ID()]
	if !ok {
		return &puzzle.MissingError{Window: w.ID()}
	}
	for i := range blocks {
		b := &blocks[i]
		if b.First+uint64(b.Addresses) <= first || b.First >= first+addresses {
			continue
		}
		if err := fn(b); err != nil {
			return err
		}
	}
	return nil
}

// Cache implements puzzle.Source.
func (m *Memory) Cache() puzzle.Cache { return m }

// MemoryBytes implements puzzle.Source: it sets no limit.
func (m *Memory) MemoryBytes() uint64 { return 0 }

// Get implements puzzle.Cache.
func (m *Memory) Get(id puzzle.WindowID) (any, bool) {
	v, ok := m.cache[id]
	return v, ok
}

// Put implements puzzle.Cache. It does nothing in a run that is not cached.
func (m *Memory) Put(id puzzle.WindowID, v any, _ uint64) {
	if m.options.Cached {
		m.cache[id] = v
	}
}

// forget drops a cell from the cache.
func (m *Memory) forget(c puzzle.Cell) {
	if !m.options.Hoard {
		for _, w := range m.windows[c] {
			delete(m.cache, w.ID())
		}
	}
}

// forgetBelow drops the cells below a layer from the cache.
func (m *Memory) forgetBelow(layer int) {
	if !m.options.Hoard {
		maps.DeleteFunc(m.cache, func(id puzzle.WindowID, _ any) bool { return id.Layer < layer })
	}
}

// Layers implements puzzle.Results.
func (m *Memory) Layers() int { return len(m.layers) }

// Complete implements puzzle.Results: it is true between layers, and false once a computation has failed.
func (m *Memory) Complete() bool {
	return !slices.ContainsFunc(m.layers, func(cells []puzzle.CellPlan) bool {
		return slices.ContainsFunc(cells, func(c puzzle.CellPlan) bool { return m.tallies[c.Cell] == nil })
	})
}

// Cells implements puzzle.Results.
func (m *Memory) Cells(layer int) []puzzle.CellPlan { return m.layers[layer] }

// Cell implements puzzle.Results.
func (m *Memory) Cell(c puzzle.Cell) (t puzzle.Tally, ok bool) {
	if m.tallies[c] == nil {
		return t, false
	}
	return *m.tallies[c], true
}

// Layer implements puzzle.Results. A layer whose tallies do not add up in 128 bits is not ok either.
func (m *Memory) Layer(layer int) (sum puzzle.Tally, ok bool) {
	for _, c := range m.layers[layer] {
		if t := m.tallies[c.Cell]; t == nil || sum.Merge(t) != nil {
			return sum, false
		}
	}
	return sum, true
}

// Tallies returns the merged tallies of all cells that are computed, for comparing two runs.
func (m *Memory) Tallies() map[puzzle.Cell]puzzle.Tally {
	all := make(map[puzzle.Cell]puzzle.Tally, len(m.tallies))
	for c, t := range m.tallies {
		all[c] = *t
	}
	return all
}

// Rows returns the blocks of all windows of a cell, in address order; none where the run is not stored.
func (m *Memory) Rows(c puzzle.Cell) []puzzle.Block {
	var list []puzzle.Block
	for _, w := range m.windows[c] {
		list = append(list, m.blocks[w.ID()]...)
	}
	return list
}

// Fact returns a number of p's summary of the run.
func (m *Memory) Fact(p puzzle.Puzzle, name string) (string, error) {
	s, err := p.Summarise(m)
	if err != nil {
		return "", err
	}
	for _, f := range s.Facts {
		if f.Name == name {
			return f.Value.N.String(), nil
		}
	}
	return "", fmt.Errorf("the summary does not say %s", name)
}
