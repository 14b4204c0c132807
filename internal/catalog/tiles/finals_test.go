package tiles

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"pagoda/internal/puzzle/uint128"

	"pgregory.net/rapid"
)

// TestBlockFinals checks the counts of the block method's tables: 4! with one free colour; with two, 2*4! with one
// chain and L(4,2)*2! = 72 with two (Lah numbers).
func TestBlockFinals(t *testing.T) {
	for colours, want := range map[int]int{5: 24, 6: 120} {
		if got := len(blockFinals([4]uint8{3, 0, 4, 1}, colours)); got != want {
			t.Errorf("%d colours: a block has %d finals, want %d", colours, got, want)
		}
	}
	for _, b := range blockFinals([4]uint8{0, 1, 2, 3}, 5) {
		for x := range 4 {
			for y := range x {
				if o := b.order(x, y); o != 1 && o != 2 {
					t.Fatalf("with five colours the order of cells %d and %d of %v is not forced", x, y, b.f)
				}
			}
		}
	}
}

// TestPublishedGrids are the grids that the source studied, with the number of finals and orders of play found since.
func TestPublishedGrids(t *testing.T) {
	for _, c := range []struct {
		grid, finals, orders string
		first                []string
	}{
		{"RVRV/BWBW/RVRV/BWBW", "136", "681857152", nil},
		{"BRBR/JWVW/VBRJ/JWVB", "4", "229308",
			[]string{"WVWV/BRJR/JWVB/BRJW", "JWJW/VBRB/RJWV/VBRJ", "RJRJ/VBWB/RJVR/VBWJ", "VBJB/WRWR/JVJB/RBRW"}},
		{"BRBW/JWVJ/VBRB/JWJV", "0", "0", nil},
		{"VRBR/JWVW/RBRB/VWVJ", "9", "4982592", nil},
		{"VRBR/JWVW/RBRB/JWVJ", "7", "2641385", nil},
	} {
		g := mustParse(t, c.grid, 5)
		sol, err := Solve(context.Background(), g, SolveLimits{})
		if err != nil {
			t.Fatal(err)
		}
		if sol.Finals != c.finals || sol.Orders != c.orders || sol.Cyclic != "0" {
			t.Errorf("%s: %s finals, %s orders, %s cyclic, want %s and %s", c.grid, sol.Finals, sol.Orders, sol.Cyclic,
				c.finals, c.orders)
		}
		listed := map[string]string{}
		for _, f := range sol.List {
			listed[f.Grid] = f.Orders
		}
		for _, f := range c.first {
			if listed[f] == "" {
				t.Errorf("%s: final %s is missing", c.grid, f)
			}
		}
		if c.first != nil && listed[c.first[0]] != "14925" {
			t.Errorf("%s: %s has %s orders, want 14925", c.grid, c.first[0], listed[c.first[0]])
		}
	}
}

// sameAsPlayed compares the block method with the game: finals, and the number of orders of each.
func sameAsPlayed(t *testing.T, p *player, sv *finalSolver, g *Grid, orders bool) {
	t.Helper()
	played, err := p.play(context.Background(), g)
	if err != nil {
		t.Fatal(err)
	}
	glued := finalsOf(t, sv, &g.cells)
	if len(played) != len(glued) {
		t.Fatalf("%v (%v): %d finals by playing, %d by gluing", g, g.shape, len(played), len(glued))
	}
	for i, f := range played {
		if f.cells != glued[i] {
			t.Fatalf("%v: final %d is %s by playing, %s by gluing", g, i, g.write(&f.cells), g.write(&glued[i]))
		}
		if !orders {
			continue
		}
		o, ok := newOrder(g.shape, &g.cells, &f.cells)
		if !ok {
			t.Fatalf("%v: %s is reached and has no order", g, g.write(&f.cells))
		}
		n, err := o.count(0, nil)
		if err != nil || n.Cmp(f.Orders) != 0 {
			t.Fatalf("%v: %s has %v orders by playing, %v by its ideals (%v)", g, g.write(&f.cells), f.Orders, n, err)
		}
	}
}

