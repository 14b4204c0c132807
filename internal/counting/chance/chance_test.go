package chance

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
	"pagoda/internal/peg/reference"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/memrun"
	"pagoda/internal/puzzle/puzzletest"
	"pagoda/internal/puzzle/uint128"
)

// recursion computes chances backwards, from the rule itself: the chances after a position are the means of those after
// each of its jumps.
type recursion struct {
	board *peg.Board
	meets peg.Position // 0 for none
	known map[peg.Position]outcome
}

// An outcome has the chances of a game to end with so many pegs, and to meet a position.
type outcome struct {
	ends map[int]*big.Rat
	met  *big.Rat
}

func outcomeOf(b *peg.Board, start, meets peg.Position) outcome {
	r := recursion{b, meets, map[peg.Position]outcome{}}
	return r.from(start)
}

func (r *recursion) from(p peg.Position) outcome {
	if o, ok := r.known[p]; ok {
		return o
	}
	o := outcome{map[int]*big.Rat{}, new(big.Rat)}
	var after []outcome
	for _, j := range r.board.Jumps {
		if p.Has(int(j.From)) && p.Has(int(j.Over)) && !p.Has(int(j.To)) {
			after = append(after, r.from(p&^(1<<j.From)&^(1<<j.Over)|1<<j.To))
		}
	}
	share := new(big.Rat)
	if len(after) > 0 {
		share.SetFrac64(1, int64(len(after)))
	}
	for _, q := range after {
		for pegs, x := range q.ends {
			if o.ends[pegs] == nil {
				o.ends[pegs] = new(big.Rat)
			}
			o.ends[pegs].Add(o.ends[pegs], new(big.Rat).Mul(x, share))
		}
		o.met.Add(o.met, new(big.Rat).Mul(q.met, share))
	}
	if len(after) == 0 {
		o.ends[p.Pegs()] = big.NewRat(1, 1)
	}
	if p == r.meets {
		o.met = big.NewRat(1, 1)
	}
	r.known[p] = o
	return o
}

// inside demands that an interval contains a fraction and is narrow.
func inside(t puzzletest.TB, what string, i Interval, want *big.Rat) {
	t.Helper()
	unit := func(n uint128.Uint128) *big.Rat { return new(big.Rat).SetFrac(n.Big(), one.Big()) }
	if unit(i.Least).Cmp(want) > 0 || unit(i.Most).Cmp(want) < 0 {
		t.Fatalf("%s: %v is not in [%v, %v]", what, want, i.Least, i.Most)
	}
	if width, _ := i.Most.Sub(i.Least); width.Cmp(uint128.From(1e12)) > 0 {
		t.Fatalf("%s: [%v, %v] is wide", what, i.Least, i.Most)
	}
	if want.Sign() == 0 && !i.Most.IsZero() {
		t.Fatalf("%s: %v, and it cannot be", what, i.Most)
	}
}

