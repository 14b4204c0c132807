package solitaire

import (
	"slices"
	"strings"
	"testing"

	"pagoda/internal/catalog/solitaire/fewest"
	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
)

// ruled is a named board with a rule.
func ruled(t *testing.T, name, rule string) *peg.Board {
	t.Helper()
	b, err := pegtest.Named(t, name).WithRule(rule)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestLeastSaid: where the least number is not proved, the settings of the run that is named are those of the problem.
func TestLeastSaid(t *testing.T) {
	for _, b := range []*peg.Board{
		pegtest.Named(t, "wiegleb"), pegtest.Drawn(t, peg.Square, "ooo/oooo"),
		pegtest.Drawn(t, peg.Triangular, "ooo/oooo/ooooo"), ruled(t, "triangle5", "0,1 1,0"),
		ruled(t, "square5", "a1-b1-c1 b1>c2>e3"), ruled(t, "triangle5", "a1-a2-a3 a1-b2-c3"),
	} {
		want := (peg.Pair{Start: 1, Goal: 2}).Problem(b)
		said := leastSaid(want, &fewest.Result{Sweeps: 27, AtLeast: 20})
		text, run, _ := strings.Cut(said, ": coordinator run configs/english-sweeps.yaml ")
		if text != "27 sweeps, and no solution has fewer than 20; whether one has fewer than 27 takes longer to decide, "+
			"by a run" {
			t.Errorf("%q", said)
		}
		set := map[string]string{}
		for word := range strings.SplitSeq(strings.TrimPrefix(run, "--set "), " --set ") {
			name, value, _ := strings.Cut(word, "=")
			set[name] = strings.Trim(value, "'")
		}
		c := settings(t, set)
		b, err := namedOrDrawn(c)
		if err != nil {
			t.Fatalf("%s: %v", run, err)
		}
		p, err := problemOn(b, c.Text("start"), c.Text("goal"))
		if err != nil || b.Lattice != want.Board.Lattice || !slices.Equal(b.Holes, want.Board.Holes) ||
			!slices.Equal(b.Jumps, want.Board.Jumps) || p.Start != want.Start || p.Goal != want.Goal {
			t.Errorf("%s is another problem: %v", run, err)
		}
	}
}
