package ways

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/counting"
	"pagoda/internal/counting/countingtest"
	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
	"pagoda/internal/peg/reference"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
	"pagoda/internal/puzzle/uint128"
)

// A testCase is a problem with its slow solution.
type testCase struct {
	counting.Params
	layers []reference.Layer
	ways   []map[peg.Position]*big.Int // by layer
}

func newCase(p counting.Params) testCase {
	layers := reference.Play(p.Board, p.Start, p.Start.Pegs()-p.Goal.Pegs())
	return testCase{p, layers, reference.Ways(p.Board, layers, p.Goal)}
}

// drawCase draws a problem that has a solution: on any board, or one with symmetries that start and goal keep, or
// with one that exchanges them.
func drawCase(t *rapid.T) testCase {
	var p counting.Params
	switch rapid.IntRange(0, 3).Draw(t, "kind") {
	case 0:
		p.Board = pegtest.Board(5, 13).Draw(t, "board")
		p.Start = pegtest.Start(p.Board).Draw(t, "start")
	case 1:
		p.Board = pegtest.SymmetricBoard(15).Draw(t, "board")
		p.Start = pegtest.SymmetricStart(p.Board).Draw(t, "start")
	default:
		p.Board = pegtest.SymmetricBoard(15).Draw(t, "board")
		p.Start = pegtest.Start(p.Board).Draw(t, "start")
	}
	layers := reference.Play(p.Board, p.Start, -1)
	var goals []peg.Position
	for _, g := range p.Board.Symmetries() {
		if goal := g.Apply(p.Board.Complement(p.Start)); reference.Solutions(layers, goal).Sign() > 0 && goal != p.Start {
			goals = append(goals, goal) // a problem that is its own reverse
		}
	}
	if len(goals) > 0 && rapid.Bool().Draw(t, "own reverse") {
		p.Goal = rapid.SampledFrom(goals).Draw(t, "goal")
	} else {
		game := pegtest.Play(t, p.Board, p.Start, 12)
		p.Goal = game[len(game)-1]
	}
	if p.Goal.Pegs() >= p.Start.Pegs() || p.Goal.Pegs() == 0 {
		t.Skip("no jump was made")
	}
	return newCase(p)
}

// Every position that is reachable and winnable, and no other, has a row, with the paths and ways of the reference,
// however the run is carried out.
func TestWaysEqualReference(t *testing.T) {
	reflected := map[bool]int{}
	bothWays := func() bool { return reflected[true] > 0 && reflected[false] > 0 }
	pegtest.CheckUntil(t, bothWays, func(t *rapid.T) {
		c := drawCase(t)
		th, err := New(c.Params)
		if err != nil {
			t.Fatal(err)
		}
		least := uint64(th.near.Space.MaxLow())
		if th.far != th.near {
			least = max(least, uint64(th.far.Space.MaxLow()))
		}
		reflected[th.far == th.near]++
		c.WindowAddresses = least + rapid.Uint64Range(0, 200).Draw(t, "addresses of a window")
		if rapid.Bool().Draw(t, "whole cells") {
			c.WindowAddresses = 0
		}
		if th, err = New(c.Params); err != nil {
			t.Fatal(err)
		}
		slow := rapid.Bool().Draw(t, "row by row")
		for _, p := range th.passes {
			p.Slow = slow
		}
		m := puzzletest.Play(t, th, puzzletest.Options{Stored: true, Cached: rapid.Bool().Draw(t, "cached")})
		c.check(t, th, m)
	})
	t.Logf("%d problems with one pass, %d with two", reflected[true], reflected[false])
}

