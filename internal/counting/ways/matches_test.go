package ways

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/counting/countingtest"
	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
	"pagoda/internal/puzzle/uint128"
)

// graphs returns the graph of a run and that of a count without one.
func graphs(t *rapid.T, c *testCase) []*Graph {
	ctx := context.Background()
	th, m := play(t, c.Params)
	stored, err := th.Graph(ctx, m, m.Cells, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	few, known, err := Few(ctx, th.problem, 1<<20)
	if err != nil || !known {
		t.Fatal(known, err)
	}
	found, err := few.Graph(ctx, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return []*Graph{stored, found}
}

// meets reports whether a solution meets every condition of a filter, by replaying it.
func meets(p peg.Problem, f Filter, jumps []peg.Jump) bool {
	q, through, played, sweep, longest := p.Start, f.Through == p.Start, false, 0, 0
	for i, j := range jumps {
		q = j.Play(q)
		through = through || q == f.Through
		played = played || f.Jump != nil && j == *f.Jump
		if i > 0 && jumps[i-1].To != j.From {
			sweep = 0
		}
		sweep++
		longest = max(longest, sweep)
	}
	return (through || f.Through == 0) && (played || f.Jump == nil) && longest >= f.Sweep
}

// drawFilter draws a filter that some solutions may meet.
func drawFilter(t *rapid.T, p peg.Problem, solutions [][]peg.Jump) (f Filter) {
	if rapid.Bool().Draw(t, "through") {
		f.Through = p.Start
		game := rapid.SampledFrom(solutions).Draw(t, "game")
		for _, j := range game[:rapid.IntRange(0, len(game)).Draw(t, "after")] {
			f.Through = j.Play(f.Through)
		}
		if rapid.IntRange(0, 9).Draw(t, "any position") == 0 {
			f.Through = pegtest.Position(p.Board).Draw(t, "position")
		}
	}
	if rapid.Bool().Draw(t, "with") {
		j := rapid.SampledFrom(p.Board.Jumps).Draw(t, "jump")
		f.Jump = &j
	}
	if rapid.Bool().Draw(t, "sweep") {
		f.Sweep = rapid.IntRange(1, 4).Draw(t, "jumps of a sweep")
	}
	return f
}

// TestMatchesEqualFilteredSolutions demands of every filter the solutions that meet it when all are replayed, in the
// same order and with the same numbers, and as many as are counted.
func TestMatchesEqualFilteredSolutions(t *testing.T) {
	ctx, met := context.Background(), map[string]bool{} // every kind of filter but none, with a match and without
	pegtest.CheckUntil(t, func() bool { return len(met) == 15 }, func(t *rapid.T) {
		c := drawCase(t)
		p := peg.Problem{Board: c.Board, Start: c.Start, Goal: c.Goal}
		all, whole := everySolution(p, 400)
		if !whole {
			t.Skip("too many solutions to replay")
		}
		for _, g := range graphs(t, &c) {
			for range 4 {
				f := drawFilter(t, p, all)
				m, err := g.Match(ctx, f, 1<<30)
				if err != nil {
					t.Fatal(err)
				}
				var want []string
				from := rapid.IntRange(0, len(all)).Draw(t, "from")
				count := uint64(0)
				for n, jumps := range all {
					if meets(p, f, jumps) {
						count++
						if n >= from {
							want = append(want, fmt.Sprint(n, jumps))
						}
					}
				}
				var got []string
				err = m.Each(ctx, uint128.From(uint64(from)), func(n uint128.Uint128, jumps []peg.Jump) error {
					got = append(got, fmt.Sprint(n, jumps))
					return nil
				})
				if err != nil || m.Count != uint128.From(count) || !slices.Equal(got, want) {
					t.Fatalf("%s to %s, %+v from %d: %v solutions, %v, %v, want %d, %v", peg.Hex(p.Start), peg.Hex(p.Goal), f,
						from, m.Count, err, got, count, want)
				}
				met[fmt.Sprint(f.Through != 0, f.Jump != nil, f.Sweep > 0, count > 0)] = true
			}
		}
	})
}

// TestTimesEqualSolutions demands the least and the greatest number of times that a jump is played in all solutions.
func TestTimesEqualSolutions(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t)
		p := peg.Problem{Board: c.Board, Start: c.Start, Goal: c.Goal}
		all, whole := everySolution(p, 2000)
		if !whole {
			t.Skip("too many solutions to replay")
		}
		want := make([]Times, len(p.Board.Jumps))
		for i, j := range p.Board.Jumps {
			for k, jumps := range all {
				n := 0
				for _, played := range jumps {
					if played == j {
						n++
					}
				}
				if k == 0 || n < want[i].Least {
					want[i].Least = n
				}
				want[i].Greatest = max(want[i].Greatest, n)
			}
		}
		for _, g := range graphs(t, &c) {
			if got, err := g.Times(ctx); err != nil || !slices.Equal(got, want) {
				t.Fatalf("%s to %s: %v, %v, want %v", peg.Hex(p.Start), peg.Hex(p.Goal), got, err, want)
			}
		}
	})
}

// TestGraphWithoutSolution asks graphs that have no position: of a problem that a criterion forbids, and of one that
// none does.
func TestGraphWithoutSolution(t *testing.T) {
	ctx := context.Background()
	for _, goal := range []string{"o..../.....", "..o../....."} {
		b := pegtest.Drawn(t, peg.Square, "ooooo/ooooo")
		end, err := peg.ParseGoal(b, goal)
		if err != nil {
			t.Fatal(err)
		}
		start, err := peg.ParseStart(b, "o.o.o/o.o.o")
		if err != nil {
			t.Fatal(err)
		}
		l, known, err := Few(ctx, peg.Problem{Board: b, Start: start, Goal: end}, 1<<20)
		if err != nil || !known {
			t.Fatal(known, err)
		}
		g, err := l.Graph(ctx, 10)
		if err != nil {
			t.Fatal(err)
		}
		times, err := g.Times(ctx)
		if err != nil || times != nil {
			t.Error(times, err)
		}
		m, err := g.Match(ctx, Filter{Sweep: 2}, 0)
		if err != nil || !m.Count.IsZero() {
			t.Error(m, err)
		}
		if err := m.Each(ctx, uint128.Uint128{}, func(n uint128.Uint128, _ []peg.Jump) error {
			return fmt.Errorf("solution %v is listed", n)
		}); err != nil {
			t.Error(err)
		}
	}
}

// TestGraphIsTooLarge: graphs and filters say when they would hold more than they may.
func TestGraphIsTooLarge(t *testing.T) {
	ctx := context.Background()
	tc := newCase(countingtest.Problem(t, "triangle5", "r0c0", "r0c0", 0))
	th, m := play(t, tc.Params)
	if _, err := th.Graph(ctx, m, m.Cells, 10); !errors.Is(err, ErrTooMany) {
		t.Error(err)
	}
	if _, err := th.Listing(m).Graph(ctx, 10); !errors.Is(err, ErrTooMany) {
		t.Error(err)
	}
	g, err := th.Graph(ctx, m, m.Cells, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Match(ctx, Filter{Sweep: 2}, 1000); !errors.Is(err, ErrTooMany) {
		t.Error(err)
	}
}
