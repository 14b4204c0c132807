package large_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/catalog/solitaire/feasible/feasibletest"
	"pagoda/internal/catalog/solitaire/large"
	"pagoda/internal/catalog/solitaire/solve"
	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
	"pagoda/internal/peg/reference"
)

func decide(t *testing.T, p feasible.Open) *large.Result {
	t.Helper()
	r, err := large.Decide(context.Background(), p, large.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Certificate == nil != (r.Verdict.Verdict == feasible.Unknown) {
		t.Fatalf("%s with certificate %v", r.Verdict.Verdict, r.Certificate)
	}
	return r
}

// replayed plays the game of a result without the code of this package, and of sets.
func replayed(t *testing.T, b *peg.Board, start peg.Position, jumps []peg.Jump) peg.Position {
	t.Helper()
	pegs := map[uint16]bool{}
	for i := range b.Holes {
		pegs[uint16(i)] = start.Has(i)
	}
	for _, j := range jumps {
		if !pegs[j.From] || !pegs[j.Over] || pegs[j.To] {
			t.Fatalf("jump %s cannot be played", peg.FormatJump(b, j))
		}
		pegs[j.From], pegs[j.Over], pegs[j.To] = false, false, true
	}
	end := peg.Position(0)
	for i, has := range pegs {
		if has {
			end |= 1 << i
		}
	}
	return end
}

var smallBoards = []struct {
	lattice peg.Lattice
	drawing string
}{
	{peg.Square, "oooooooo"}, {peg.Square, "ooo/ooo/ooo"}, {peg.Square, "-o-/ooo/-o-"}, {peg.Triangular, "o/oo/ooo"},
	{peg.Square, "--o/--o/ooooo/--o"},
}

// TestAgainstBruteForce decides one in 41 of all pairs of positions of small boards, and compares with the positions
// that all games reach. Beams of these widths drop no position there, so that each game is found.
func TestAgainstBruteForce(t *testing.T) {
	count := map[string]int{}
	for _, c := range smallBoards {
		b := pegtest.Drawn(t, c.lattice, c.drawing)
		solvable, err := feasibletest.Truth(b)
		if err != nil {
			t.Fatal(err)
		}
		i := 0
		for p := range feasibletest.AllPairs(b) {
			if i++; i%41 != 0 || testing.Short() && i%5 != 0 {
				continue
			}
			r := decide(t, feasible.Open{Board: &b.Layout, Start: p.Start.Set(), Pegs: p.Goal.Set()})
			verdict := r.Verdict.Verdict
			count[verdict]++
			truth := solvable(p)
			if truth && verdict != feasible.Feasible || !truth && verdict == feasible.Feasible {
				t.Fatalf("%s: %s to %s: %s, and solvable is %v", c.drawing, peg.Hex(p.Start), peg.Hex(p.Goal), verdict, truth)
			}
			if truth && replayed(t, b, p.Start, r.Jumps) != p.Goal {
				t.Fatalf("%s: %s to %s: the game ends elsewhere", c.drawing, peg.Hex(p.Start), peg.Hex(p.Goal))
			}
		}
	}
	t.Log(count)
	if count[feasible.Feasible] == 0 || count[feasible.Infeasible] == 0 {
		t.Errorf("verdicts %v", count)
	}
}

// TestPatterns decides random goals with open holes, and compares with all positions that games reach.
func TestPatterns(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	count := map[string]int{}
	for _, c := range smallBoards {
		b := pegtest.Drawn(t, c.lattice, c.drawing)
		for range 60 {
			start := peg.Position(random.Uint64()) & b.Full()
			free := peg.Position(random.Uint64()&random.Uint64()) & b.Full()
			pegs := peg.Position(random.Uint64()&random.Uint64()) & b.Full() &^ free
			truth := false
			for _, layer := range reference.Play(b, start, -1) {
				for q := range layer.Paths {
					truth = truth || q&^free == pegs
				}
			}
			r := decide(t, feasible.Open{Board: &b.Layout, Start: start.Set(), Pegs: pegs.Set(), Free: free.Set()})
			verdict := r.Verdict.Verdict
			count[verdict+" "+r.Criterion]++
			if truth != (verdict == feasible.Feasible) {
				t.Fatalf("%s: %s to %s, open %s: %s, and solvable is %v", c.drawing, peg.Hex(start), peg.Hex(pegs), peg.Hex(free),
					verdict, truth)
			}
			if truth && replayed(t, b, start, r.Jumps)&^free != pegs {
				t.Fatal("the game ends elsewhere")
			}
		}
	}
	t.Log(count)
	for _, kind := range []string{
		"feasible " + feasible.Search, "infeasible " + feasible.RuleOfThree, "infeasible " + feasible.Cone,
	} {
		if count[kind] == 0 {
			t.Errorf("no problem is %s: %v", kind, count)
		}
	}
}

// TestAsSmall decides problems of the English board on that board and as a part of a larger one, where a row of holes
// stands far from it, and compares with the solver of small boards.
func TestAsSmall(t *testing.T) {
	b := pegtest.Named(t, "english")
	drawing := peg.FormatLine(b, b.Full()) + "//" + strings.Repeat("o-", 40) + "o"
	wide, err := peg.DrawLayout("wide", peg.Square, drawing, "0,1 1,0")
	if err != nil || wide.Size() <= peg.MaxHoles {
		t.Fatalf("%v holes: %v", wide, err)
	}
	random := rand.New(rand.NewPCG(5, 6))
	count := map[string]int{}
	problems := 24
	if testing.Short() {
		problems = 6
	}
	for n := range problems {
		start := peg.Position(random.Uint64()|random.Uint64()) & b.Full()
		goal := start
		for range 3 + random.IntN(start.Pegs()-4) {
			var legal []peg.Jump
			b.Moves(goal, func(j peg.Jump) { legal = append(legal, j) })
			if legal != nil {
				goal = legal[random.IntN(len(legal))].Play(goal)
			}
		}
		if n%2 == 0 { // perhaps not solvable any more
			a, z := random.IntN(b.Size()), random.IntN(b.Size())
			if goal.Has(a) != goal.Has(z) {
				goal ^= 1<<a | 1<<z
			}
		}
		want, err := solve.Solve(context.Background(), peg.Problem{Board: b, Start: start, Goal: goal}, solve.Options{})
		if err != nil {
			t.Fatal(err)
		}
		small := decide(t, feasible.Open{Board: &b.Layout, Start: start.Set(), Pegs: goal.Set()})
		big := decide(t, feasible.Open{Board: wide, Start: start.Set(), Pegs: goal.Set()})
		count[small.Verdict.Verdict]++
		for _, r := range []*large.Result{small, big} {
			switch r.Verdict.Verdict {
			case feasible.Feasible:
				if !want.Solvable || replayed(t, b, start, r.Jumps) != goal {
					t.Errorf("%s to %s: a game, and solvable is %v", peg.Hex(start), peg.Hex(goal), want.Solvable)
				}
			case feasible.Infeasible:
				if want.Solvable {
					t.Errorf("%s to %s: no game by %s", peg.Hex(start), peg.Hex(goal), r.Criterion)
				}
			}
		}
		if small.Verdict.Verdict != big.Verdict.Verdict {
			t.Errorf("%s to %s: %s on the board, %s on the larger one", peg.Hex(start), peg.Hex(goal), small.Verdict.Verdict,
				big.Verdict.Verdict)
		}
	}
	t.Log(count)
	if count[feasible.Feasible] == 0 || count[feasible.Infeasible] == 0 {
		t.Errorf("verdicts %v", count)
	}
}

// army is the problem of the planning competitions: the lower n rows of a board n wide are full, and a peg has to come
// to the middle of the row that many above.
func army(t *testing.T, n, rows int) feasible.Open {
	t.Helper()
	b, err := peg.NamedLayout(fmt.Sprintf("rectangle%dx%d", n+rows, n))
	if err != nil {
		t.Fatal(err)
	}
	p := feasible.Open{Board: b}
	for i, h := range b.Holes {
		if h.Row >= rows {
			p.Start.Put(i)
		}
		if h == (peg.Hole{Row: 0, Col: n / 2}) {
			p.Pegs.Put(i)
		} else {
			p.Free.Put(i)
		}
	}
	return p
}

// TestArmy brings a peg four rows up, and proves that none comes to row 5 (Conway).
func TestArmy(t *testing.T) {
	for n := 11; n <= 15; n++ {
		if r := decide(t, army(t, n, 5)); r.Verdict.Verdict != feasible.Infeasible || r.Criterion != feasible.Golden {
			t.Errorf("row 5 of %d: %s by %s", n, r.Verdict.Verdict, r.Criterion)
		}
		if r := decide(t, army(t, n, 4)); r.Verdict.Verdict != feasible.Feasible {
			t.Errorf("row 4 of %d: %s", n, r.Verdict.Verdict)
		}
	}
}

// TestEmptyRow clears row 5 of full boards without one peg, the sizes of the competitions.
func TestEmptyRow(t *testing.T) {
	for rows := 11; rows <= 15; rows++ {
		b, err := peg.NamedLayout(fmt.Sprintf("rectangle%dx%d", rows, rows+5))
		if err != nil {
			t.Fatal(err)
		}
		p := feasible.Open{Board: b, Start: b.All()}
		for i, h := range b.Holes {
			if h.Row != 5 {
				p.Free.Put(i)
			}
		}
		if r := decide(t, p); r.Verdict.Verdict != feasible.Infeasible || r.Criterion != feasible.Dead {
			t.Errorf("full: %s by %s", r.Verdict.Verdict, r.Criterion)
		}
		hole, _ := b.Hole(5, 5)
		p.Start.Take(hole)
		r := decide(t, p)
		if r.Verdict.Verdict != feasible.Feasible {
			t.Fatalf("%d rows: %s", rows, r.Verdict.Verdict)
		}
		for c := range rows + 5 {
			if hole, _ := b.Hole(5, c); r.End.Has(hole) {
				t.Errorf("%d rows: a peg is left in column %d", rows, c)
			}
		}
	}
}

// TestOnePeg goes from the full board without the peg of a hole to that peg alone.
func TestOnePeg(t *testing.T) {
	for name, want := range map[string]string{
		"rectangle9x9": feasible.Search, "rectangle15x15": feasible.Search, "rectangle11x11": feasible.RuleOfThree,
	} {
		b, err := peg.NamedLayout(name)
		if err != nil {
			t.Fatal(err)
		}
		hole, _ := b.Center()
		p := feasible.Open{Board: b, Start: b.All()}
		p.Start.Take(hole)
		p.Pegs.Put(hole)
		r := decide(t, p)
		if r.Criterion != want || want == feasible.Search && (r.End != p.Pegs || len(r.Jumps) != b.Size()-2) {
			t.Errorf("%s: %s by %s, %d jumps", name, r.Verdict.Verdict, r.Criterion, len(r.Jumps))
		}
	}
}

// TestEnds stops with its context, and keeps to little memory.
func TestEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := large.Decide(ctx, army(t, 11, 4), large.Options{}); err == nil {
		t.Error("it went on")
	}
	r, err := large.Decide(context.Background(), army(t, 11, 4), large.Options{Bytes: 1})
	if err != nil || r.Verdict.Verdict != feasible.Unknown {
		t.Errorf("without memory: %v, %v", r, err)
	}
}
