package sweeps

import (
	"context"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/counting"
	"pagoda/internal/counting/countingtest"
	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
)

// brute holds the results of playing every solution of a problem, jump by jump.
type brute struct {
	p                    peg.Problem
	counts               map[int]int64
	least                map[string]bool // solutions of the least number of sweeps, as text
	leastSweeps          int
	longest, first, last int
	jumps                []peg.Jump
	steps                int
}

// play plays on from a position; it gives up after too many steps.
func (b *brute) play(p peg.Position) {
	if b.steps++; b.steps > 2_000_000 {
		return
	}
	if p == b.p.Goal {
		b.solution()
		return
	}
	if p.Pegs() <= b.p.Goal.Pegs() {
		return
	}
	for _, j := range b.p.Board.Jumps {
		if j.Legal(p) {
			b.jumps = append(b.jumps, j)
			b.play(j.Play(p))
			b.jumps = b.jumps[:len(b.jumps)-1]
		}
	}
}

// solution looks at the sweeps of a solution.
func (b *brute) solution() {
	var lengths []int
	for i, j := range b.jumps {
		if i > 0 && b.jumps[i-1].To == j.From {
			lengths[len(lengths)-1]++
		} else {
			lengths = append(lengths, 1)
		}
	}
	n := len(lengths)
	b.counts[n]++
	for _, l := range lengths {
		b.longest = max(b.longest, l)
	}
	b.first, b.last = max(b.first, lengths[0]), max(b.last, lengths[n-1])
	if b.leastSweeps == 0 || n < b.leastSweeps {
		b.leastSweeps, b.least = n, map[string]bool{}
	}
	if n == b.leastSweeps {
		b.least[fmt.Sprint(b.jumps)] = true
	}
}

// classes counts the least solutions up to symmetry, by listing the images of each.
func (b *brute) classes(t puzzletest.TB) int {
	t.Helper()
	group := b.p.Symmetries()
	seen := map[string]bool{}
	n := 0
	var walk func(p peg.Position, jumps []peg.Jump)
	walk = func(p peg.Position, jumps []peg.Jump) {
		if p == b.p.Goal {
			text := fmt.Sprint(jumps)
			if !b.least[text] || seen[text] {
				return
			}
			n++
			for _, g := range group {
				var image []peg.Jump
				for _, j := range jumps {
					image = append(image, g.Jump(j))
				}
				seen[fmt.Sprint(image)] = true
			}
			return
		}
		if p.Pegs() <= b.p.Goal.Pegs() {
			return
		}
		for _, j := range b.p.Board.Jumps {
			if j.Legal(p) {
				walk(j.Play(p), append(jumps[:len(jumps):len(jumps)], j))
			}
		}
	}
	walk(b.p.Start, nil)
	return n
}

// check compares a run with brute force; it reports whether there were solutions to compare.
func check(t puzzletest.TB, p counting.Params, cached bool) bool {
	t.Helper()
	b := &brute{p: peg.Problem{Board: p.Board, Start: p.Start, Goal: p.Goal}, counts: map[int]int64{}}
	b.play(p.Start)
	if b.steps > 2_000_000 {
		return false
	}
	s, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	m := puzzletest.Play(t, s, puzzletest.Options{Stored: true, Cached: cached, Hoard: true})
	sum, err := s.Summarise(m)
	if err != nil {
		t.Fatal(err)
	}
	facts := map[string]string{}
	for _, f := range sum.Facts {
		if f.Map == nil {
			facts[f.Name] = f.Value.N.String()
			continue
		}
		for _, e := range f.Map {
			facts[f.Name+" "+e.Key] = e.Value.String()
		}
	}
	want := map[string]string{}
	total := new(big.Int)
	for n, c := range b.counts {
		want[fmt.Sprint("solutions_by_sweeps ", n)] = fmt.Sprint(c)
		total.Add(total, big.NewInt(c))
	}
	want["solutions"] = total.String()
	if b.leastSweeps > 0 {
		want["least_sweeps"] = fmt.Sprint(b.leastSweeps)
		want["least_sweeps_solutions"] = fmt.Sprint(len(b.least))
		want["least_sweeps_solutions_up_to_symmetry"] = fmt.Sprint(b.classes(t))
		want["longest_sweep"], want["longest_first_sweep"] = fmt.Sprint(b.longest), fmt.Sprint(b.first)
		want["longest_last_sweep"] = fmt.Sprint(b.last)
	}
	for name, w := range want {
		if facts[name] != w {
			t.Fatalf("%s, %s to %s: %s %s, want %s", peg.FormatLine(p.Board, p.Board.Full()), peg.Hex(p.Start), peg.Hex(p.Goal),
				name, facts[name], w)
		}
	}
	for name := range facts {
		if _, ok := want[name]; !ok && len(name) > 20 && name[:19] == "solutions_by_sweeps" {
			t.Fatalf("%s %s, want none", name, facts[name])
		}
	}
	if b.leastSweeps > 0 {
		b.checkLists(t, s, m)
	}
	return b.leastSweeps > 0
}

