package engine_test

import (
	"context"
	"sync"

	"pagoda/internal/puzzle"
)

// wrapped is a puzzle whose computations can be interfered with.
type wrapped struct {
	puzzle.Puzzle
	mu     sync.Mutex
	counts map[puzzle.WindowID]int // computations begun
	// before is called with the number of the computation of w, from 1; its error is the computation's.
	before func(ctx context.Context, w puzzle.Window, n int) error
	// source is called with the source of a computation; its error is the computation's.
	source func(w puzzle.Window, in puzzle.Source) error
	// rows and after change what a computation writes and returns.
	rows  func(w puzzle.Window, n int, b *puzzle.Block)
	after func(w puzzle.Window, n int, t *puzzle.Tally)
}

func wrap(p puzzle.Puzzle) *wrapped {
	return &wrapped{Puzzle: p, counts: make(map[puzzle.WindowID]int)}
}

func (p *wrapped) computed(id puzzle.WindowID) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.counts[id]
}

func (p *wrapped) Compute(
	ctx context.Context, w puzzle.Window, in puzzle.Source, out puzzle.Sink,
) (puzzle.Tally, error) {
	p.mu.Lock()
	p.counts[w.ID()]++
	n := p.counts[w.ID()]
	p.mu.Unlock()
	if p.before != nil {
		if err := p.before(ctx, w, n); err != nil {
			return puzzle.Tally{}, err
		}
	}
	if p.source != nil {
		if err := p.source(w, in); err != nil {
			return puzzle.Tally{}, err
		}
	}
	if p.rows != nil {
		out = changedSink{out, func(b *puzzle.Block) { p.rows(w, n, b) }}
	}
	t, err := p.Puzzle.Compute(ctx, w, in, out)
	if err == nil && p.after != nil {
		p.after(w, n, &t)
	}
	return t, err
}

type changedSink struct {
	out    puzzle.Sink
	change func(*puzzle.Block)
}

func (s changedSink) Block(b *puzzle.Block) error {
	s.change(b)
	return s.out.Block(b)
}
