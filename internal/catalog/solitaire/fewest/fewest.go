// Package fewest finds solutions with the least number of sweeps, and proves that none has fewer.
//
// A sweep is a row of consecutive jumps of one peg. The search goes from both ends, sweep by sweep, for one number of
// sweeps after the other. Positions that need too many sweeps by Merson's regions are dropped; docs/theory.md proves
// that this overlooks no solution.
//
// The package is pure, and equal arguments give equal results; the context alone can cut a search short.
package fewest

import (
	"context"
	"errors"
	"math"

	"pagoda/internal/peg"
)

// Options bound the search. 0 stands for the default.
type Options struct {
	// Bytes is about how much memory the positions may take; default 512 MiB.
	Bytes int64
	// Work is how many positions the search looks at; the default takes some ten seconds.
	Work int64
}

func (o Options) work() int64 {
	if o.Work == 0 {
		return 85_000_000
	}
	return o.Work
}

// positionBytes is how much memory a position takes that is kept: in a layer and, at worst while it grows, in a set.
const positionBytes = 40

func (o Options) room() int {
	if o.Bytes == 0 {
		return 512 << 20 / positionBytes
	}
	return int(o.Bytes / positionBytes)
}

// A Result is a solution with few sweeps.
type Result struct {
	Jumps  []peg.Jump
	Sweeps int // of Jumps
	// AtLeast is how many sweeps every solution has at least.
	AtLeast int
}

// Proved reports whether no solution has fewer sweeps.
func (r *Result) Proved() bool { return r.AtLeast == r.Sweeps }

func (r *Result) improve(b *peg.Board, jumps []peg.Jump) {
	_, r.Sweeps = peg.FormatSweeps(b, jumps)
	r.Jumps = jumps
}

// Widths of the layers from the start, of a search that may overlook solutions, and of one that does not.
const (
	narrow = 1000
	wide   = 20_000
	whole  = math.MaxInt
)

// long is the work of an exhaustive search beside which a wide one costs little.
const long = 1_000_000

// Solve finds a solution of p with the least number of sweeps, given a solution. It excludes one number after the other
// by an exhaustive search. Before each of these a narrow one looks for a solution, which ends the proof sooner. Where
// the proof takes too long, narrow searches improve the solution. The error is that of the context.
func Solve(ctx context.Context, p peg.Problem, known []peg.Jump, o Options) (*Result, error) {
	r := new(Result)
	r.improve(p.Board, known)
	if r.Sweeps == 0 {
		return r, nil
	}
	s := newSearch(p, o)
	r.AtLeast = min(r.Sweeps, max(1, least(s.regions, p.Start, p.Goal)))
	err := s.prove(ctx, r)
	if errors.Is(err, errLong) {
		s.work = o.work() / 10
		err = s.shorten(ctx, r)
	}
	if err != nil && !errors.Is(err, errLong) {
		return nil, err
	}
	return r, nil
}

// prove raises AtLeast and improves the solution until they meet.
func (s *search) prove(ctx context.Context, r *Result) error {
	width := narrow
	for !r.Proved() {
		if err := s.try(ctx, r, r.AtLeast, width); err != nil || r.Proved() {
			return err
		}
		before := s.work
		if err := s.try(ctx, r, r.AtLeast, whole); err != nil || r.Proved() {
			return err
		}
		r.AtLeast++
		if before-s.work > long {
			width = wide
		}
	}
	return nil
}

// shorten improves the solution without a proof.
func (s *search) shorten(ctx context.Context, r *Result) error {
	for limit := r.AtLeast; limit < r.Sweeps; limit++ {
		if err := s.try(ctx, r, limit, narrow); err != nil {
			return err
		}
	}
	for before := 0; before != r.Sweeps && r.Sweeps > r.AtLeast; {
		before = r.Sweeps
		if err := s.try(ctx, r, r.Sweeps-1, wide); err != nil {
			return err
		}
	}
	return nil
}

// try looks for a solution of so many sweeps.
func (s *search) try(ctx context.Context, r *Result, limit, width int) error {
	jumps, err := s.within(ctx, limit, width)
	if jumps != nil {
		r.improve(s.Board, jumps)
	}
	return err
}
