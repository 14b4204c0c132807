package solutions

import (
	_ "embed"
	"encoding/csv"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/counting"
	"pagoda/internal/counting/countingtest"
	"pagoda/internal/counting/ways"
	"pagoda/internal/partition"
	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
	"pagoda/internal/peg/reference"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
)

func newSolutionsOf(t testing.TB, board, start, goal string, windowAddresses uint64) *Puzzle {
	t.Helper()
	s, err := New(countingtest.Problem(t, board, start, goal, windowAddresses))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEnglishSolutions(t *testing.T) {
	if testing.Short() {
		t.Skip("a whole board: go test without -short plays it")
	}
	for _, c := range []struct{ start, goal, want string }{
		{"center", "center", "40861647040079968"},
		{"r0c3", "r3c3", "10215411760019992"},
		{"r0c3", "r0c3", "841594661434808"},
	} {
		s := newSolutionsOf(t, "english", c.start, c.goal, 0)
		// A join may read near's first layers long after they were made.
		m := puzzletest.Play(t, s, puzzletest.Options{Cached: true, Hoard: true})
		sum, err := s.Summarise(m)
		if err != nil {
			t.Fatal(err)
		}
		if got := sum.Facts[len(sum.Facts)-1].Value.N.String(); got != c.want {
			t.Errorf("%s to %s: %s solutions, want %s", c.start, c.goal, got, c.want)
		}
	}
}

// Every number of solutions equals the slow reference's, for random boards, starts and goals, whichever way the join
// looks complements up and after however many jumps it is made.
func TestSolutionsEqualReference(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := pegtest.Board(5, 13).Draw(rt, "board")
		start := pegtest.Start(b).Draw(rt, "start")
		game := pegtest.Play(rt, b, start, 12)
		goal := game[len(game)-1]
		if goal.Pegs() >= start.Pegs() {
			return // no jump was made
		}
		p := counting.Params{Board: b, Start: start, Goal: goal}
		s, err := New(p)
		if err != nil {
			rt.Fatal(err)
		}
		want := reference.Solutions(reference.Play(b, start, -1), goal).String()
		jumps := start.Pegs() - goal.Pegs()
		for n := range jumps + 1 {
			for _, way := range []struct {
				name       string
				slow, runs bool
			}{{"stretches", false, false}, {"rows", true, false}, {"runs", false, true}} {
				j := s.problems[0].join
				if j == nil {
					rt.Fatalf("a goal that was reached is forbidden: %s", s.problems[0].reason)
				}
				j.Slow, j.Runs, j.Jumps, j.FarJumps = way.slow, way.runs, n, jumps-n
				s.arrange()
				m := puzzletest.Play(rt, s, puzzletest.Options{Cached: rapid.Bool().Draw(rt, "cached"), Stored: true})
				got, _ := s.solutions(s.problems[0], m)
				if got.String() != want {
					rt.Fatalf("join after %d of %d jumps, by %s: %v solutions, want %s", n, jumps, way.name, got, want)
				}
			}
		}
	})
}

// All pairs of a board at once equal the reference, and a pair equals its reverse (Summarise demands it).
func TestPairsEqualReference(t *testing.T) {
	for _, name := range []string{"triangle4", "triangle5"} {
		b, err := peg.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewPairs(counting.Params{Board: b})
		if err != nil {
			t.Fatal(err)
		}
		m := puzzletest.Play(t, s, puzzletest.Options{Cached: true, Stored: true})
		sum, err := s.Summarise(m)
		if err != nil {
			t.Fatal(err)
		}
		names := map[string]bool{} // of facts and tables, which share one JSON object
		for _, f := range sum.Facts {
			names[f.Name] = true
		}
		for _, table := range sum.Tables {
			names[table.Name] = true
		}
		if len(names) != len(sum.Facts)+len(sum.Tables) {
			t.Errorf("%s: facts and tables share a name: %v", name, names)
		}
		for _, q := range s.problems {
			got, ok := s.solutions(q, m)
			for _, pair := range q.class {
				p := pair.Problem(b)
				if want := reference.Solutions(reference.Play(b, p.Start, -1), p.Goal); !ok || got.String() != want.String() {
					t.Errorf("%s, %v: %v solutions, want %v", name, pair, got, want)
				}
			}
		}
	}
}