// TestAgainstRecursion compares chances on random boards of both lattices: fractions, and intervals of runs in windows
// of any size and in little memory, with a recursion from the other end; and the numbers of games and positions with
// the reference.
func TestAgainstRecursion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := countingtest.Draw(t)
		p.HasGoal = p.HasGoal && (peg.Problem{Board: p.Board, Start: p.Start, Goal: p.Goal}).Check() == nil
		layers := reference.Play(p.Board, p.Start, -1)
		exact, count, ok, err := Exact(context.Background(), p, 1<<20)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if count.Games.Big().Cmp(reference.Games(layers)) != 0 ||
			p.HasGoal && count.Solutions.Big().Cmp(reference.Solutions(layers, p.Goal)) != 0 {
			t.Fatalf("%v games, %v solutions", count.Games, count.Solutions)
		}
		for _, most := range []int{reference.Positions(layers) - 1, reference.Positions(layers)} {
			if _, _, ok, _ := Exact(context.Background(), p, most); ok != (most == reference.Positions(layers)) {
				t.Fatalf("fractions of at most %d positions: %v", most, ok)
			}
		}
		p.WindowAddresses = rapid.SampledFrom([]uint64{0, 200, 2000}).Draw(t, "window_addresses")
		c, err := New(p)
		if errors.Is(err, counting.ErrWindowAddresses) {
			t.Skip("windows are too small")
		}
		if err != nil {
			t.Fatal(err)
		}
		m := puzzletest.Play(t, c, puzzletest.Options{Stored: true,
			Memory: rapid.SampledFrom([]uint64{0, 1 << 12}).Draw(t, "memory")})
		run, err := c.ReportOf(m)
		if err != nil {
			t.Fatal(err)
		}
		handed, err := memrun.Tallies(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		checkTallies(t, c, m, handed)
		if len(run.Layers) != len(layers) || len(exact.Layers) != len(layers) {
			t.Fatalf("%d and %d layers, want %d", len(run.Layers), len(exact.Layers), len(layers))
		}
		classes := peg.Stabiliser(p.Board.Symmetries(), p.Start)
		outcome, met := outcomeOf(p.Board, p.Start, p.Goal), big.NewRat(1, 1)
		for n, l := range layers {
			want := outcome.ends[l.Pegs]
			if want == nil {
				want = new(big.Rat)
			}
			x := &exact.Layers[n]
			if x.ExactEnded.Cmp(want) != 0 || x.ExactMet.Cmp(met) != 0 {
				t.Fatalf("%d pegs: %v of %v, want %v of %v", l.Pegs, x.ExactEnded, x.ExactMet, want, met)
			}
			if count.ByPegs[l.Pegs].Big().Cmp(l.GamesEnded()) != 0 {
				t.Fatalf("%d pegs: %v games", l.Pegs, count.ByPegs[l.Pegs])
			}
			for _, y := range []*Layer{x, &run.Layers[n]} {
				inside(t, "ended", y.Ended, want)
				inside(t, "met", y.Met, met)
				if y.Jumps != n || y.Pegs != l.Pegs || y.Positions.Lo != uint64(len(l.Paths)) ||
					y.Dead.Lo != uint64(len(l.Dead)) || y.Classes.Lo != uint64(len(l.Classes(classes))) {
					t.Fatalf("layer %d: %+v", n, y)
				}
			}
			met = new(big.Rat).Sub(met, want)
		}
		for _, r := range []*Report{&exact, &run} {
			inside(t, "all endings", r.Sum, big.NewRat(1, 1))
			if p.HasGoal {
				inside(t, "goal", r.Goal, outcome.met)
			}
		}
		checkRows(t, c, m, layers)
	})
}

// checkTallies demands that two runs have the same tallies, and that every window has a tally without contradiction.
func checkTallies(t puzzletest.TB, c *Puzzle, m *puzzletest.Memory, handed *memrun.Run) {
	t.Helper()
	for n := range m.Layers() {
		for _, plan := range m.Cells(n) {
			got, ok := handed.Cell(plan.Cell)
			want, _ := m.Cell(plan.Cell)
			if !ok || got.Sum(counting.SumPaths) != want.Sum(counting.SumPaths) ||
				got.Sum(counting.SumLost) != want.Sum(counting.SumLost) {
				t.Fatalf("cell %v: %v, handed on in memory %v", plan.Cell, want, got)
			}
			if plan.Windows() != 1 {
				continue
			}
			rows := uint64(0)
			for _, b := range m.Rows(plan.Cell) {
				rows += uint64(b.Rows())
			}
			if err := c.CheckTally(plan.Window(0), rows, &want); err != nil {
				t.Fatal(err)
			}
			if len(want.Out) > 0 {
				wrong := want
				wrong.Sums = append([]puzzle.Scalar{}, want.Sums...)
				if err := wrong.AddSum(counting.SumLost, uint128.From(uint64(len(c.Space.Group)))); err != nil {
					t.Fatal(err)
				}
				if c.CheckTally(plan.Window(0), rows, &wrong) == nil {
					t.Fatal("a window that loses more than it has passes")
				}
			}
		}
	}
}

