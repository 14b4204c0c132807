package ways

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/counting"
	"pagoda/internal/counting/countingtest"
	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
	"pagoda/internal/peg/reference"
	"pagoda/internal/puzzle/puzzletest"
	"pagoda/internal/puzzle/uint128"
)

// play carries out a run and keeps its rows.
func play(t puzzletest.TB, p counting.Params) (*Puzzle, *puzzletest.Memory) {
	t.Helper()
	th, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return th, puzzletest.Play(t, th, puzzletest.Options{Stored: true, Cached: true})
}

// sequencesBetween counts jump sequences from p to q, in one direction only and without any run.
func sequencesBetween(b *peg.Board, p, q peg.Position) *big.Int {
	if p.Pegs() < q.Pegs() {
		return new(big.Int)
	}
	return reference.Solutions(reference.Play(b, p, p.Pegs()-q.Pegs()), q)
}

// TestPositionEqualsReference: the counts of a position, whether it is reachable, winnable, both or neither, are those
// of playing from the start to it and from it to the goal.
func TestPositionEqualsReference(t *testing.T) {
	met := map[[2]bool]int{}
	pegtest.CheckUntil(t, func() bool { return len(met) == 4 }, func(t *rapid.T) {
		c := drawCase(t)
		th, m := play(t, c.Params)
		for range 5 {
			var p peg.Position
			switch rapid.IntRange(0, 2).Draw(t, "where") {
			case 0: // reachable
				game := pegtest.Play(t, c.Board, c.Start, 12)
				p = game[len(game)-1]
			case 1: // winnable
				game := pegtest.Play(t, c.Board, c.Board.Complement(c.Goal), 12)
				p = c.Board.Complement(game[len(game)-1])
			default:
				p = pegtest.Position(c.Board).Draw(t, "position")
			}
			x, err := th.Position(context.Background(), m, p, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			paths, ways := sequencesBetween(c.Board, c.Start, p), sequencesBetween(c.Board, p, c.Goal)
			met[[2]bool{paths.Sign() > 0, ways.Sign() > 0}]++
			where := peg.Hex(c.Start) + " to " + peg.Hex(c.Goal) + " through " + peg.Hex(p)
			if !x.PathsKnown || x.Paths.Big().Cmp(paths) != 0 || x.Unreachable != "" && paths.Sign() > 0 {
				t.Fatalf("%s: %v paths (known: %v, %s), want %v", where, x.Paths, x.PathsKnown, x.Unreachable, paths)
			}
			if !x.WaysKnown || x.Ways.Big().Cmp(ways) != 0 || x.Unwinnable != "" && ways.Sign() > 0 {
				t.Fatalf("%s: %v ways (known: %v, %s), want %v", where, x.Ways, x.WaysKnown, x.Unwinnable, ways)
			}
			if !x.SolutionsKnown || x.Solutions.Big().Cmp(new(big.Int).Mul(paths, ways)) != 0 {
				t.Fatalf("%s: %v solutions", where, x.Solutions)
			}
			i := 0
			c.Board.Moves(p, func(j peg.Jump) {
				want := sequencesBetween(c.Board, j.Play(p), c.Goal)
				n := x.Next[i]
				if n.Jump != j || !n.WaysKnown || !n.SolutionsKnown || n.Ways.Big().Cmp(want) != 0 ||
					n.Solutions.Big().Cmp(new(big.Int).Mul(paths, want)) != 0 {
					t.Fatalf("%s: jump %v: %+v, want %v ways", where, j, n, want)
				}
				i++
			})
			if i != len(x.Next) {
				t.Fatalf("%s: %d jumps, want %d", where, len(x.Next), i)
			}
		}
	})
	t.Logf("by reachable and winnable: %v", met)
}

// A search that would need too many positions says so and claims nothing.
func TestPositionUnknown(t *testing.T) {
	p := countingtest.Problem(t, "triangle5", "r0c0", "r0c0", 0)
	th, m := play(t, p)
	unknown := 0
	for hole := range p.Board.Size() {
		for _, q := range []peg.Position{1 << hole, 1<<hole | 1<<((hole+1)%15)} {
			x, err := th.Position(context.Background(), m, q, 1)
			if err != nil {
				t.Fatal(err)
			}
			paths := sequencesBetween(p.Board, p.Start, q)
			if x.PathsKnown && x.Paths.Big().Cmp(paths) != 0 || !x.PathsKnown && !x.Paths.IsZero() {
				t.Errorf("%s: %v paths (known: %v), want %v", peg.Hex(q), x.Paths, x.PathsKnown, paths)
			}
			if !x.PathsKnown {
				unknown++
			}
		}
	}
	if unknown == 0 {
		t.Error("every position was known")
	}
}

// TestPositionWithoutSolution asks a run whose problem a criterion forbids, which has no rows. Its counts come from
// playing, and every legal jump is there whether it is counted or not.
func TestPositionWithoutSolution(t *testing.T) {
	b, err := peg.Draw("nine and one", peg.Square, "ooo\nooo\nooo\no--")
	if err != nil {
		t.Fatal(err)
	}
	unknown, winnable := 0, 0
	pegtest.CheckUntil(t, func() bool { return unknown > 0 && winnable > 0 }, func(t *rapid.T) {
		p := counting.Params{Board: b, Start: pegtest.Start(b).Draw(t, "start"), HasGoal: true}
		p.Goal = pegtest.Position(b).Draw(t, "goal")
		problem := peg.Problem{Board: b, Start: p.Start, Goal: p.Goal}
		if _, forbidden := problem.Forbidden(); problem.Check() != nil || !forbidden {
			t.Skip("no problem, or none that is forbidden")
		}
		th, m := play(t, p)
		q := pegtest.Position(b).Draw(t, "position")
		if rapid.Bool().Draw(t, "winnable") {
			game := pegtest.Play(t, b, b.Complement(p.Goal), 12)
			q = b.Complement(game[len(game)-1])
		}
		most := rapid.SampledFrom([]int{1, 2, 1 << 20}).Draw(t, "most")
		x, err := th.Position(context.Background(), m, q, most)
		if err != nil {
			t.Fatal(err)
		}
		check := func(what string, got uint128.Uint128, known bool, want *big.Int) {
			if known && got.Big().Cmp(want) != 0 || !known && (most > 2 || !got.IsZero()) {
				t.Fatalf("%s through %s, at most %d: %v %s (known: %v), want %v", peg.Hex(p.Start), peg.Hex(q), most, got, what,
					known, want)
			}
			if !known {
				unknown++
			}
		}
		check("paths", x.Paths, x.PathsKnown, sequencesBetween(b, p.Start, q))
		check("ways", x.Ways, x.WaysKnown, sequencesBetween(b, q, p.Goal))
		if !x.SolutionsKnown || !x.Solutions.IsZero() || x.NoSolution == "" {
			t.Fatalf("%v solutions (known: %v, %s)", x.Solutions, x.SolutionsKnown, x.NoSolution)
		}
		i := 0
		b.Moves(q, func(j peg.Jump) {
			if x.Next[i].Jump != j {
				t.Fatalf("jump %d is %v, want %v", i, x.Next[i].Jump, j)
			}
			check("ways after a jump", x.Next[i].Ways, x.Next[i].WaysKnown, sequencesBetween(b, j.Play(q), p.Goal))
			i++
		})
		if i != len(x.Next) {
			t.Fatalf("%d jumps, want %d", len(x.Next), i)
		}
		if !x.Ways.IsZero() {
			winnable++
		}
	})
}

// The numbers below the total are all solutions, each once.
func TestSolutionNumbers(t *testing.T) {
	for _, c := range []struct{ board, start, goal string }{
		{"triangle4", "r1c0", "r1c1"}, {"triangle5", "r1c0", "r1c0"}, {"triangle5", "r2c1", "r4c2"},
	} {
		p := countingtest.Problem(t, c.board, c.start, c.goal, 0)
		th, m := play(t, p)
		total, err := th.Total(context.Background(), m)
		if err != nil {
			t.Fatal(err)
		}
		if want := sequencesBetween(p.Board, p.Start, p.Goal); total.Big().Cmp(want) != 0 {
			t.Fatalf("%v solutions, want %v", total, want)
		}
		seen := map[string]bool{}
		for n := range total.Lo {
			jumps, err := th.Solution(context.Background(), m, uint128.From(n))
			if err != nil {
				t.Fatal(err)
			}
			seen[replay(t, p, jumps)] = true
			number, err := th.Listing(m).Number(context.Background(), jumps)
			if err != nil || number != uint128.From(n) {
				t.Errorf("solution %d has the number %v, %v", n, number, err)
			}
			if _, err := th.Listing(m).Number(context.Background(), jumps[:len(jumps)-1]); !errors.Is(err, ErrNotSolution) {
				t.Errorf("a part of it is a solution: %v", err)
			}
		}
		if uint64(len(seen)) != total.Lo {
			t.Errorf("%s to %s: %d different solutions of %v", c.start, c.goal, len(seen), total)
		}
		if _, err := th.Solution(context.Background(), m, total); err == nil {
			t.Error("there is a solution with the number of them all")
		}
	}
}

// replay plays a solution and returns a key for it.
func replay(t testing.TB, p counting.Params, jumps []peg.Jump) string {
	t.Helper()
	at, key := p.Start, ""
	for _, j := range jumps {
		if !j.Legal(at) {
			t.Fatalf("jump %v cannot be played on %s", j, peg.Hex(at))
		}
		at = j.Play(at)
		key += string([]byte{byte(j.From), byte(j.Over), byte(j.To)})
	}
	if at != p.Goal {
		t.Fatalf("the solution ends at %s", peg.Hex(at))
	}
	return key
}

// chiSquare draws solutions and returns the statistic of how often each came, against all of them equally often.
func chiSquare(t testing.TB, p counting.Params, solutions, draws int, draw func() []peg.Jump) float64 {
	t.Helper()
	counts := map[string]int{}
	for range draws {
		counts[replay(t, p, draw())]++
	}
	expected := float64(draws) / float64(solutions)
	x := expected * float64(solutions-len(counts)) // those that never came
	for _, n := range counts {
		x += (float64(n) - expected) * (float64(n) - expected) / expected
	}
	return x
}

// Solutions are drawn uniformly: over 720 solutions the chi-square statistic stays within five standard deviations of
// its mean, with a seed that is fixed. A player who chooses among the jumps that keep a win, each alike, does not.
func TestDrawsAreUniform(t *testing.T) {
	const draws = 10 * 720
	p := countingtest.Problem(t, "triangle5", "r1c0", "r1c0", 0)
	th, m := play(t, p)
	total, err := th.Total(context.Background(), m)
	if err != nil || total.Lo != 720 {
		t.Fatal(total, err)
	}
	random := rand.NewChaCha8([32]byte{1})
	const limit = 719 + 5*37.92 // degrees of freedom, and their doubled root
	fair := chiSquare(t, p, 720, draws, func() []peg.Jump {
		jumps, err := th.Solution(context.Background(), m, Uniform(random, total))
		if err != nil {
			t.Fatal(err)
		}
		return jumps
	})
	biased := chiSquare(t, p, 720, draws, func() []peg.Jump {
		var jumps []peg.Jump
		for at := p.Start; at != p.Goal; at = jumps[len(jumps)-1].Play(at) {
			var keep []peg.Jump
			p.Board.Moves(at, func(j peg.Jump) {
				ways, err := th.waysOnward(context.Background(), rows{m, len(jumps)%2 == 0}, j.Play(at), len(jumps)+1)
				if err != nil {
					t.Fatal(err)
				}
				if !ways.IsZero() {
					keep = append(keep, j)
				}
			})
			jumps = append(jumps, keep[random.Uint64()%uint64(len(keep))])
		}
		return jumps
	})
	t.Logf("chi-square %.1f, of the biased player %.1f, limit %.1f", fair, biased, float64(limit))
	if fair > limit || fair < 719-5*37.92 {
		t.Errorf("chi-square %.1f: solutions are not drawn uniformly", fair)
	}
	if biased <= limit {
		t.Errorf("chi-square %.1f: the test would not notice a bias", biased)
	}
}

// Uniform draws every number below a small limit, and none at or above a large one.
func TestUniform(t *testing.T) {
	random := rand.NewChaCha8([32]byte{2})
	var seen [5]int
	for range 5000 {
		seen[Uniform(random, uint128.From(5)).Lo]++
	}
	for n, times := range seen {
		if times < 850 || times > 1150 { // five standard deviations
			t.Errorf("%d came %d times of 5000", n, times)
		}
	}
	limit := uint128.Uint128{Hi: 5, Lo: 3}
	high := 0
	for range 2000 {
		x := Uniform(random, limit)
		if x.Cmp(limit) >= 0 {
			t.Fatalf("%v is not below %v", x, limit)
		}
		if x.Hi == 4 {
			high++
		}
	}
	if high < 300 || high > 500 { // a fifth
		t.Errorf("the highest fifth came %d times of 2000", high)
	}
}

// Where the pegs of solutions are is where the reference has them.
func TestOccupanciesEqualReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t)
		th, m := play(t, c.Params)
		shares, err := th.Occupancies(context.Background(), m, m.Cells)
		if err != nil {
			t.Fatal(err)
		}
		if len(shares) != len(c.layers) {
			t.Fatalf("%d layers, want %d", len(shares), len(c.layers))
		}
		for n, s := range shares {
			want := make([]*big.Int, c.Board.Size())
			for h := range want {
				want[h] = new(big.Int)
			}
			for p, ways := range c.ways[n] {
				for h := range want {
					if p.Has(h) {
						want[h].Add(want[h], new(big.Int).Mul(ways, c.layers[n].Paths[p]))
					}
				}
			}
			for h := range want {
				if s.Holes[h].Big().Cmp(want[h]) != 0 {
					t.Fatalf("%s to %s after %d jumps, hole %d: %v, want %v", peg.Hex(c.Start), peg.Hex(c.Goal), n, h,
						s.Holes[h], want[h])
				}
			}
		}
	})
}
