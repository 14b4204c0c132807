package puzzletest

import (
	"context"
	"errors"

	"pagoda/internal/puzzle"
)

// TB is what testing.T, testing.B and rapid.T have in common here.
type TB interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// Play computes all windows of p in order, and checks the flow over every edge. Any error is fatal.
func Play(t TB, p puzzle.Puzzle, o Options) *Memory {
	t.Helper()
	m, err := PlayTo(t, p, o, -1)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// PlayTo is Play up to the given layer; -1 means all of them. A breach of the contract of puzzles is fatal; errors of
// the computation are returned, with the run as far as it came.
func PlayTo(t TB, p puzzle.Puzzle, o Options, last int) (*Memory, error) {
	t.Helper()
	m := New(o)
	err := m.PlayTo(context.Background(), p, last)
	if errors.Is(err, ErrContract) {
		t.Fatal(err)
	}
	return m, err
}

// Compute computes one window of p from in. A breach of the contract of puzzles is fatal; errors of the computation are
// returned.
func Compute(
	ctx context.Context, t TB, m *Memory, p puzzle.Puzzle, w puzzle.Window, in puzzle.Source,
) (puzzle.Tally, error) {
	t.Helper()
	tally, err := m.Compute(ctx, p, w, in)
	if errors.Is(err, ErrContract) {
		t.Fatal(err)
	}
	return tally, err
}

// Fact returns a number of p's summary of a run. It is fatal that there is none of that name.
func Fact(t TB, p puzzle.Puzzle, m *Memory, name string) string {
	t.Helper()
	value, err := m.Fact(p, name)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// Ask returns the answer to a question that needs no run. Any error is fatal.
func Ask(t TB, q *puzzle.Question, flags map[string]string, args ...string) *puzzle.Answer {
	t.Helper()
	r, err := q.Request(args, flags)
	if err != nil {
		t.Fatal(err)
	}
	a, err := q.Answer(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