// TestPlayedAndGlued compares the two ways on every grid up to colours, for all sizes to 3x4. Of 4x4 and, with six
// colours, of the sizes to 3x3 it takes the canonical grids. In short mode it takes canonical grids only.
func TestPlayedAndGlued(t *testing.T) {
	for _, s := range []Shape{{2, 2, 5}, {2, 3, 5}, {3, 2, 5}, {2, 4, 5}, {4, 2, 5}, {3, 3, 5}, {3, 4, 5}, {4, 3, 5},
		{4, 4, 5}, {2, 2, 6}, {2, 3, 6}, {3, 2, 6}, {2, 4, 6}, {3, 3, 6}} {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			sv, err := newSolver(s)
			if err != nil {
				t.Fatal(err)
			}
			syms, player := s.symmetries(), newPlayer()
			w := newWalk(s, mustCensus(t, s).unrank(uint128.Uint128{}))
			for more := true; more; more = w.next() {
				if _, ok := canonical(syms, &w.grid); ok || s.Colours == 5 && s.Rows*s.Cols < 16 && !testing.Short() {
					sameAsPlayed(t, player, sv, plain(s, w.grid), ok && s.Colours == 5)
				}
			}
		})
	}
}

// TestPlayedAndGluedSample does the same on random grids of shapes too large for all.
func TestPlayedAndGluedSample(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd, player := rand.New(rand.NewPCG(seed, 0)), newPlayer()
	for _, c := range []struct {
		shape Shape
		grids int
	}{{Shape{4, 5, 5}, 20}, {Shape{5, 4, 5}, 10}, {Shape{2, 8, 5}, 6}, {Shape{6, 3, 5}, 10},
		{Shape{3, 6, 5}, 10}, {Shape{2, 5, 6}, 2}} {
		census := mustCensus(t, c.shape)
		sv, err := newSolver(c.shape)
		if err != nil {
			t.Fatal(err)
		}
		for range c.grids {
			g := census.unrank(uint128.From(rnd.Uint64N(census.UpToColours().Lo)))
			sameAsPlayed(t, player, sv, plain(c.shape, g), c.shape.Colours == 5)
		}
	}
}

// TestSolverPasses checks that neither cutting levels short, nor the order of the cells, nor the grids solved before
// change the finals.
func TestSolverPasses(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := shapes(20).Draw(rt, "shape")
		if s.Colours == 6 {
			s.Rows, s.Cols = min(s.Rows, 3), min(s.Cols, 3)
		}
		c := mustCensus(t, s)
		reference, err := newTransposedSolver(s, false)
		if err != nil {
			t.Fatal(err)
		}
		other, err := newTransposedSolver(s, rapid.Bool().Draw(rt, "turned"))
		if err != nil {
			t.Fatal(err)
		}
		other.limit = rapid.IntRange(1, 200).Draw(rt, "limit")
		w := newWalk(s, drawGrid(rt, c))
		for range rapid.IntRange(1, 4).Draw(rt, "grids") {
			want, got := finalsOf(t, reference, &w.grid), finalsOf(t, other, &w.grid)
			if !slices.Equal(got, want) || other.cyclic != reference.cyclic {
				rt.Fatalf("%s: %d finals and %d cyclic, want %d and %d", s.write(&w.grid, plainLetters), len(got),
					other.cyclic, len(want), reference.cyclic)
			}
			for range rapid.IntRange(1, 50).Draw(rt, "skipped") {
				w.next()
			}
			reference.shared = -1
		}
	})
}

func TestSolveIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	g := mustParse(t, "01010101/23232323/01010101/23232323/01010101", 6)
	if _, err := Solve(ctx, g, SolveLimits{Finals: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled solve: %v", err)
	}
	if _, err := Play(ctx, mustParse(t, "0101/2323/0101/2323", 6)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled play: %v", err)
	}
}

// TestHistograms are the complete histograms of the smallest shapes: number of finals, classes.
func TestHistograms(t *testing.T) {
	for s, want := range map[Shape]map[uint64]uint64{
		{2, 2, 5}: {24: 1},
		{2, 3, 5}: {32: 2, 44: 2},
		{3, 3, 5}: {8: 1, 10: 1, 11: 1, 14: 1, 16: 1, 20: 1, 22: 1, 24: 1, 27: 1, 32: 1, 36: 1, 38: 1, 40: 1, 52: 1, 64: 1},
	} {
		got := map[uint64]uint64{}
		r := runSurvey(t, Params{Rows: s.Rows, Cols: s.Cols, Colours: s.Colours})
		for _, b := range r.blocks {
			for _, n := range b.Column(colFinals) {
				got[n]++
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("%v: histogram %v, want %v", s, got, want)
		}
	}
}