// checkRows compares the exported chances of all positions with the recursion: those of a class are equal.
func checkRows(t puzzletest.TB, c *Puzzle, m *puzzletest.Memory, layers []reference.Layer) {
	t.Helper()
	for n, l := range layers {
		found := map[peg.Position]string{}
		for _, plan := range m.Cells(n) {
			for _, b := range m.Rows(plan.Cell) {
				err := c.ExportRows(plan.Cell, &b, func(row []puzzle.Value) error {
					p, err := peg.ParseGoal(c.params.Board, row[0].S)
					found[p] = row[3].S
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		if len(found) != len(l.Classes(c.Space.Group)) {
			t.Fatalf("layer %d: %d rows", n, len(found))
		}
		if n%4 != 2 {
			continue // a recursion takes its time
		}
		for p := range l.Paths {
			want := outcomeOf(c.params.Board, c.params.Start, p).met
			got, ok := new(big.Rat).SetString(found[c.Canonical(p)])
			if !ok {
				t.Fatalf("position %v has no row", p)
			}
			if d := got.Sub(got, want); d.Abs(d).Cmp(big.NewRat(1, 1e15)) > 0 {
				t.Fatalf("position %v: chance %s, want %v", p, found[c.Canonical(p)], want)
			}
			break
		}
	}
}

// TestRounding makes the unit so small that most chances are below it. No row vanishes. The sums of losses
// and gains bound the errors of every layer; together with the endings they are the chance 1.
func TestRounding(t *testing.T) {
	gained, lost := false, false
	rapid.Check(t, func(t *rapid.T) {
		p := countingtest.Draw(t)
		p.HasGoal = false
		c, err := New(p)
		if err != nil {
			t.Fatal(err)
		}
		unit := rapid.Uint64Range(1, 1000).Draw(t, "unit")
		c.Split(uint128.From(unit))
		m := puzzletest.Play(t, c, puzzletest.Options{Stored: true})
		exact, _, _, err := Exact(context.Background(), p, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		var losses, gains, endings uint64 // of the layers before
		for n, l := range exact.Layers {
			tally, _ := m.Layer(n)
			if tally.Sum(counting.SumPositions) != l.Positions || tally.Sum(counting.SumClasses) != l.Classes {
				t.Fatalf("layer %d: %v of %v positions", n, tally.Sum(counting.SumPositions), l.Positions)
			}
			for what, want := range map[string]*big.Rat{
				counting.SumPaths: l.ExactMet, counting.SumEnded: l.ExactEnded,
			} {
				got := new(big.Rat).SetFrac(tally.Sum(what).Big(), big.NewInt(1))
				got.Sub(got, new(big.Rat).Mul(want, new(big.Rat).SetFrac(new(big.Int).SetUint64(unit), big.NewInt(1))))
				if got.Cmp(new(big.Rat).SetInt64(int64(gains))) > 0 || got.Cmp(new(big.Rat).SetInt64(-int64(losses))) < 0 {
					t.Fatalf("layer %d, %s: error %v, lost %d, gained %d", n, what, got, losses, gains)
				}
			}
			losses += tally.Sum(counting.SumLost).Lo
			gains += tally.Sum(counting.SumGained).Lo
			endings += tally.Sum(counting.SumEnded).Lo
		}
		if endings+losses != unit+gains {
			t.Fatalf("%d ended and %d were lost, of %d and %d gained", endings, losses, unit, gains)
		}
		gained, lost = gained || gains > 0, lost || losses > 0
	})
	if !gained || !lost {
		t.Errorf("gained %v, lost %v", gained, lost)
	}
}

// TestEnglish compares the centre game of the English board with a program in C++ of its own: sorted lists of the least
// of eight images of each position on a 7x7 grid, chances in long double, of which some seventeen digits are right.
func TestEnglish(t *testing.T) {
	if testing.Short() {
		t.Log("NOT RUN: it takes seconds, and minutes under the race detector")
		return
	}
	c, err := New(countingtest.Problem(t, "english", "center", "center", 1<<22))
	if err != nil {
		t.Fatal(err)
	}
	run, err := memrun.Tallies(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.ReportOf(run)
	if err != nil {
		t.Fatal(err)
	}
	for pegs, want := range english {
		if least, most := r.Pegs(pegs).Ended.Ends(); least[:len(want)] != want || most[:len(want)] != want {
			t.Errorf("%d pegs: %s to %s, want %s", pegs, least, most, want)
		}
	}
	if least, _ := r.Goal.Ends(); !strings.HasPrefix(least, englishGoal) {
		t.Errorf("goal: %s", least)
	}
	if width, _ := r.Sum.Most.Sub(r.Sum.Least); r.Sum.Most != one || width.Cmp(uint128.From(1e9)) > 0 {
		t.Errorf("all endings: %v to %v", r.Sum.Least, r.Sum.Most)
	}
}

// The chances that games of the English board end with so many pegs, and at the centre, cut after sixteen digits.
var english = map[int]string{
	26: "0.007407407407407407", 22: "0.000009743480725623582",
	21: "0.00006899908590402385", 19: "0.00005723040738091170",
	18: "0.0001075708489277397", 17: "0.0002660738056099977",
	16: "0.0001735324926172138", 15: "0.0006637137076262473",
	14: "0.001440117289524143", 13: "0.004135528700277572",
	12: "0.009860189880832054", 11: "0.02548455820903394",
	10: "0.07654349155073072", 9: "0.1504401824985465",
	8: "0.1995818521074477", 7: "0.2466511101751001",
	6: "0.1634657710483570", 5: "0.07988289609350419",
	4: "0.03067160560336058", 3: "0.003010708417795060",
	2: "0.00007769021165188045", 1: "0.00000002697763915178402",
}

const englishGoal = "0.00000001348881957589201"
