package solve

import (
	"context"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
)

// checkGame plays a game.
func checkGame(t rapid.TB, p peg.Problem, game []peg.Jump) {
	t.Helper()
	at := p.Start
	for i, j := range game {
		if !at.Has(int(j.From)) || !at.Has(int(j.Over)) || at.Has(int(j.To)) {
			t.Fatalf("jump %d, %s, cannot be played on %s", i+1, peg.FormatJump(p.Board, j), peg.FormatLine(p.Board, at))
		}
		at = at&^(1<<j.From)&^(1<<j.Over) | 1<<j.To
	}
	if at != p.Goal {
		t.Fatalf("the game ends with %s, want %s", peg.FormatLine(p.Board, at), peg.FormatLine(p.Board, p.Goal))
	}
}

// hasGame tries all games.
func hasGame(p peg.Problem) bool {
	seen := map[peg.Position]bool{}
	var visit func(q peg.Position) bool
	visit = func(q peg.Position) bool {
		if q == p.Goal || seen[q] {
			return q == p.Goal
		}
		seen[q] = true
		for _, j := range p.Board.Jumps {
			if j.Legal(q) && visit(j.Play(q)) {
				return true
			}
		}
		return false
	}
	return visit(p.Start)
}

// TestAgainstBruteForce solves random problems on small boards, with and without the criteria before the search. Some
// budgets are too small for the whole, so that the beams find games too.
func TestAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.OneOf(pegtest.Board(3, 16), pegtest.SymmetricBoard(16)).Draw(t, "board")
		start := pegtest.Start(b).Draw(t, "start")
		path := pegtest.Play(t, b, start, 16)
		p := peg.Problem{Board: b, Start: start, Goal: path[len(path)-1]}
		if rapid.Bool().Draw(t, "any goal") {
			p.Goal = pegtest.Position(b).Draw(t, "goal")
		}
		want := hasGame(p)
		r, err := Solve(context.Background(), p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Solvable != want {
			t.Fatalf("solvable: %v, want %v", r.Solvable, want)
		}
		if want {
			checkGame(t, p, r.Jumps)
		}
		if p.Goal == 0 || p.Jumps() <= 0 {
			return
		}
		s := newSearch(p, feasible.New(b), 1<<20)
		s.budgets = []budget{{8, 2}, {30, 6}, {100, 30}, {1 << 18, 1}}
		game, err := s.run(context.Background(), len(s.budgets))
		if err != nil {
			t.Fatal(err)
		}
		if (game != nil) != want {
			t.Fatalf("the search alone finds a game: %v, want %v", game != nil, want)
		}
		if want {
			checkGame(t, p, game)
		}
	})
}

// TestBeam: with a budget that ends long before the two sides meet, a beam finds the game.
func TestBeam(t *testing.T) {
	p := vacancy(t, "english", "center", "center")
	s := newSearch(p, feasible.New(p.Board), 1<<20)
	s.budgets = []budget{{5000, 400}}
	game, err := s.run(context.Background(), 1)
	if err != nil || !s.beamed {
		t.Fatalf("a beam found a game: %v, %v", s.beamed, err)
	}
	checkGame(t, p, game)
}

// TestDecide: every verdict has a certificate that the checker accepts, and it is the truth.
func TestDecide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := pegtest.Board(3, 14).Draw(t, "board")
		p := peg.Problem{Board: b, Start: pegtest.Start(b).Draw(t, "start"), Goal: pegtest.Position(b).Draw(t, "goal")}
		v, err := Decide(context.Background(), p, Options{Feasible: feasible.Limits{Positions: -1, WalkStates: 1, Nodes: 1}})
		if err != nil {
			t.Fatal(err)
		}
		want := map[bool]string{true: feasible.Feasible, false: feasible.Infeasible}[hasGame(p)]
		if v.Verdict != want {
			t.Fatalf("%s by %s, want %s", v.Verdict, v.Criterion, want)
		}
		if err := v.Certificate.Check(); err != nil {
			t.Fatal(err)
		}
	})
}

