package puzzletest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// ErrContract is wrapped by Play, PlayTo and Compute when a puzzle breaks the contract of package puzzle: it reads a
// window that is not computed, or whose cell is not one of the parents; it goes on without a missing one; or it names a
// parent twice. Or its block is malformed, its tally not canonical, or its flow not that of the other end of the edge.
// All other errors are the puzzle's own.
var ErrContract = errors.New("the puzzle breaks its contract")

// Play computes all windows of p in order, and checks the flow over every edge.
func (m *Memory) Play(ctx context.Context, p puzzle.Puzzle) error { return m.PlayTo(ctx, p, -1) }

// PlayTo is Play up to the given layer; -1 means all of them.
func (m *Memory) PlayTo(ctx context.Context, p puzzle.Puzzle, last int) error {
	for n := 0; last < 0 || n <= last; n++ {
		cells, err := p.Layer(n, m)
		if errors.Is(err, puzzle.ErrNoLayer) {
			return nil
		}
		if err != nil {
			return err
		}
		m.layers = append(m.layers, cells)
		readers := map[puzzle.Cell]int{}
		for i := range cells {
			for k, parent := range cells[i].Parents {
				if slices.Contains(cells[i].Parents[:k], parent) {
					return fmt.Errorf("%w: cell %d/%s names its parent %d/%s twice", ErrContract, n, cells[i].Key, parent.Layer,
						parent.Key)
				}
				readers[parent]++
			}
		}
		for i := range cells {
			if err := m.cell(ctx, p, &cells[i]); err != nil {
				return err
			}
			for _, parent := range cells[i].Parents {
				if readers[parent]--; readers[parent] == 0 {
					m.forget(parent)
				}
			}
		}
		m.forgetBelow(n)
	}
	return nil
}

// cell computes all windows of a cell.
func (m *Memory) cell(ctx context.Context, p puzzle.Puzzle, c *puzzle.CellPlan) error {
	var sum puzzle.Tally
	for part := range c.Windows() {
		w := c.Window(part)
		t, err := m.Compute(ctx, p, w, m)
		if err != nil {
			return err
		}
		if err := sum.Merge(&t); err != nil {
			return fmt.Errorf("window %s: %w", w, err)
		}
		m.windows[c.Cell] = append(m.windows[c.Cell], w)
	}
	for _, in := range sum.In {
		if err := m.known(in.Cell); err != nil {
			return err
		}
		if out := Flow(m.tallies[in.Cell].Out, c.Cell); out != in.Amount {
			return fmt.Errorf("%w: edge %d/%s -> %d/%s: %v went out, %v came in",
				ErrContract, in.Layer, in.Key, c.Layer, c.Key, out, in.Amount)
		}
	}
	m.tallies[c.Cell] = &sum
	return nil
}

// Flow returns the amount that crosses the edge to or from c, 0 when the list does not have it.
func Flow(list []puzzle.Flow, c puzzle.Cell) uint128.Uint128 {
	i := slices.IndexFunc(list, func(f puzzle.Flow) bool { return f.Cell == c })
	if i < 0 {
		return uint128.Uint128{}
	}
	return list[i].Amount
}

// Compute computes one window of p from in, which may be m or anything before it, and keeps its blocks if m is stored.
func (m *Memory) Compute(
	ctx context.Context, p puzzle.Puzzle, w puzzle.Window, in puzzle.Source,
) (puzzle.Tally, error) {
	source, sink := &source{Source: in, m: m, w: w, memory: m.granted(w.Cell)}, &sink{m: m, w: w}
	source.ranges, source.whole = puzzle.Reads(p, w)
	if c := m.plan(w.Cell); c != nil {
		source.parents = c.Parents
	}
	t, err := p.Compute(ctx, w, source, sink)
	switch {
	// Also when p has dropped or replaced the error.
	case sink.broken != nil:
		return t, sink.broken
	case errors.Is(source.refused, ErrContract):
		return t, fmt.Errorf("window %s: %w", w, source.refused)
	case source.refused != nil && !errors.Is(err, source.refused):
		return t, fmt.Errorf("%w: window %s: Compute did not pass on: %w", ErrContract, w, source.refused)
	case err != nil:
		return t, err
	case !t.Canonical():
		return t, fmt.Errorf("%w: window %s: tally is not canonical", ErrContract, w)
	}
	for _, list := range [][]puzzle.Scalar{t.Sums, t.Maxima} {
		for _, s := range list {
			if !puzzle.ValidName(s.Name) {
				return t, fmt.Errorf("%w: window %s: %q is not a name of a scalar", ErrContract, w, s.Name)
			}
		}
	}
	if m.options.Stored || !sink.written {
		m.blocks[w.ID()] = sink.blocks
	}
	return t, nil
}

