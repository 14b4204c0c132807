package solitaire

import (
	"context"
	"errors"
	"testing"

	"pagoda/internal/puzzle"
)

func notAsked(t *testing.T, q *puzzle.Question, p puzzle.Puzzle) {
	t.Helper()
	args := make([]string, len(q.Args))
	for i := range args {
		args[i] = "start"
	}
	r, err := q.Request(args, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Run = puzzle.RunView{ID: "r", Puzzle: p}
	_, err = q.Answer(context.Background(), r)
	var e *puzzle.NotAskedError
	if !errors.Is(err, puzzle.ErrNotAsked) || !errors.As(err, &e) || e.Hint == "" {
		t.Errorf("%s: %v", q.Name, err)
	}
}
