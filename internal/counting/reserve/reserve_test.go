package reserve

import (
	"context"
	"errors"
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
	"pagoda/internal/puzzle/uint128"
)

// A state of the slow count: a position, and whether the reserve has been put back.
type state struct {
	p    peg.Position
	back bool
}

// slow counts solutions by trying all jumps and all moments of putting back, state by state.
func slow(b *peg.Board, start, goal peg.Position) *big.Int {
	hole := b.Complement(start)
	known := map[state]*big.Int{}
	var solutions func(s state) *big.Int
	solutions = func(s state) *big.Int {
		if n := known[s]; n != nil {
			return n
		}
		n := new(big.Int)
		if s.back && s.p == goal {
			n.SetInt64(1)
		}
		if !s.back && s.p&hole == 0 {
			n.Add(n, solutions(state{s.p | hole, true}))
		}
		b.Moves(s.p, func(j peg.Jump) { n.Add(n, solutions(state{j.Play(s.p), s.back})) })
		known[s] = n
		return n
	}
	return solutions(state{p: start})
}

// check compares a run with the slow count.
func check(t puzzletest.TB, p counting.Params, cached bool) *big.Int {
	t.Helper()
	s, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	want := slow(p.Board, p.Start, p.Goal)
	if s.reason != "" && want.Sign() > 0 {
		t.Fatalf("%v solutions, although %s", want, s.reason)
	}
	m := puzzletest.Play(t, s, puzzletest.Options{Stored: true, Cached: cached, Hoard: true})
	if got := puzzletest.Fact(t, s, m, "solutions"); got != want.String() {
		t.Fatalf("%s, %s to %s: %s solutions, want %v", peg.FormatLine(p.Board, p.Board.Full()), peg.Hex(p.Start),
			peg.Hex(p.Goal), got, want)
	}
	recount(t, s, m)
	return want
}

// recount compares the second counts of a run with the first.
func recount(t puzzletest.TB, s *Puzzle, m *puzzletest.Memory) {
	t.Helper()
	list, err := s.Recounts(m)
	if err != nil {
		t.Fatal(err)
	}
	var total uint128.Uint128
	for _, r := range list {
		var again uint128.Uint128
		for _, w := range r.Windows {
			n, err := r.Share(context.Background(), w, m)
			if err != nil {
				t.Fatal(err)
			}
			again, _ = again.Add(n)
		}
		if again != r.Want {
			t.Fatalf("%s, %s to %s: %s: %v, want %v", peg.FormatLine(s.problem.Board, s.problem.Board.Full()),
				peg.Hex(s.problem.Start), peg.Hex(s.problem.Goal), r.What, again, r.Want)
		}
		total, _ = total.Add(again)
	}
	if got := puzzletest.Fact(t, s, m, "solutions"); len(list) > 0 && got != total.String() {
		t.Fatalf("%v solutions by the second counts, %s by the first", total, got)
	}
}

// From vacancies of the small triangles, which lie in the low, the prefix and the mid field, to goals of two and three
// pegs. No single peg has the parities of
// their full boards.
func TestTriangles(t *testing.T) {
	solved := 0
	for _, c := range []struct {
		board     string
		vacancies []int
	}{{"triangle4", []int{0, 1, 2}}, {"triangle5", []int{2}}} {
		b, err := peg.Named(c.board)
		if err != nil {
			t.Fatal(err)
		}
		for _, from := range c.vacancies {
			for first := range b.Size() {
				for second := first % 3; second < first; second += 3 {
					goal := peg.Position(1)<<first | 1<<second
					n := check(t, counting.Params{Board: b, Start: b.Complement(1 << from), Goal: goal}, true)
					solved += n.Sign()
				}
				check(t, counting.Params{Board: b, Start: b.Complement(1 << from), Goal: 1<<first | 1<<from | 1}, false)
			}
		}
	}
	t.Logf("%d problems have solutions", solved)
	if solved == 0 {
		t.Error("the test does not reach what it is for")
	}
}