func vacancy(t testing.TB, board, start, goal string) peg.Problem {
	t.Helper()
	return pegtest.Problem(t, pegtest.Named(t, board), start, goal)
}

// TestEqualRuns: the same problem gives the same game.
func TestEqualRuns(t *testing.T) {
	p := vacancy(t, "english", "center", "center")
	var text string
	for i := range 2 {
		r, err := Solve(context.Background(), p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		checkGame(t, p, r.Jumps)
		if again := peg.FormatJumps(p.Board, r.Jumps); i > 0 && again != text {
			t.Errorf("%s and %s", text, again)
		} else {
			text = again
		}
	}
}

// TestUnknown: a problem that the memory allowed does not decide has the verdict unknown, without a certificate, and
// Tried says so; with more memory it is decided.
func TestUnknown(t *testing.T) {
	p := vacancy(t, "english", "center", "center")
	v, err := Decide(context.Background(), p, Options{Bytes: 1000})
	if err != nil {
		t.Fatal(err)
	}
	last := v.Tried[len(v.Tried)-1]
	if v.Verdict != feasible.Unknown || v.Criterion != "" || v.Certificate != nil || last.Criterion != "solver" ||
		last.Outcome != "gave up" {
		t.Errorf("%+v", v)
	}
	if v, err = Decide(context.Background(), p, Options{}); err != nil || v.Verdict != feasible.Feasible {
		t.Errorf("%+v, %v", v, err)
	}
}

// TestProvenWithoutCertificate: where the solver's search is complete but too long for a certificate, the verdict is
// unknown, and Tried says that there is no game.
func TestProvenWithoutCertificate(t *testing.T) {
	p := vacancy(t, "english", // no criterion forbids it
		"--o../--o.o/...o.o./o.ooo.o/.oo..../--ooo/--o..", "--.../--.../......./......./......./--..o/--...")
	o := Options{Bytes: 1 << 20, Feasible: feasible.Limits{Positions: -1}}
	v, err := Decide(context.Background(), p, o)
	if err != nil || v.Verdict != feasible.Infeasible {
		t.Fatalf("%+v, %v", v, err)
	}
	if err := v.Certificate.Check(); err != nil {
		t.Fatal(err)
	}
	if err := v.Certificate.CheckWithin(context.Background(), 10); !errors.Is(err, proofs.ErrProof) {
		t.Errorf("checked within 10 positions: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := v.Certificate.CheckWithin(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("checked with a cancelled context: %v", err)
	}
	o.certified = 10
	if v, err = Decide(context.Background(), p, o); err != nil {
		t.Fatal(err)
	}
	last := v.Tried[len(v.Tried)-1]
	if v.Verdict != feasible.Unknown || v.Certificate != nil || last.Criterion != "solver" || last.Outcome != "forbids" {
		t.Errorf("%+v, last %+v", v, last)
	}
}

func TestErrors(t *testing.T) {
	p := vacancy(t, "english", "center", "center")
	if _, err := Solve(context.Background(), p, Options{Bytes: 1000}); !errors.Is(err, ErrGaveUp) {
		t.Errorf("with 1000 bytes: %v", err)
	}
	if v, err := Decide(context.Background(), p, Options{Bytes: 1000}); err != nil || v.Verdict != feasible.Unknown {
		t.Errorf("with 1000 bytes: %v, %v", v, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Solve(ctx, p, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: %v", err)
	}
	if _, err := newSearch(p, feasible.New(p.Board), 1<<20).run(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context in the search: %v", err)
	}
	p.Start = 1 << 50
	if _, err := Solve(context.Background(), p, Options{}); !errors.Is(err, peg.ErrPosition) {
		t.Errorf("a peg outside the board: %v", err)
	}
}
