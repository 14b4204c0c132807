package fewest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/catalog/solitaire/solve"
	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
)

// check finds a solution of a problem, plays it, and compares the number of its sweeps.
func check(t rapid.TB, p peg.Problem, want int, o Options) {
	t.Helper()
	known, err := solve.Solve(context.Background(), p, solve.Options{})
	if err != nil || !known.Solvable {
		t.Fatalf("a solution: %+v, %v", known, err)
	}
	r, err := Solve(context.Background(), p, known.Jumps, o)
	if err != nil {
		t.Fatal(err)
	}
	play(t, p, r)
	if !r.Proved() || r.Sweeps != want {
		t.Fatalf("%s to %s: %d sweeps, at least %d; want %d", peg.FormatLine(p.Board, p.Start),
			peg.FormatLine(p.Board, p.Goal), r.Sweeps, r.AtLeast, want)
	}
}

// play plays the solution of a result, and counts its sweeps.
func play(t rapid.TB, p peg.Problem, r *Result) {
	t.Helper()
	text, sweeps := peg.FormatSweeps(p.Board, r.Jumps)
	at := p.Start
	for i, j := range r.Jumps {
		if !j.Legal(at) {
			t.Fatalf("jump %d of %s cannot be played", i+1, text)
		}
		at = j.Play(at)
	}
	if at != p.Goal || sweeps != r.Sweeps {
		t.Fatalf("%s: %d sweeps, %d are said; the end is %s", text, sweeps, r.Sweeps, peg.FormatLine(p.Board, at))
	}
}

// TestAgainstBruteForce compares random problems on random boards with the slow reference. Goals of several pegs, pegs
// that stay where they are, and boards with symmetries turn up.
func TestAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.OneOf(pegtest.Board(3, 16), pegtest.SymmetricBoard(16)).Draw(t, "board")
		start := rapid.OneOf(pegtest.Start(b), pegtest.SymmetricStart(b)).Draw(t, "start")
		path := pegtest.Play(t, b, start, 16)
		p := peg.Problem{Board: b, Start: start, Goal: path[len(path)-1]}
		want, ok := leastSweeps(p)
		if !ok {
			t.Fatal("the reference finds no game")
		}
		check(t, p, want, Options{})
	})
}

// TestVacancies compares problems of one vacancy and one last peg on small boards, one of each symmetry class, with the
// slow reference.
func TestVacancies(t *testing.T) {
	for drawing, want := range map[string]int{
		"triangle4": 1, "triangle5": 12, "oooo/oooo/oooo/oooo": 2, "-oooo/oooooo/oooooo": 1,
	} {
		var b *peg.Board
		if peg.IsDrawing(drawing) {
			b = pegtest.Drawn(t, peg.Square, drawing)
		} else {
			b = pegtest.Named(t, drawing)
		}
		solvable := 0
		for _, class := range peg.PairClasses(b, false) {
			p := class[0].Problem(b)
			if least, ok := leastSweeps(p); ok {
				solvable++
				check(t, p, least, Options{})
			}
		}
		if solvable != want {
			t.Errorf("%s: %d classes have a solution, want %d", drawing, solvable, want)
		}
	}
}

// TestLimits: without enough work or memory, the answer is a solution and a lower bound.
func TestLimits(t *testing.T) {
	p := pegtest.Problem(t, pegtest.Named(t, "english"), "center", "center")
	known, err := solve.Solve(context.Background(), p, solve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, many := peg.FormatSweeps(p.Board, known.Jumps)
	for _, o := range []Options{{Work: 1}, {Work: 8_000_000}, {Bytes: 1 << 20}} {
		r, err := Solve(context.Background(), p, known.Jumps, o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Proved() || r.AtLeast < 12 || r.AtLeast > 18 || r.Sweeps < 18 || r.Sweeps > many {
			t.Errorf("%+v: %d sweeps, at least %d", o, r.Sweeps, r.AtLeast)
		}
		if o.Work == 1 && (r.AtLeast != 12 || r.Sweeps != many) || o.Work > 1 && (r.AtLeast < 15 || r.Sweeps > 21) {
			t.Errorf("%+v: %d sweeps, at least %d", o, r.Sweeps, r.AtLeast)
		}
		play(t, p, r)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Solve(ctx, p, known.Jumps, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: %v", err)
	}
}

// TestRegions: a jump that changes a full region begins in it.
func TestRegions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := pegtest.Board(3, 20).Draw(t, "board")
		for _, r := range regions(b) {
			p := r | pegtest.Position(b).Draw(t, "position")
			b.Moves(p, func(j peg.Jump) {
				if j.Play(p)&r != r && !r.Has(int(j.From)) {
					t.Fatalf("%s leaves the region %s", peg.FormatJump(b, j), peg.FormatLine(b, r))
				}
			})
		}
	})
}

// TestSweeps compares the positions after one sweep with jumps played one by one. The sweep that is undone leads back.
func TestSweeps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := pegtest.Board(3, 14).Draw(t, "board")
		p := pegtest.Start(b).Draw(t, "start")
		want := map[peg.Position]bool{}
		seen := map[moved]bool{}
		var walk func(m moved)
		walk = func(m moved) {
			b.Moves(m.at, func(j peg.Jump) {
				after := moved{j.Play(m.at), int(j.To)}
				if (m.last < 0 || m.last == int(j.From)) && !seen[after] {
					seen[after], want[after.at] = true, true
					walk(after)
				}
			})
		}
		walk(moved{p, -1})
		got := map[peg.Position]bool{}
		for _, q := range newSweeps(b, false).of(p) {
			got[q] = true
			if !slices.Contains(newSweeps(b, true).of(q), p) {
				t.Fatalf("no sweep is undone from %s to %s", peg.FormatLine(b, q), peg.FormatLine(b, p))
			}
		}
		if !maps.Equal(got, want) {
			t.Fatalf("after one sweep from %s: %v, want %v", peg.FormatLine(b, p), got, want)
		}
	})
}

// TestTwoHoles: on boards with a rule of their own a sweep can leave the same pegs with its own one in either of two
// holes, and goes on from both.
func TestTwoHoles(t *testing.T) {
	for _, c := range []struct {
		rule       string
		start, end string
		back       bool
	}{
		{"a1>b1>c1 c1>d1>b1 a1>e1>f1 f1>d1>e1 e1>g1>h1", "oo.oo.o.", ".o.....o", false},
		{"a1-c1-d1 b1-d1-c1 c1-b1-d1", "..o.....", "ooo.....", true},
	} {
		b, err := pegtest.Drawn(t, peg.Square, "oooooooo").WithRule(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		p := pegtest.Problem(t, b, c.start, c.end)
		if list := newSweeps(b, c.back).of(p.Start); !slices.Contains(list, p.Goal) {
			t.Errorf("one sweep from %s: %v, without %s", c.start, list, c.end)
		}
	}
}
