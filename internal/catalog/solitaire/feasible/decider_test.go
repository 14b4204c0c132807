package feasible_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/catalog/solitaire/feasible/feasibletest"
	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
)

// TestDecider compares a decider with the prover, criterion by criterion: on all pairs of positions of small boards
// with the survey's numbers, which the prover's criteria gave.
func TestDecider(t *testing.T) {
	for _, c := range smallBoards {
		b := pegtest.Drawn(t, c.lattice, c.drawing)
		if b.Size() > 9 || testing.Short() && b.Size() > 8 {
			continue
		}
		t.Run(c.drawing, func(t *testing.T) {
			t.Parallel()
			solvable, err := feasibletest.Truth(b)
			if err != nil {
				t.Fatal(err)
			}
			d, ctx := feasible.NewDecider(b, feasible.Limits{}), context.Background()
			want, err := feasible.New(b).Survey(ctx, feasibletest.AllPairs(b), solvable, feasible.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			first, none := make([]int, len(want.Rows)), 0
			for p := range feasibletest.AllPairs(b) {
				i, limited, err := d.First(ctx, p)
				if err != nil || limited {
					t.Fatalf("%s to %s: limited: %v, %v", peg.Hex(p.Start), peg.Hex(p.Goal), limited, err)
				}
				quick := d.Quick(p)
				switch {
				case solvable(p):
					if i >= 0 || quick >= 0 {
						t.Fatalf("%s to %s has a game: criteria %d, %d", peg.Hex(p.Start), peg.Hex(p.Goal), i, quick)
					}
				case i < 0:
					none++
				default:
					first[i]++
				}
			}
			for i, row := range want.Rows {
				if first[i] != row.First {
					t.Errorf("%s is the first for %d problems, want %d", row.Criterion, first[i], row.First)
				}
			}
			if none != want.Undecided {
				t.Errorf("%d problems are left, want %d", none, want.Undecided)
			}
		})
	}
}

// TestDeciderAgainstDecide compares a decider with the criterion of Decide on larger boards, where corners, groups of
// symmetries and known functions of other problems come in.
func TestDeciderAgainstDecide(t *testing.T) {
	for _, board := range []string{"english", "wiegleb", "diamond", "square5", "triangle6", "hexagon19"} {
		b := pegtest.Named(t, board)
		prover, d := feasible.New(b), feasible.NewDecider(b, feasible.Limits{})
		rapid.Check(t, func(t *rapid.T) {
			p := peg.Problem{Board: b, Start: pegtest.Position(b).Draw(t, "start"), Goal: pegtest.Position(b).Draw(t, "goal")}
			if rapid.Bool().Draw(t, "near") { // few jumps, so that the first criteria allow it
				p.Goal = p.Start
				for range 3 {
					j := rapid.SampledFrom(b.Jumps).Draw(t, "jump")
					p.Goal = p.Goal&^j.Mask() | 1<<j.To
				}
			}
			if p.Goal.Pegs() >= p.Start.Pegs() {
				return
			}
			sameCriterion(t, prover, d, p)
		})
	}
}

// TestDeciderLimited: of this problem and its images under the symmetries of the board, branch and bound needs more
// nodes than its limit for some and fewer for others.
func TestDeciderLimited(t *testing.T) {
	b := pegtest.Named(t, "triangle6")
	prover, d := feasible.New(b), feasible.NewDecider(b, feasible.Limits{})
	for _, g := range b.Symmetries() {
		sameCriterion(t, prover, d, peg.Problem{Board: b, Start: g.Apply(0xd5fad), Goal: g.Apply(0x800)})
	}
}

// sameCriterion compares the decider with the prover on p. Where they differ, the first criterion that only one of them
// says forbids p must have reached its limit for the other.
func sameCriterion(t rapid.TB, prover *feasible.Prover, d *feasible.Decider, p peg.Problem) {
	t.Helper()
	v, err := prover.Decide(context.Background(), p, feasible.Limits{Positions: -1})
	if err != nil {
		t.Fatal(err)
	}
	i, limited, err := d.First(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	names := feasible.Names()
	got := len(names)
	if i >= 0 {
		got = i
	}
	want := len(names)
	if v.Criterion != "" {
		want = slices.Index(names, v.Criterion)
	}
	gaveUp := got > want && limited
	if got < want {
		gaveUp = slices.ContainsFunc(v.Tried, func(a feasible.Attempt) bool {
			return a.Criterion == names[got] && a.Outcome == "gave up"
		})
	}
	if got != want && !gaveUp {
		t.Fatalf("%s to %s: criterion %d (limited: %v), want %d of %q", peg.FormatLine(p.Board, p.Start),
			peg.FormatLine(p.Board, p.Goal), got, limited, want, names)
	}
}

// TestDeciderTogether: callers that ask one decider at the same time get the answers of a caller that asks alone.
func TestDeciderTogether(t *testing.T) {
	b := pegtest.Drawn(t, peg.Triangular, "o/oo/ooo")
	var problems []peg.Problem
	for p := range feasibletest.AllPairs(b) {
		problems = append(problems, p)
	}
	alone, together := feasible.NewDecider(b, feasible.Limits{}), feasible.NewDecider(b, feasible.Limits{})
	want := make([]int, len(problems))
	for i, p := range problems {
		want[i], _, _ = alone.First(t.Context(), p)
	}
	var all sync.WaitGroup
	for part := range 4 {
		all.Go(func() {
			for k := range problems {
				i := (k + part*len(problems)/4) % len(problems)
				if got, _, err := together.First(t.Context(), problems[i]); err != nil || got != want[i] {
					t.Errorf("%s to %s: %d, %v, want %d", peg.Hex(problems[i].Start), peg.Hex(problems[i].Goal), got, err, want[i])
					return
				}
			}
		})
	}
	all.Wait()
}
