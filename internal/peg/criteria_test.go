package peg_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
	"pagoda/internal/peg/reference"
)

// TestPairs counts the pairs of a vacancy and a last peg that pass the rule of three, all of them and up to symmetry,
// as published.
func TestPairs(t *testing.T) {
	for _, c := range []struct {
		board                      string
		pairs, classes, reversible int
	}{
		{"english", 125, 21, 16},
		{"french", 64, 10, -1},
		{"square6", 144, 21, -1},
	} {
		b := pegtest.Named(t, c.board)
		group := b.Symmetries()
		pairs := 0
		classes, reversible := map[[2]peg.Position]bool{}, map[[2]peg.Position]bool{}
		for s := range b.Size() {
			for g := range b.Size() {
				p := peg.Problem{Board: b, Start: b.Complement(1 << s), Goal: 1 << g}
				if err := p.Check(); err != nil {
					t.Fatal(err)
				}
				basis := b.Invariants()
				if peg.Parities(basis, p.Start) != peg.Parities(basis, p.Goal) {
					if reason, no := p.Forbidden(); !no || !strings.HasPrefix(reason, "rule of three") {
						t.Fatalf("%s: from %s to %s: %v, %q", c.board, b.HoleName(s), b.HoleName(g), no, reason)
					}
					continue
				}
				pairs++
				least, back := [2]peg.Position{^peg.Position(0)}, [2]peg.Position{^peg.Position(0)}
				for _, m := range group {
					s, g := m.Apply(1<<s), m.Apply(1<<g)
					least = smaller(least, [2]peg.Position{s, g})
					back = smaller(back, [2]peg.Position{g, s})
				}
				classes[least], reversible[smaller(least, back)] = true, true
			}
		}
		if pairs != c.pairs || len(classes) != c.classes || c.reversible >= 0 && len(reversible) != c.reversible {
			t.Errorf("%s: %d pairs, %d classes, %d with reversal; want %d, %d, %d", c.board, pairs, len(classes),
				len(reversible), c.pairs, c.classes, c.reversible)
		}
	}
}

func smaller(a, b [2]peg.Position) [2]peg.Position {
	if a[0] < b[0] || a[0] == b[0] && a[1] <= b[1] {
		return a
	}
	return b
}

// TestForbiddenIsTrue compares with a full search: a forbidden problem has no solution. Goals near what can be reached
// make the test hard.
func TestForbiddenIsTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := pegtest.Board(3, 12).Draw(t, "board")
		start := pegtest.Start(b).Draw(t, "start")
		layers := reference.Play(b, start, -1)
		goal := pegtest.Position(b).Draw(t, "goal")
		if rapid.Bool().Draw(t, "played") {
			path := pegtest.Play(t, b, start, 12)
			goal = path[len(path)-1]
		}
		p := peg.Problem{Board: b, Start: start, Goal: goal}
		if p.Check() != nil {
			return
		}
		reason, forbidden := p.Forbidden()
		if forbidden == (reason == "") {
			t.Fatalf("forbidden %v for the reason %q", forbidden, reason)
		}
		if n := reference.Solutions(layers, goal); forbidden && n.Sign() != 0 {
			t.Fatalf("%v solutions, but %s", n, reason)
		}
	})
}

