package ways

import (
	"context"
	"errors"
	"fmt"

	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// A Listing is the solutions of one problem by their numbers. They are numbered in the order of their jumps: first all
// that begin with the first jump of the board that can be made, and so on, at every position anew.
type Listing struct {
	problem peg.Problem
	// ways returns the ways to the goal from a position that is reached after so many jumps.
	ways func(ctx context.Context, p peg.Position, jumps int) (uint128.Uint128, error)
}

// Listing returns the solutions of a finished run, whose rows are in in.
func (t *Puzzle) Listing(in puzzle.Source) *Listing {
	return &Listing{t.problem, func(ctx context.Context, p peg.Position, jumps int) (uint128.Uint128, error) {
		if t.near == nil {
			return uint128.Uint128{}, nil
		}
		return t.waysOnward(ctx, rows{in, false}, p, jumps)
	}}
}

// Problem returns the problem of the solutions.
func (l *Listing) Problem() peg.Problem { return l.problem }

// Total returns the number of solutions, which may be 0.
func (l *Listing) Total(ctx context.Context) (uint128.Uint128, error) {
	return l.ways(ctx, l.problem.Start, 0)
}

// Each passes the solutions from a number on to fn, in order, with their numbers, and ends with the first error of fn.
// The jumps are fn's until it returns.
func (l *Listing) Each(
	ctx context.Context, from uint128.Uint128, fn func(number uint128.Uint128, jumps []peg.Jump) error,
) error {
	return l.each(ctx, from, nil, fn)
}

// each is Each, of the solutions that a filter chooses unless it is nil.
func (l *Listing) each(
	ctx context.Context, from uint128.Uint128, chosen *Matches,
	fn func(number uint128.Uint128, jumps []peg.Jump) error,
) error {
	all, err := l.Total(ctx)
	if err != nil || all.IsZero() {
		return err
	}
	w, s := walk{Listing: l, from: from, chosen: chosen, fn: fn}, stage{}
	if chosen != nil {
		s.open = chosen.asked
	}
	return w.on(ctx, l.problem.Start, uint128.Uint128{}, all, s)
}

// A walk goes through solutions jump by jump. It leaves out those before a number a whole position at a time.
type walk struct {
	*Listing
	from   uint128.Uint128
	chosen *Matches // nil: all
	fn     func(uint128.Uint128, []peg.Jump) error
	jumps  []peg.Jump // made so far
}

// on goes through the solutions that go on from p: those from number first to before first+ways.
func (w *walk) on(ctx context.Context, p peg.Position, first, ways uint128.Uint128, s stage) (err error) {
	n := len(w.jumps)
	if n == w.problem.Jumps() {
		return w.fn(first, w.jumps)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	end, _ := first.Add(ways) // at most all solutions
	w.problem.Board.Moves(p, func(j peg.Jump) {
		if err != nil {
			return
		}
		q := j.Play(p)
		var onward uint128.Uint128
		if onward, err = w.ways(ctx, q, n+1); err != nil || onward.IsZero() {
			return
		}
		next, _ := first.Add(onward)
		then := s
		if w.chosen != nil {
			then = w.chosen.after(s, j)
		}
		if w.from.Cmp(next) < 0 && (w.chosen == nil || w.chosen.goesOn(q, n+1, then)) {
			w.jumps = append(w.jumps, j)
			err = w.on(ctx, q, first, onward, then)
			w.jumps = w.jumps[:n]
		}
		first = next
	})
	if err == nil && first != end {
		err = fmt.Errorf("after %d jumps the ways of all jumps are not those of the position; verify the run", n)
	}
	return err
}

// ErrNotSolution is wrapped by [Listing.Number].
var ErrNotSolution = errors.New("not a solution")

// Number returns the number of a solution. The error wraps ErrNotSolution when the jumps, which can be made from the
// start, do not end in the goal.
func (l *Listing) Number(ctx context.Context, jumps []peg.Jump) (number uint128.Uint128, err error) {
	b, p := l.problem.Board, l.problem.Start
	for _, j := range jumps {
		p = j.Play(p)
	}
	if p != l.problem.Goal {
		return number, fmt.Errorf("%w: the game ends in %s, and the goal is %s", ErrNotSolution, peg.FormatLine(b, p),
			peg.FormatLine(b, l.problem.Goal))
	}
	p = l.problem.Start
	for n, played := range jumps {
		before := true // jumps in whose place another one was played
		b.Moves(p, func(j peg.Jump) {
			before = before && j != played
			if !before || err != nil {
				return
			}
			var ways uint128.Uint128
			if ways, err = l.ways(ctx, j.Play(p), n+1); err == nil {
				number, _ = number.Add(ways) // less than all of them
			}
		})
		if err != nil {
			return number, err
		}
		p = played.Play(p)
	}
	return number, nil
}
