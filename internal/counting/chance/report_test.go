package chance

import (
	"context"
	"testing"

	"pagoda/internal/counting/countingtest"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/memrun"
)

// TestSize adds up the planned addresses of a run, and those of two layers.
func TestSize(t *testing.T) {
	c, err := New(countingtest.Problem(t, "triangle6", "a2", "", 500))
	if err != nil {
		t.Fatal(err)
	}
	var all, two, before uint64
	for n := range c.Layers {
		cells, err := c.Layer(n, nil)
		if err != nil {
			t.Fatal(err)
		}
		here := uint64(0)
		for _, cell := range cells {
			here += cell.Addresses
		}
		all, two, before = all+here, max(two, before+here), here
	}
	if addresses, bytes := c.Size(); addresses != all || bytes != 16*two {
		t.Errorf("%d addresses, %d bytes; want %d, %d", addresses, bytes, all, 16*two)
	}
}

// TestSummary compares the facts of a run with its report: digits, ends of intervals, and no fractions.
func TestSummary(t *testing.T) {
	c, err := New(countingtest.Problem(t, "triangle5", "a1", "a1", 0))
	if err != nil {
		t.Fatal(err)
	}
	run, err := memrun.Tallies(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.ReportOf(run)
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Summarise(run)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	puzzle.Scalars(s.Facts, func(name string, kind puzzle.Kind, v puzzle.Value) { got[name] = kind.Plain(v) })
	want := map[string]string{"board": "triangle5", "start": "----./---o-o/--o-o-o/-o-o-o-o/o-o-o-o-o",
		"goal": "----o/---.-./--.-.-./-.-.-.-./.-.-.-.-.", "one_peg": "0.006861755888", "goal_chance": "0.0002544981638"}
	want["one_peg_least"], want["one_peg_most"] = r.Pegs(1).Ended.Ends()
	want["goal_chance_least"], want["goal_chance_most"] = r.Goal.Ends()
	want["all_endings_least"], want["all_endings_most"] = r.Sum.Ends()
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s is %q, want %q", name, got[name], text)
		}
	}
	if len(got) != len(want) || len(s.Tables) != 1 || len(s.Tables[0].Rows) != 14 {
		t.Errorf("%d facts, %d tables", len(got), len(s.Tables))
	}
	partial := memrun.New(c)
	if _, err := partial.Plan(); err != nil {
		t.Fatal(err)
	}
	if s, err := c.Summarise(partial); err != nil || len(s.Facts) != 3 || len(s.Tables[0].Rows) != 0 {
		t.Errorf("nothing is computed: %v, %v", s, err)
	}
}
