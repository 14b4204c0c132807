package feasible_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/catalog/solitaire/feasible/feasibletest"
	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
)

// TestDecideSmallBoards decides pairs of positions of small boards and checks every certificate. The search decides the
// rest, so there is no unknown, and the verdict is the truth.
func TestDecideSmallBoards(t *testing.T) {
	for _, c := range smallBoards {
		b := pegtest.Drawn(t, c.lattice, c.drawing)
		f := feasible.New(b)
		solvable, err := feasibletest.Truth(b)
		if err != nil {
			t.Fatal(err)
		}
		rng := uint64(1)
		for range 400 {
			rng = rng*6364136223846793005 + 1442695040888963407
			p := peg.Problem{Board: b, Start: peg.Position(rng>>20) & b.Full(), Goal: peg.Position(rng>>40) & b.Full()}
			if p.Start.Pegs() < p.Goal.Pegs() {
				p.Start, p.Goal = p.Goal, p.Start
			}
			want := map[bool]string{true: feasible.Feasible, false: feasible.Infeasible}[solvable(p)]
			if v := decide(t, f, p, feasible.Limits{}); v.Verdict != want {
				t.Fatalf("%s: %s to %s: %s by %s, want %s", c.drawing, peg.FormatLine(b, p.Start),
					peg.FormatLine(b, p.Goal), v.Verdict, v.Criterion, want)
			}
		}
	}
}

// TestNeverForbidsGames plays random games on random and named boards: no criterion forbids where they lead. No
// criterion gives up either, for want of bits or room.
func TestNeverForbidsGames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.OneOf(
			pegtest.Board(3, 40),
			rapid.Map(rapid.SampledFrom(peg.Names()), func(n string) *peg.Board { b, _ := peg.Named(n); return b }),
		).Draw(t, "board")
		path := pegtest.Play(t, b, pegtest.Start(b).Draw(t, "start"), 30)
		p := peg.Problem{Board: b, Start: path[0], Goal: path[len(path)-1]}
		v := decide(t, feasible.New(b), p, feasible.Limits{WalkStates: 20_000, Nodes: 50, Positions: 1000})
		if v.Verdict == feasible.Infeasible {
			t.Fatalf("%s forbids a problem that has a game", v.Criterion)
		}
	})
}

// TestRandomProblems checks the certificates of random problems, of which most are infeasible, on boards up to 64
// holes. The lattice criterion and the cone each give one of two certificates.
func TestRandomProblems(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.OneOf(
			pegtest.Board(3, 64),
			pegtest.Apart(20),
			rapid.Map(rapid.SampledFrom(peg.Names()), func(n string) *peg.Board { b, _ := peg.Named(n); return b }),
		).Draw(t, "board")
		f := feasible.New(b)
		start := pegtest.Position(b).Draw(t, "start")
		goal := pegtest.Position(b).Draw(t, "goal")
		if rapid.Bool().Draw(t, "near") { // a game with some of its last jumps undone elsewhere
			start = pegtest.Start(b).Draw(t, "playable start")
			path := pegtest.Play(t, b, start, 40)
			goal = path[len(path)-1] ^ 1<<rapid.IntRange(0, b.Size()-1).Draw(t, "changed hole")
		}
		p := peg.Problem{Board: b, Start: start, Goal: goal}
		decide(t, f, p, feasible.Limits{WalkStates: 5000, Nodes: 30, Positions: 1000})
		for name, one := range map[string]func() (*proofs.Certificate, bool){
			"lattice": func() (*proofs.Certificate, bool) { return f.LatticeMember(p) },
			"cone":    func() (*proofs.Certificate, bool) { return f.ConeMember(p) },
		} {
			c, ok := one()
			if !ok {
				c = f.Apply(context.Background(), name, p, feasible.Limits{})
				if c == nil {
					t.Fatalf("the criterion %s neither allows the problem nor forbids it", name)
				}
			}
			if err := c.Check(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	})
}

// TestLatticeAndRuleOfThree: on the boards by name that people play, the lattice criterion says no more than the rule
// of three; on a line of three and a square of nine holes it does.
func TestLatticeAndRuleOfThree(t *testing.T) {
	for _, name := range peg.Names() {
		b := pegtest.Named(t, name)
		if feasible.New(b).Finer() {
			t.Errorf("%s: the lattice criterion says more than the rule of three", name)
		}
	}
	for _, drawing := range []string{"ooo", "ooo/ooo/ooo"} {
		if !feasible.New(pegtest.Drawn(t, peg.Square, drawing)).Finer() {
			t.Errorf("%s: the lattice criterion must say more than the rule of three", drawing)
		}
	}
}

func TestTrivial(t *testing.T) {
	b := pegtest.Named(t, "english")
	f := feasible.New(b)
	for _, c := range []struct {
		start, goal peg.Position
		verdict     string
		criterion   string
	}{
		{1, 1, feasible.Feasible, feasible.Counts},
		{0, 0, feasible.Feasible, feasible.Counts},
		{1, 2, feasible.Infeasible, feasible.Counts},
		{1, 3, feasible.Infeasible, feasible.Counts},
		{b.Full(), 1, feasible.Infeasible, feasible.Dead},
		{3, 0, feasible.Infeasible, feasible.Unreachable},
		{3, 4, feasible.Feasible, feasible.Search},
		{7, 5, feasible.Infeasible, feasible.Dead},
	} {
		v := decide(t, f, peg.Problem{Board: b, Start: c.start, Goal: c.goal}, feasible.Limits{})
		if v.Verdict != c.verdict || v.Criterion != c.criterion {
			t.Errorf("%x to %x: %s by %s, want %s by %s", c.start, c.goal, v.Verdict, v.Criterion, c.verdict, c.criterion)
		}
	}
	_, err := f.Decide(context.Background(), peg.Problem{Board: b, Start: 1 << 40, Goal: 1}, feasible.Limits{})
	if !errors.Is(err, peg.ErrPosition) {
		t.Errorf("a peg outside the board: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := pegtest.Problem(t, b, "center", "center")
	if _, err := f.Decide(ctx, p, feasible.Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: %v", err)
	}
}

// TestJSON pins the names of the fields, which are a contract, and the criteria in their order.
func TestJSON(t *testing.T) {
	b := pegtest.Named(t, "french")
	data, err := json.Marshal(decide(t, feasible.New(b), pegtest.Problem(t, b, "center", "center"), feasible.Limits{}))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"verdict", "criterion", "certificate", "tried"} {
		if _, ok := got[field]; !ok {
			t.Errorf("no field %s in %s", field, data)
		}
	}
	if got["verdict"] != "infeasible" || got["criterion"] != "rule of three" {
		t.Errorf("got %s", data)
	}
	want := []string{
		"peg counts", "dead start", "no undone jump", "playable classes", "rule of three", "lattice", "corners",
		"last corner", "cone", "class walk", "integer cone", "search",
	}
	if !slices.Equal(feasible.Names(), want) {
		t.Errorf("criteria %q", feasible.Names())
	}
}