// check compares rows and summary with the reference.
func (c *testCase) check(t puzzletest.TB, th *Puzzle, m *puzzletest.Memory) {
	t.Helper()
	group := peg.Problem{Board: c.Board, Start: c.Start, Goal: c.Goal}.Symmetries()
	want := map[string]bool{}
	positions := make([]int, len(c.layers))
	classes := make([]int, len(c.layers))
	for n, ways := range c.ways {
		seen := map[peg.Position]bool{}
		for p, w := range ways {
			least, fixed := peg.Canonical(group, p)
			positions[n]++
			if seen[least] {
				continue
			}
			seen[least] = true
			classes[n]++
			paths, wins := countingtest.Times(th.near, c.layers[n].Paths[p]), countingtest.Times(th.far, w)
			want[fmt.Sprint(least, n, len(group)/fixed, paths, wins)] = true
		}
	}
	for n := range m.Layers() {
		for _, cell := range m.Cells(n) {
			for _, b := range m.Rows(cell.Cell) {
				err := th.ExportRows(cell.Cell, &b, func(row []puzzle.Value) error {
					x, err := strconv.ParseUint(strings.TrimPrefix(row[0].S, "x"), 16, 64)
					if err != nil {
						t.Fatal(err)
					}
					key := fmt.Sprint(x, row[1].N, row[2].N, row[3].N, row[4].N)
					if !want[key] || row[0].S != c.Board.Hex(peg.Position(x)) {
						t.Fatalf("%s to %s, window of %v: row %v is wrong, or there twice", peg.Hex(c.Start), peg.Hex(c.Goal),
							cell.Cell, row)
					}
					delete(want, key)
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for key := range want {
		t.Fatalf("%s to %s: no row for %s", peg.Hex(c.Start), peg.Hex(c.Goal), key)
	}
	s, err := th.Summarise(m)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Tables[0].Rows) != len(c.layers) {
		t.Fatalf("%d layers, want %d", len(s.Tables[0].Rows), len(c.layers))
	}
	for n, row := range s.Tables[0].Rows {
		if got, want := fmt.Sprint(row[2].N, row[3].N), fmt.Sprint(classes[n], positions[n]); got != want {
			t.Fatalf("layer %d: classes and positions %s, want %s", n, got, want)
		}
	}
	got := puzzletest.Fact(t, th, m, "solutions")
	all := countingtest.Times(th.near, reference.Solutions(c.layers, c.Goal))
	if want := countingtest.Times(th.far, all).String(); got != want {
		t.Fatalf("%s solutions, want %s", got, want)
	}
}

// The centre game of the English board has 1679072 classes that are reachable and winnable, as many with n pegs as with
// n empty holes.
func TestEnglishWays(t *testing.T) {
	if testing.Short() {
		t.Skip("a whole board: go test without -short plays it")
	}
	th, err := New(countingtest.Problem(t, "english", "center", "center", 0))
	if err != nil {
		t.Fatal(err)
	}
	m := puzzletest.Play(t, th, puzzletest.Options{Cached: true, Stored: true})
	for name, want := range map[string]string{
		"solutions": "40861647040079968", "winnable_classes_start_goal": "1679072", "winnable_positions": "13428122",
	} {
		if got := puzzletest.Fact(t, th, m, name); got != want {
			t.Errorf("%s %s, want %s", got, name, want)
		}
	}
	demandGraph(t, th, m)
}

// demandGraph asks the graph of all solutions how often jumps are played. It counts the solutions with a sweep of 7
// jumps in two ways: as those that a filter chooses, and as the paths before the sweep times the ways after it, summed
// over all sweeps. None has one of 8, or two of 7.
func demandGraph(t *testing.T, th *Puzzle, m *puzzletest.Memory) {
	t.Helper()
	ctx := context.Background()
	g, err := th.Graph(ctx, m, m.Cells, 1<<21)
	if err != nil {
		t.Fatal(err)
	}
	times, err := g.Times(ctx)
	if err != nil {
		t.Fatal(err)
	}
	often := map[Times]int{}
	for _, n := range times {
		often[n]++
	}
	if len(often) != 3 || often[Times{0, 1}] != 40 || often[Times{0, 2}] != 12 || often[Times{0, 3}] != 24 {
		t.Errorf("jumps by how often they are played: %v", often)
	}
	for sweep, want := range map[int]uint64{7: 6202248, 8: 0, 1: 40861647040079968} {
		x, err := g.Match(ctx, Filter{Sweep: sweep}, 1<<30)
		if err != nil || x.Count != uint128.From(want) {
			t.Errorf("%v solutions with a sweep of %d jumps, %v, want %d", x.Count, sweep, err, want)
		}
	}
	sum := uint64(0)
	var sweep func(p peg.Position, n int, hole uint16, left int) uint64
	sweep = func(p peg.Position, n int, hole uint16, left int) (ways uint64) {
		c, _, ok := g.find(p, n)
		switch {
		case !ok:
			return 0
		case left == 0:
			return g.layers[n].ways[c].Lo
		}
		for _, j := range g.problem.Board.Jumps {
			if (j.From == hole || left == 7) && j.Legal(p) {
				ways += sweep(j.Play(p), n+1, j.To, left-1)
			}
		}
		return ways
	}
	for n, l := range g.layers {
		for _, p := range l.positions {
			ways := sweep(p, n, 0, 7)
			if ways == 0 {
				continue
			}
			paths, known, err := th.pathsInRows(ctx, rows{m, false}, p)
			if err != nil || !known {
				t.Fatal(known, err)
			}
			_, fixed := peg.Canonical(g.group, p)
			sum += paths.Lo * ways * uint64(len(g.group)/fixed)
		}
	}
	if sum != 6202248 {
		t.Errorf("%d sweeps of 7 jumps in all solutions, want one in each of 6202248", sum)
	}
}

// Whole runs on the 15-hole triangle, with one pass and with two, and with counts around and past 64 bits: the unit is
// the count of an enumeration's start.
func TestTriangleWays(t *testing.T) {
	for _, c := range []struct {
		start, goal string
		passes      int
	}{{"r0c0", "r0c0", 1}, {"r0c0", "r4c2", 2}, {"r2c0", "r2c0", 1}, {"r1c0", "r2c2", 2}} {
		tc := newCase(countingtest.Problem(t, "triangle5", c.start, c.goal, 0))
		for _, unit := range []uint128.Uint128{{Lo: 1}, {Lo: 1 << 45}, {Lo: 1 << 53}} {
			for _, addresses := range []uint64{0, 40} {
				p := tc.Params
				p.WindowAddresses = addresses
				th, err := New(p)
				if err != nil {
					t.Fatal(err)
				}
				if len(th.passes) != c.passes {
					t.Fatalf("%s to %s: %d passes, want %d", c.start, c.goal, len(th.passes), c.passes)
				}
				th.near.Unit, th.far.Unit = unit, unit
				m := puzzletest.Play(t, th, puzzletest.Options{Stored: true, Cached: addresses == 0})
				tc.check(t, th, m)
			}
		}
	}
}

// Counts of which one is wide and the other is not, and products that do not fit.
func TestWideAndOverflow(t *testing.T) {
	tc := newCase(countingtest.Problem(t, "triangle5", "r0c0", "r4c2", 0))
	for _, unit := range []uint128.Uint128{{Hi: 1}, {Hi: 1 << 40, Lo: 7}} {
		for _, turn := range []bool{false, true} {
			th, err := New(tc.Params)
			if err != nil {
				t.Fatal(err)
			}
			if th.far.Unit = unit; turn {
				th.near.Unit, th.far.Unit = unit, uint128.From(1)
			}
			m := puzzletest.Play(t, th, puzzletest.Options{Stored: true, Cached: true})
			tc.check(t, th, m)
		}
	}
	th, err := New(tc.Params)
	if err != nil {
		t.Fatal(err)
	}
	th.near.Unit, th.far.Unit = uint128.Uint128{Hi: 1}, uint128.From(1<<60)
	_, err = puzzletest.PlayTo(t, th, puzzletest.Options{Stored: true, Cached: true}, -1)
	if !errors.Is(err, puzzle.ErrOverflow) || !strings.HasPrefix(err.Error(), "window ") {
		t.Errorf("solutions of 130 bits: %v", err)
	}
}