// checkLists compares the solutions that a run lists with those played, and looks for its longest sweep in one.
func (b *brute) checkLists(t puzzletest.TB, s *Puzzle, m *puzzletest.Memory) {
	t.Helper()
	sum, seen := 0, map[string]bool{}
	err := s.EachFewest(context.Background(), m, m, b.leastSweeps, func(jumps []peg.Jump, solutions int) error {
		text := fmt.Sprint(jumps)
		if !b.least[text] || seen[text] {
			return fmt.Errorf("solution %s: listed before %v, played %v", text, seen[text], b.least[text])
		}
		images := map[string]bool{}
		for _, g := range b.p.Symmetries() {
			images[fmt.Sprint(image(jumps, g))] = true
		}
		if len(images) != solutions {
			return fmt.Errorf("solution %s: %d images, want %d", text, solutions, len(images))
		}
		for text := range images {
			seen[text] = true
		}
		sum += solutions
		return nil
	})
	if err != nil || sum != len(b.least) || len(seen) != len(b.least) {
		t.Fatalf("%d solutions of %d sweeps are listed, want %d; %v", sum, b.leastSweeps, len(b.least), err)
	}
	jumps, begins, err := s.Longest(context.Background(), m, m, b.longest)
	if err != nil || len(jumps) != b.p.Jumps() {
		t.Fatalf("a solution with a sweep of %d jumps: %v, %v", b.longest, jumps, err)
	}
	position := b.p.Start
	for i, j := range jumps {
		if !j.Legal(position) || i > begins && i < begins+b.longest && jumps[i-1].To != j.From {
			t.Fatalf("a sweep of %d jumps after %d: %v", b.longest, begins, jumps)
		}
		position = j.Play(position)
	}
	if position != b.p.Goal {
		t.Fatalf("%v leads elsewhere", jumps)
	}
	if jumps, _, err := s.Longest(context.Background(), m, m, b.longest+1); err != nil || jumps != nil {
		t.Fatalf("a sweep of %d jumps: %v, %v", b.longest+1, jumps, err)
	}
}

// Bergholt's solution of the English centre game (1912), which the documentation shows, has 18 sweeps.
func TestBergholt(t *testing.T) {
	const solution = "46x44 65x45 57x55 54x56 52x54 73x53 43x63 75x73x53 35x55 15x35 23x43x63x65x45x25 37x57x55x53 " +
		"31x33 34x32 51x31x33 13x15x35 36x34x32x52x54x34 24x44"
	p := countingtest.Problem(t, "english", "center", "center", 0)
	position, sweeps := p.Start, strings.Fields(solution)
	var jumps []peg.Jump
	for _, sweep := range sweeps {
		holes := strings.Split(sweep, "x")
		for i := range holes[1:] {
			found := false
			for _, j := range p.Board.Jumps {
				if peg.FormatJump(p.Board, j) == holes[i]+"x"+holes[i+1] && j.Legal(position) {
					position, jumps, found = j.Play(position), append(jumps, j), true
				}
			}
			if !found {
				t.Fatalf("after %d jumps: no jump %sx%s", len(jumps), holes[i], holes[i+1])
			}
		}
	}
	if text, n := peg.FormatSweeps(p.Board, jumps); n != 18 || text != solution || position != p.Goal {
		t.Errorf("%d sweeps: %s", n, text)
	}
}

// Some problems of the small triangles, with one pass and with two.
func TestTriangles(t *testing.T) {
	solved := map[int]int{}
	for _, c := range []struct{ board, start, goal string }{
		{"triangle4", "r1c0", "r1c1"}, {"triangle4", "r1c0", "r1c0"}, {"triangle5", "r0c0", "r0c0"},
		{"triangle5", "r2c1", "r2c1"}, {"triangle5", "r2c1", "r4c2"}, {"triangle5", "r1c0", "r2c2"},
	} {
		p := countingtest.Problem(t, c.board, c.start, c.goal, 0)
		if s, err := New(p); err != nil {
			t.Fatal(err)
		} else if check(t, p, true) {
			solved[len(s.Passes())]++
		}
	}
	if solved[1] == 0 || solved[2] == 0 {
		t.Errorf("problems with solutions, by passes: %v", solved)
	}
}

// On random boards, with and without symmetries, in windows of any size.
func TestRandomBoards(t *testing.T) {
	solved, passes := 0, map[int]int{}
	pegtest.CheckUntil(t, func() bool { return solved > 0 }, func(t *rapid.T) {
		p := counting.Params{Board: pegtest.Board(5, 12).Draw(t, "board")}
		if rapid.Bool().Draw(t, "symmetric") {
			p.Board = pegtest.SymmetricBoard(13).Draw(t, "symmetric board")
		}
		p.Start = pegtest.Start(p.Board).Draw(t, "start")
		game := pegtest.Play(t, p.Board, p.Start, 12)
		p.Goal = game[len(game)-1]
		if rapid.Bool().Draw(t, "own reverse") {
			p.Goal = p.Board.Complement(p.Start)
		}
		if p.Goal.Pegs() >= p.Start.Pegs() || p.Goal == 0 {
			t.Skip("no jump was made")
		}
		s, err := New(p)
		if err != nil {
			t.Fatal(err)
		}
		passes[len(s.Passes())]++
		if len(s.sides) > 0 && rapid.Bool().Draw(t, "cut") {
			least := max(s.near().pass.Near.Space.MaxLow(), s.far().pass.Near.Space.MaxLow())
			p.WindowAddresses = uint64(least) + rapid.Uint64Range(0, 50).Draw(t, "addresses of a window")
		}
		if check(t, p, rapid.Bool().Draw(t, "cached")) {
			solved++
		}
	})
	t.Logf("%d problems have solutions; runs by passes: %v", solved, passes)
}

func TestErrors(t *testing.T) {
	s, err := New(countingtest.Problem(t, "triangle5", "r2c1", "r2c1", 0))
	if err != nil {
		t.Fatal(err)
	}
	m := puzzletest.Play(t, s, puzzletest.Options{Stored: true, Hoard: true})
	for _, c := range []puzzle.Cell{
		{Layer: s.last(), Key: "middle-9.9.9.9"}, {Layer: s.last(), Key: "middle-x"}, {Layer: 1, Key: "sweeps0-1.1.1.1"},
	} {
		if _, err := s.Compute(context.Background(), puzzle.Window{Cell: c, Addresses: 1}, m, nil); err == nil {
			t.Errorf("window %v was computed", c)
		}
	}
}
