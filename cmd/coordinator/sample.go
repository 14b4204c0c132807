package main

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
)

const (
	// sampleTime is how long the first layers are computed to see how fast this machine is.
	sampleTime = time.Second
	// sampleRows bounds the rows that are kept for it.
	sampleRows = 8 << 20
)

// A rate predicts computing time: so much for each window, and so much for each unit of its predicted work, in seconds.
type rate struct {
	window, work float64
	unknown      bool // the sample did not get to windows that are large enough to tell
}

// sampleRate measures a rate: it computes layer after layer until the time is over, with rows coded and hashed as a
// store does it but kept in memory.
func sampleRate(ctx context.Context, p puzzle.Puzzle, budget time.Duration) (rate, error) {
	s := &sample{cells: map[puzzle.Cell]*sampleCell{}}
	var works, times []float64
	begun := cpuTime()
	for n := 0; cpuTime()-begun < budget && s.rows < sampleRows; n++ {
		plans, err := p.Layer(n, nothing{})
		if errors.Is(err, puzzle.ErrNoLayer) {
			return mean(times), nil // that was the whole run
		}
		if errors.Is(err, puzzle.ErrUndecided) {
			break
		}
		if err != nil {
			return rate{}, err
		}
		for i := range plans {
			c := &plans[i]
			s.cells[c.Cell] = &sampleCell{plan: c, blocks: make([][]sampleBlock, c.Windows())}
			for _, k := range spread(c.Windows()) {
				if cpuTime()-begun > budget && len(times) > 0 {
					break
				}
				took, err := s.compute(ctx, p, c, k)
				if err != nil {
					return rate{}, fmt.Errorf("sample of layer %d: %w", n, err)
				}
				works = append(works, c.Work/float64(c.Windows()))
				times = append(times, took.Seconds())
			}
		}
	}
	return fit(works, times), nil
}

// spread lists 0..n-1, the middle first, so that however early it is broken off the numbers stand for all: the windows
// of a survey take less and less from the first to the last.
func spread(n int) []int {
	length := bits.Len(uint(n - 1))
	var list []int
	for i := range 1 << length {
		k := int(bits.Reverse64(uint64(i)) >> (64 - length))
		if length > 0 {
			k ^= 1 << (length - 1)
		}
		if k < n {
			list = append(list, k)
		}
	}
	return list
}

// mean makes a rate of all windows of a run.
func mean(times []float64) rate {
	var r rate
	for _, t := range times {
		r.window += t / float64(len(times))
	}
	return r
}

// fit makes a rate of measured windows. The median of the small ones, of less than an eighth of the largest's work,
// says what a window takes however small; what the others take beyond that says what work takes. A line through all
// points would be at the mercy of the windows that had to make tables for the rest, or were interrupted.
func fit(works, times []float64) rate {
	var most float64
	for _, w := range works {
		most = max(most, w)
	}
	var small []float64
	for i, w := range works {
		if w < most/8 {
			small = append(small, times[i])
		}
	}
	var r rate
	if len(small) > 0 {
		slices.Sort(small)
		r.window = small[len(small)/2]
	}
	var work, whole, beyond float64
	for i, w := range works {
		if w >= most/8 {
			work += w
			whole += times[i]
			beyond += max(0, times[i]-r.window)
		}
	}
	if work > 0 {
		r.work = beyond / work
	}
	r.unknown = beyond <= whole/2
	return r
}

// processStart is the beginning of cpuTime where that is the wall clock.
var processStart = time.Now()

// sample is a source and sink in memory.
type sample struct {
	cells map[puzzle.Cell]*sampleCell
	rows  int
}

type sampleCell struct {
	plan   *puzzle.CellPlan
	tally  puzzle.Tally
	blocks [][]sampleBlock // by window
}

// sampleBlock is a coded block.
type sampleBlock struct {
	first, end uint64
	coded      []byte
}

func (s *sample) compute(ctx context.Context, p puzzle.Puzzle, c *puzzle.CellPlan, window int) (time.Duration, error) {
	begun := cpuTime()
	cell := s.cells[c.Cell]
	w := c.Window(window)
	h := kv.NewHasher(w)
	tally, err := p.Compute(ctx, w, s, sampleSink(func(b *puzzle.Block) error {
		h.Add(b)
		coded := kv.EncodeBlock(nil, b)
		cell.blocks[window] = append(cell.blocks[window], sampleBlock{b.First, b.First + uint64(b.Addresses), coded})
		s.rows += b.Rows()
		return nil
	}))
	h.Sum()
	took := cpuTime() - begun
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
	_ context.Context, w puzzle.Window, first, addresses uint64, fn func(*puzzle.Block) error,
) error {
	have, err := s.cell(w.Cell)
	if err != nil {
		return err
	}
	var b puzzle.Block
	for _, coded := range have.blocks[w.Part] {
		if coded.end <= first || coded.first >= first+addresses {
			continue
		}
		if err := kv.DecodeBlock(coded.coded, &b); err != nil {
			return err
		}
		if err := fn(&b); err != nil {
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
