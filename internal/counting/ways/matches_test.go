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
	"pagoda/internal/puzzle/puzzletest"
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

// demandMatches demands of a filter the solutions that meet it when all are replayed, in the same order and with the
// same numbers, and as many as are counted. It returns their number.
func demandMatches(t puzzletest.TB, g *Graph, f Filter, all [][]peg.Jump, from int) (count uint64) {
	t.Helper()
	ctx, p := context.Background(), g.problem
	m, err := g.Match(ctx, f, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for n, jumps := range all {
		if meets(p, f, jumps) {
			count++
			if n >= from {
				want = append(want, fmt.Sprint(n, jumps))
			}
		}
	}
	err = m.Each(ctx, uint128.From(uint64(from)), func(n uint128.Uint128, jumps []peg.Jump) error {
		got = append(got, fmt.Sprint(n, jumps))
		return nil
	})
	if err != nil || m.Count != uint128.From(count) || !slices.Equal(got, want) {
		t.Fatalf("%s to %s, %+v from %d: %v solutions, %v, %v, want %d, %v", peg.Hex(p.Start), peg.Hex(p.Goal), f, from,
			m.Count, err, got, count, want)
	}
	return count
}

// TestMatchesEqualFilteredSolutions draws problems and filters.
func TestMatchesEqualFilteredSolutions(t *testing.T) {
	met := map[string]bool{} // every kind of filter but none, with a match and without
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
				from := rapid.IntRange(0, len(all)).Draw(t, "from")
				count := demandMatches(t, g, f, all, from)
				met[fmt.Sprint(f.Through != 0, f.Jump != nil, f.Sweep > 0, count > 0)] = true
			}
		}
	})
}

// TestMatchesOfTriangle asks filters of a jump and a sweep: alone, with positions of two solutions, and with a position
// beside them all.
func TestMatchesOfTriangle(t *testing.T) {
	for _, hole := range []string{"r0c0", "r1c0"} {
		c := newCase(countingtest.Problem(t, "triangle5", hole, hole, 0))
		p := peg.Problem{Board: c.Board, Start: c.Start, Goal: c.Goal}
		all, whole := everySolution(p, 7000)
		few, known, err := Few(context.Background(), p, 1<<20)
		if err != nil || !known || !whole {
			t.Fatal(whole, known, err)
		}
		g, err := few.Graph(context.Background(), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		demandTimes(t, g, all)
		through := []peg.Position{0, 0x7f}
		for _, game := range [][]peg.Jump{all[0], all[len(all)/2]} {
			q := p.Start
			for _, j := range game {
				q = j.Play(q)
				through = append(through, q)
			}
		}
		for k, q := range through {
			for i := k % 5; i <= len(p.Board.Jumps); i += 5 { // a fifth of the jumps, or none
				f := Filter{Through: q, Sweep: (i + k) % 4}
				if i < len(p.Board.Jumps) {
					f.Jump = &p.Board.Jumps[i]
				}
				demandMatches(t, g, f, all, i*k)
			}
		}
	}
}

// demandTimes demands the least and the greatest number of times that a jump is played in all solutions.
func demandTimes(t puzzletest.TB, g *Graph, all [][]peg.Jump) {
	t.Helper()
	p := g.problem
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
	if got, err := g.Times(context.Background()); err != nil || !slices.Equal(got, want) {
		t.Fatalf("%s to %s: %v, %v, want %v", peg.Hex(p.Start), peg.Hex(p.Goal), got, err, want)
	}
}

// TestTimesEqualSolutions draws problems.
func TestTimesEqualSolutions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t)
		all, whole := everySolution(peg.Problem{Board: c.Board, Start: c.Start, Goal: c.Goal}, 2000)
		if !whole {
			t.Skip("too many solutions to replay")
		}
		for _, g := range graphs(t, &c) {
			demandTimes(t, g, all)
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