// On random boards, from any vacancy to where a game under the rule led, so that the hole of the reserve lies in any of
// the fields.
func TestRandomBoards(t *testing.T) {
	solved := 0
	fields := map[string]int{}
	pegtest.CheckUntil(t, func() bool { return solved > 0 }, func(t *rapid.T) {
		b := pegtest.Board(5, 13).Draw(t, "board")
		if rapid.Bool().Draw(t, "symmetric") {
			b = pegtest.SymmetricBoard(14).Draw(t, "symmetric board")
		}
		p := counting.Params{Board: b, Start: b.Complement(1 << rapid.IntRange(0, b.Size()-1).Draw(t, "vacancy"))}
		hole := b.Complement(p.Start)
		if rapid.IntRange(0, 4).Draw(t, "back where it began") == 0 {
			p.Goal = hole
		} else {
			var moments []peg.Position
			for _, q := range pegtest.Play(t, b, p.Start, 12)[1:] {
				if q&hole == 0 {
					moments = append(moments, q)
				}
			}
			if len(moments) == 0 {
				t.Skip("the hole is not empty again")
			}
			game := pegtest.Play(t, b, rapid.SampledFrom(moments).Draw(t, "moment")|hole, 12)
			p.Goal = game[len(game)-1]
		}
		if p.Goal.Pegs() >= p.Start.Pegs() {
			t.Skip("no jump was made after the moment")
		}
		s, err := New(p)
		if err != nil {
			t.Fatal(err)
		}
		if s.reason == "" {
			space := s.sides[0].before.Space
			bit := uint64(1) << space.Bit(uint16(s.hole))
			switch {
			case space.Low.Of(bit) != 0:
				fields["low"]++
			case space.Mid.Of(bit) != 0:
				fields["mid"]++
			default:
				fields["prefix"]++
			}
			if rapid.Bool().Draw(t, "cut") {
				p.WindowAddresses = uint64(max(space.MaxLow(), s.sides[len(s.sides)-1].before.Space.MaxLow()))
				p.WindowAddresses += rapid.Uint64Range(0, 100).Draw(t, "addresses of a window")
			}
		}
		solved += check(t, p, rapid.Bool().Draw(t, "cached")).Sign()
	})
	t.Logf("%d problems have solutions; holes by field: %v", solved, fields)
}

// On the English board the rule of three forbids every single peg at the end: the full board has even parities, and no
// single peg has.
func TestEnglish(t *testing.T) {
	for _, goal := range []string{"center", "r0c2", "r3c0", "r2c2"} {
		s, err := New(countingtest.Problem(t, "english", "center", goal, 0))
		if err != nil {
			t.Fatal(err)
		}
		m := puzzletest.Play(t, s, puzzletest.Options{})
		if got := puzzletest.Fact(t, s, m, "solutions"); got != "0" {
			t.Errorf("%s solutions to %s", got, goal)
		}
		sum, err := s.Summarise(m)
		if err != nil || len(sum.Notes) != 1 || !strings.Contains(sum.Notes[0], "rule of three") {
			t.Errorf("notes %q, %v", sum.Notes, err)
		}
	}
}

func TestErrors(t *testing.T) {
	p := countingtest.Problem(t, "french", "0x1", "", 0)
	p.Goal = 1
	if _, err := New(p); !errors.Is(err, ErrVacancy) {
		t.Errorf("a start of one peg gives %v", err)
	}
	s, err := New(countingtest.Problem(t, "french", "center", "center", 0))
	if err != nil {
		t.Fatal(err)
	}
	m := puzzletest.New(puzzletest.Options{})
	for _, c := range []puzzle.Cell{{Key: "before0-9.9.9.9"}, {Key: "x"}, {Layer: s.last() + 1, Key: "done-x"}} {
		w := puzzle.Window{Cell: c, Addresses: 1}
		if _, err := s.Compute(context.Background(), w, m, nil); err == nil {
			t.Errorf("window %s was computed", w)
		}
	}
}