// A source remembers the first read that it had to refuse: of a window that is not there, or that the puzzle, if it is
// a puzzle.Reader, does not say that it reads.
type source struct {
	puzzle.Source
	m       *Memory
	w       puzzle.Window // that is being computed
	ranges  []puzzle.Range
	whole   bool
	parents []puzzle.Cell // of the window's cell
	memory  uint64
	refused error
}

// MemoryBytes returns the memory that the run grants to the window, in bytes.
func (s *source) MemoryBytes() uint64 { return s.memory }

// granted returns the memory that the run grants to a window of a cell, in bytes; 0 means the amount in the plan.
func (m *Memory) granted(c puzzle.Cell) uint64 {
	p := m.plan(c)
	if p != nil && m.options.Memory > 0 && m.options.Memory < p.MemoryBytes && p.LeastBytes > 0 {
		return max(m.options.Memory, p.LeastBytes)
	}
	return 0
}

// plan returns the plan of a cell, nil where there is none.
func (m *Memory) plan(c puzzle.Cell) *puzzle.CellPlan {
	if c.Layer >= len(m.layers) {
		return nil
	}
	i := slices.IndexFunc(m.layers[c.Layer], func(p puzzle.CellPlan) bool { return p.Cell == c })
	if i < 0 {
		return nil
	}
	return &m.layers[c.Layer][i]
}

// declared says whether the puzzle has said that it reads some of a window.
func (s *source) declared(w puzzle.Window) error {
	if !slices.Contains(s.parents, w.Cell) {
		return s.note(fmt.Errorf("%w: window %s reads window %s, whose cell is not one of its parents", ErrContract, s.w, w))
	}
	if s.whole || slices.ContainsFunc(s.ranges, func(r puzzle.Range) bool { return r.Overlaps(w) }) {
		return nil
	}
	return s.note(fmt.Errorf("%w: window %s reads window %s, which is in none of the ranges that it is said to read",
		ErrContract, s.w, w))
}

// Cache is that of the run, but for windows that the puzzle does not say that it reads.
func (s *source) Cache() puzzle.Cache { return declaredCache{s.Source.Cache(), s} }

type declaredCache struct {
	puzzle.Cache
	s *source
}

func (c declaredCache) Get(id puzzle.WindowID) (any, bool) {
	v, ok := c.Cache.Get(id)
	if ws := c.s.m.windows[id.Cell]; ok && id != c.s.w.ID() && id.Part < len(ws) && c.s.declared(ws[id.Part]) != nil {
		return nil, false
	}
	return v, ok
}

func (s *source) note(err error) error {
	if s.refused == nil && (errors.Is(err, puzzle.ErrMissing) || errors.Is(err, ErrContract)) {
		s.refused = err
	}
	return err
}

func (s *source) Tally(c puzzle.Cell) (puzzle.Tally, error) {
	t, err := s.Source.Tally(c)
	return t, s.note(err)
}

func (s *source) Windows(c puzzle.Cell) ([]puzzle.Window, error) {
	list, err := s.Source.Windows(c)
	return list, s.note(err)
}

func (s *source) Blocks(
	ctx context.Context, w puzzle.Window, first, addresses uint64, fn func(*puzzle.Block) error,
) error {
	if err := s.declared(w); err != nil {
		return err
	}
	return s.note(s.Source.Blocks(ctx, w, first, addresses, fn))
}

// A sink checks the blocks of a window and takes copies of them where the run is stored.
type sink struct {
	m       *Memory
	w       puzzle.Window
	next    uint64 // least address of the next block
	blocks  []puzzle.Block
	written bool  // a block
	broken  error // the first thing wrong
}

// Block implements puzzle.Sink.
func (s *sink) Block(b *puzzle.Block) error {
	err := b.Check(s.w)
	if err == nil && b.First < s.next {
		err = fmt.Errorf("block %d comes after address %d", b.First, s.next-1)
	}
	if err != nil {
		err = fmt.Errorf("%w: window %s: %w", ErrContract, s.w, err)
		if s.broken == nil {
			s.broken = err
		}
		return err
	}
	s.next, s.written = b.First+uint64(b.Addresses), true
	if each := s.m.options.Each; each != nil {
		if err := each(s.w, b); err != nil {
			return err
		}
	}
	if s.m.options.Stored {
		s.blocks = append(s.blocks, *b.Clone())
	}
	return nil
}