// On a board whose symmetries permute the classes most joins go run by run; row by row they give the same.
func TestRunsEqualRows(t *testing.T) {
	b, err := peg.Named("triangle6")
	if err != nil {
		t.Fatal(err)
	}
	var tables [2]string
	for i := range tables {
		s, err := NewPairs(counting.Params{Board: b})
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range s.problems {
			q.join.Slow = i == 1
		}
		m := puzzletest.Play(t, s, puzzletest.Options{Cached: true, Stored: true})
		for _, q := range s.problems {
			n, ok := s.solutions(q, m)
			if !ok || n.IsZero() {
				t.Errorf("%v: %v solutions", q.class[0], n)
			}
			tables[i] += n.String() + " "
		}
	}
	if tables[0] != tables[1] {
		t.Errorf("solutions by runs %s, by rows %s", tables[0], tables[1])
	}
}

// Every join cell names the far cells that it reads, whichever problems share its near enumeration.
func TestJoinParents(t *testing.T) {
	b, err := peg.Named("triangle5")
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewPairs(counting.Params{Board: b})
	if err != nil {
		t.Fatal(err)
	}
	cells, err := s.Layer(s.joinLayer, nil)
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, c := range cells {
		for _, m := range s.meetings {
			key, ok := strings.CutPrefix(c.Key, m.key)
			if !ok {
				continue
			}
			v, err := partition.ParseKey(key)
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range m.joined {
				for _, u := range q.join.FarVectors(v) {
					far := puzzle.Cell{Layer: q.join.FarJumps, Key: q.join.Far.Key(u)}
					if !slices.Contains(c.Parents, far) {
						t.Errorf("join cell %s: parents %v lack %v", c.Key, c.Parents, far)
					}
					checked++
				}
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d far cells were looked at", checked)
	}
}

//go:embed testdata/triangle15.csv
var triangle15 string

// The solutions of all goals of a start of the 15-hole triangle add up to the known totals: one problem at a time, all
// pairs at once, and with the positions that they pass through.
func TestTriangle15OverGoals(t *testing.T) {
	reader := csv.NewReader(strings.NewReader(triangle15))
	reader.Comment = '#'
	want, err := reader.ReadAll()
	if err != nil || len(want) != 5 {
		t.Fatal(len(want), err)
	}
	b := countingtest.Problem(t, "triangle5", "r0c0", "", 0).Board
	pairs, err := NewPairs(counting.Params{Board: b})
	if err != nil {
		t.Fatal(err)
	}
	all := puzzletest.Play(t, pairs, puzzletest.Options{Cached: true, Stored: true})
	for _, w := range want[1:] {
		sums := [3]*big.Int{new(big.Int), new(big.Int), new(big.Int)}
		for goal := range b.Size() {
			p := countingtest.Problem(t, "triangle5", w[0], b.HoleName(goal), 0)
			one, err := New(p)
			if err != nil {
				t.Fatal(err)
			}
			stored, err := ways.New(p)
			if err != nil {
				t.Fatal(err)
			}
			for i, s := range []puzzle.Puzzle{one, stored} {
				m := puzzletest.Play(t, s, puzzletest.Options{Cached: true, Stored: true})
				n, _ := new(big.Int).SetString(puzzletest.Fact(t, s, m, "solutions"), 10)
				sums[i].Add(sums[i], n)
			}
			for _, q := range pairs.problems {
				for _, pair := range q.class {
					if pair.Problem(b).Start == p.Start && int(pair.Goal) == goal {
						n, _ := pairs.solutions(q, all)
						sums[2].Add(sums[2], n.Big())
					}
				}
			}
		}
		for i, sum := range sums {
			if sum.String() != w[1] {
				t.Errorf("%s: %v solutions over all goals (way %d), want %s", w[0], sum, i, w[1])
			}
		}
	}
}

// TestRandomSolutions compares the join of two enumerations with the reference, goals that criteria forbid among them.
func TestRandomSolutions(t *testing.T) {
	solvable := 0
	rapid.Check(t, func(t *rapid.T) {
		p := countingtest.Draw(t)
		if (peg.Problem{Board: p.Board, Start: p.Start, Goal: p.Goal}).Check() != nil {
			t.Skip("no problem")
		}
		layers := reference.Play(p.Board, p.Start, -1)
		s, err := New(p)
		if err != nil {
			t.Fatal(err)
		}
		m := puzzletest.Play(t, s, puzzletest.Options{Cached: rapid.Bool().Draw(t, "cached"), Stored: true})
		sum, err := s.Summarise(m)
		if err != nil {
			t.Fatal(err)
		}
		want := reference.Solutions(layers, p.Goal)
		solvable += want.Sign()
		found := false
		for _, f := range sum.Facts {
			if f.Name == "solutions" {
				found = true
				if f.Value.N.Big().Cmp(want) != 0 {
					t.Fatalf("%v solutions, want %v", f.Value.N, want)
				}
			}
		}
		if !found {
			t.Fatal("the summary does not say how many solutions there are")
		}
	})
	t.Logf("%d problems had solutions", solvable)
}
