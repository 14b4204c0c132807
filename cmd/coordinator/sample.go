package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"pagoda/internal/puzzle"
)

const (
	// sampleTime is how long the first layers are computed to see how fast this machine is.
	sampleTime = 500 * time.Millisecond
	// sampleRows bounds the rows that are kept for it.
	sampleRows = 2 << 20
)

// sampleRate measures the seconds that a unit of predicted work takes: it computes layer after layer in memory until the
// time is over, and goes by the last third of the work, since the first layers are too small to say much.
func sampleRate(ctx context.Context, p puzzle.Puzzle, budget time.Duration) (float64, error) {
	s := &sample{cells: map[puzzle.Cell]*sampleCell{}}
	type point struct{ work, seconds float64 }
	points := []point{{}}
	begun := time.Now()
	for n := 0; time.Since(begun) < budget && s.rows < sampleRows; n++ {
		plans, err := p.Layer(n, nothing{})
		if errors.Is(err, puzzle.ErrNoLayer) || errors.Is(err, puzzle.ErrUndecided) {
			break
		}
		if err != nil {
			return 0, err
		}
		for i := range plans {
			c := &plans[i]
			s.cells[c.Cell] = &sampleCell{plan: c, blocks: make([][]puzzle.Block, c.Windows())}
			per := c.Work / float64(c.Windows())
			for k := range c.Windows() {
				if time.Since(begun) > budget && len(points) > 1 {
					break
				}
				took, err := s.compute(ctx, p, c, k)
				if err != nil {
					return 0, fmt.Errorf("sample of layer %d: %w", n, err)
				}
				last := points[len(points)-1]
				points = append(points, point{last.work + per, last.seconds + took.Seconds()})
			}
		}
	}
	last := points[len(points)-1]
	i := slices.IndexFunc(points, func(p point) bool { return p.work >= last.work/3 })
	if from := points[i]; from.work < last.work && len(points) > 2 {
		return (last.seconds - from.seconds) / (last.work - from.work), nil
	}
	if last.work == 0 {
		return 0, nil
	}
	return last.seconds / last.work, nil
}

// sample is a source and sink in memory.
type sample struct {
	cells map[puzzle.Cell]*sampleCell
	rows  int
}

type sampleCell struct {
	plan   *puzzle.CellPlan
	tally  puzzle.Tally
	blocks [][]puzzle.Block // by window
}

func (s *sample) compute(ctx context.Context, p puzzle.Puzzle, c *puzzle.CellPlan, window int) (time.Duration, error) {
	begun := time.Now()
	cell := s.cells[c.Cell]
	tally, err := p.Compute(ctx, c.Window(window), s, sampleSink(func(b *puzzle.Block) error {
		kept := puzzle.Block{First: b.First, Slots: b.Slots, Occupied: slices.Clone(b.Occupied)}
		for _, col := range b.Columns {
			kept.Columns = append(kept.Columns, slices.Clone(col))
		}
		cell.blocks[window] = append(cell.blocks[window], kept)
		s.rows += b.Rows()
		return nil
	}))
	took := time.Since(begun)
	if err != nil {
		return 0, err
	}
	return took, cell.tally.Merge(&tally)
}

func (s *sample) cell(c puzzle.Cell) (*sampleCell, error) {
	if have, ok := s.cells[c]; ok {
		return have, nil
	}
	return nil, fmt.Errorf("cell %d/%s was not computed", c.Layer, c.Key)
}

// Tally implements puzzle.Source.
func (s *sample) Tally(c puzzle.Cell) (puzzle.Tally, error) {
	have, err := s.cell(c)
	if err != nil {
		return puzzle.Tally{}, err
	}
	return have.tally, nil
}

// Windows implements puzzle.Source.
func (s *sample) Windows(c puzzle.Cell) ([]puzzle.Window, error) {
	have, err := s.cell(c)
	if err != nil {
		return nil, err
	}
	var list []puzzle.Window
	for i := range have.plan.Windows() {
		list = append(list, have.plan.Window(i))
	}
	return list, nil
}

// Blocks implements puzzle.Source.
func (s *sample) Blocks(
	_ context.Context, w puzzle.Window, first, slots uint64, fn func(*puzzle.Block) error,
) error {
	have, err := s.cell(w.Cell)
	if err != nil {
		return err
	}
	for i := range have.blocks[w.Part] {
		b := &have.blocks[w.Part][i]
		if b.First+uint64(b.Slots) <= first || b.First >= first+slots {
			continue
		}
		if err := fn(b); err != nil {
			return err
		}
	}
	return nil
}

// Cache implements puzzle.Source.
func (s *sample) Cache() puzzle.Cache { return forgetful{} }

// forgetful is a cache that keeps nothing.
type forgetful struct{}

func (forgetful) Get(puzzle.WindowID) (any, bool)  { return nil, false }
func (forgetful) Put(puzzle.WindowID, any, uint64) {}

// sampleSink is a puzzle.Sink.
type sampleSink func(*puzzle.Block) error

func (fn sampleSink) Block(b *puzzle.Block) error { return fn(b) }