// TestCriteria pins problems that each criterion decides, and some that have solutions.
func TestCriteria(t *testing.T) {
	for _, c := range []struct{ board, start, goal, want string }{
		{"english", "center", "center", ""},
		{"english", "r0c3", "r0c3", ""},
		{"triangle4", "r1c0", "r1c1", ""},
		{"french", "center", "center", "rule of three (de Bruijn 1972): no jump changes the parity of the pegs on"},
		{"english", "--.../--.../o....../...o.o./.o.o.../--.../--...", "--.../--.../......./o....../......./--..o/--...",
			"class counts: the goal has 2 pegs in the holes of odd row, even column, the start 0"},
		{"triangle4", "---./--.-./-o-.-o/.-.-.-.", "---o/--.-./-.-.-./.-.-.-.",
			"class counts: no order of jumps lowers the pegs of the four playable classes from [2 0 0 0] to [1 0 0 0]"},
		{"square5", "...o./...../.o.../...../..o..", "....o/...../...o./...../.....",
			"pagoda function: no jump increases the weight of the pegs, which is"},
		{"hexagon19", "--.-o-./-o-o-o-./o-.-o-o-o/-o-.-o-o/--o-.-o", "--.-.-o/-o-.-.-./o-.-o-.-./-.-.-.-./--.-o-.",
			"pagoda function: no jump increases the weight of the pegs, which is"},
	} {
		b := pegtest.Named(t, c.board)
		p := peg.Problem{Board: b}
		var err error
		if p.Start, err = peg.ParseStart(b, c.start); err != nil {
			t.Fatal(err)
		}
		if p.Goal, err = peg.ParseGoal(b, c.goal); err != nil {
			t.Fatal(err)
		}
		reason, forbidden := p.Forbidden()
		if forbidden != (c.want != "") || !strings.HasPrefix(reason, c.want) || strings.Contains(reason, "\n") {
			t.Errorf("%s from %s to %s: %v, %q; want %q", c.board, c.start, c.goal, forbidden, reason, c.want)
		}
	}
}

// TestPagodaFunction checks the proofs, and compares with a search through all small weights of a small board: where
// one of those is a proof, PagodaFunction finds one too.
func TestPagodaFunction(t *testing.T) {
	found := 0
	pegtest.CheckUntil(t, func() bool { return found > 0 }, func(t *rapid.T) {
		b := pegtest.Board(3, 6).Draw(t, "board")
		start, goal := pegtest.Start(b).Draw(t, "start"), pegtest.Position(b).Draw(t, "goal")
		w, ok := b.PagodaFunction(start, goal)
		if ok {
			found++
			if !b.IsPagoda(w) || peg.Weight(w, goal) <= peg.Weight(w, start) {
				t.Fatalf("weights %v prove nothing", w)
			}
			return
		}
		small := make([]int, b.Size())
		for code := range pow(5, b.Size()) {
			for i := range small {
				small[i] = code%5 - 2
				code /= 5
			}
			if b.IsPagoda(small) && peg.Weight(small, goal) > peg.Weight(small, start) {
				t.Fatalf("weights %v are a proof that was not found", small)
			}
		}
	})
}

func pow(base, n int) int {
	p := 1
	for range n {
		p *= base
	}
	return p
}

// TestReverse checks, with a full search, that the reversed problem has as many solutions, and that symmetries of a
// problem fix both ends.
func TestReverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := pegtest.Board(3, 10).Draw(t, "board")
		start := pegtest.Start(b).Draw(t, "start")
		path := pegtest.Play(t, b, start, 10)
		p := peg.Problem{Board: b, Start: start, Goal: path[len(path)-1]}
		r := p.Reverse()
		forward := reference.Solutions(reference.Play(b, p.Start, -1), p.Goal)
		backward := reference.Solutions(reference.Play(b, r.Start, -1), r.Goal)
		if forward.Cmp(backward) != 0 || forward.Sign() == 0 {
			t.Fatalf("%v solutions forwards, %v backwards", forward, backward)
		}
		if p.Jumps() != len(path)-1 || r.Jumps() != p.Jumps() {
			t.Fatalf("%d jumps forwards, %d backwards, want %d", p.Jumps(), r.Jumps(), len(path)-1)
		}
		for _, g := range p.Symmetries() {
			if g.Apply(p.Start) != p.Start || g.Apply(p.Goal) != p.Goal {
				t.Fatalf("%v does not fix start and goal", g)
			}
		}
	})
}

func TestCheck(t *testing.T) {
	b := pegtest.Named(t, "english")
	for _, c := range []struct {
		start, goal peg.Position
		want        string
	}{
		{b.Full() &^ 1, 0, "the goal has no peg"},
		{3, 3, "the goal has 2 pegs and the start 2"},
		{0, 1, "the goal has 1 peg and the start 0"},
		{1 << 33, 1, "the start 0x200000000 has pegs outside the 33 holes of board english"},
		{3, 1 << 40, "the goal 0x10000000000 has pegs outside"},
	} {
		err := peg.Problem{Board: b, Start: c.start, Goal: c.goal}.Check()
		if !errors.Is(err, peg.ErrPosition) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
