package solitaire

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
)

// TestShortestEqualsList compares the graph of the solutions with the fewest sweeps with their list: classes, solutions
// and the longest sweep. The paths of the graph are as many as the solutions, or the answer is an error.
func TestShortestEqualsList(t *testing.T) {
	symmetric, wide := 0, 0
	for _, test := range []struct{ board, start, goal string }{
		{"triangle5", "r0c0", "r0c0"}, {"triangle5", "r2c1", "r4c2"}, {"triangle5", "r1c0", "r1c0"},
		{"triangle4", "r1c0", "r1c1"}, {"triangle5", "r0c0", "r4c2"}, {"triangle4", "r0c0", "r0c0"},
	} {
		p, err := Definition.New(settings(t, map[string]string{"board": test.board, "start": test.start, "goal": test.goal,
			"count": "sweeps"}))
		if err != nil {
			t.Fatal(err)
		}
		m := puzzletest.Play(t, p, puzzletest.Options{Cached: true, Stored: true})
		run := puzzle.RunView{ID: "r", Puzzle: p, Results: m, Rows: m}
		a, err := askRun(t, &fewestQuestion, run, nil)
		if err != nil {
			t.Fatal(err)
		}
		classes, solutions, longest := uint64(0), uint64(0), 0
		err = a.Stream.Each(context.Background(), func(row []puzzle.Value) error {
			classes++
			solutions += row[0].N.Lo
			for _, sweep := range strings.Fields(row[2].S) {
				longest = max(longest, strings.Count(sweep, "x"))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		graph, err := askRun(t, &fewestQuestion, run, map[string]string{"graph": "true"})
		if err != nil {
			t.Errorf("%+v: %v", test, err)
			continue
		}
		for name, want := range map[string]uint64{
			"classes": classes, "solutions": solutions, "longest_sweep": uint64(longest),
		} {
			if got := fact(t, graph, name); got != fmt.Sprint(want) {
				t.Errorf("%+v: %s %s, want %d", test, got, name, want)
			}
		}
		if g := graph.Figures[0].Graph; fmt.Sprint(len(g.Nodes)) != fact(t, graph, "nodes") {
			t.Errorf("%+v: %d nodes are drawn", test, len(g.Nodes))
		} else if classes > 1 && classes < solutions {
			symmetric++
		}
		if classes > 20 {
			wide++
		}
	}
	if symmetric == 0 || wide == 0 {
		t.Errorf("%d graphs of symmetric problems, %d of many classes", symmetric, wide)
	}
}
