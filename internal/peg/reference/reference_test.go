package reference_test

import (
	"math/big"
	"testing"

	"pagoda/internal/peg"
	"pagoda/internal/peg/reference"
)

// TestTriangle15 compares with published counts of the 15-hole triangle, for each vacancy up to symmetry; solutions end
// with one peg anywhere.
func TestTriangle15(t *testing.T) {
	b := board(t, "triangle5")
	for _, want := range []struct {
		start            string
		positions        int
		solutions, games int64
	}{
		{"r0c0", 3016, 29760, 568630},
		{"r1c0", 2377, 14880, 294543},
		{"r2c0", 4237, 85258, 1149568},
		{"r2c1", 1651, 1550, 137846},
	} {
		layers := reference.Play(b, start(t, b, want.start), -1)
		if got := reference.Positions(layers); got != want.positions {
			t.Errorf("%s: %d positions, want %d", want.start, got, want.positions)
		}
		if got := reference.Games(layers); got.Cmp(big.NewInt(want.games)) != 0 {
			t.Errorf("%s: %v games, want %d", want.start, got, want.games)
		}
		solutions := new(big.Int)
		for i := range b.Size() {
			solutions.Add(solutions, reference.Solutions(layers, 1<<i))
		}
		if solutions.Cmp(big.NewInt(want.solutions)) != 0 {
			t.Errorf("%s: %v solutions, want %d", want.start, solutions, want.solutions)
		}
	}
}

// TestTriangle10 finds the only problem of the 10-hole triangle, up to symmetry, that goes from one vacancy to one peg.
func TestTriangle10(t *testing.T) {
	b := board(t, "triangle4")
	group := b.Symmetries()
	hole := func(row, col int) peg.Position {
		i, ok := b.Hole(row, col)
		if !ok {
			t.Fatal("no such hole")
		}
		return 1 << i
	}
	solvable := 0
	for s := range b.Size() {
		layers := reference.Play(b, b.Complement(1<<s), -1)
		for g := range b.Size() {
			n := reference.Solutions(layers, 1<<g)
			// The images of the one problem, and nothing else, have solutions.
			image := false
			for _, m := range group {
				image = image || m.Apply(hole(1, 0)) == 1<<s && m.Apply(hole(1, 1)) == 1<<g
			}
			want := int64(0)
			if image {
				want, solvable = 14, solvable+1
			}
			if n.Cmp(big.NewInt(want)) != 0 {
				t.Errorf("from %s to %s: %v solutions, want %d", b.HoleName(s), b.HoleName(g), n, want)
			}
		}
	}
	if solvable != 6 {
		t.Errorf("%d solvable problems, want 6", solvable)
	}
}

// TestEnglishOpening compares the first layers of the English board from the centre with known ones.
func TestEnglishOpening(t *testing.T) {
	b := board(t, "english")
	group := peg.Stabiliser(b.Symmetries(), start(t, b, "center"))
	want := []struct {
		classes, positions int
		paths              int64
		dead               int
		ended              int64
	}{
		{1, 1, 1, 0, 0},
		{1, 4, 4, 0, 0},
		{2, 12, 12, 0, 0},
		{8, 60, 60, 0, 0},
		{39, 296, 400, 0, 0},
		{171, 1338, 2960, 0, 0},
		{719, 5648, 24600, 4, 32},
		{2757, 21842, 221072, 0, 0},
		{9751, 77559, 2076744, 0, 0},
		{31312, 249690, 20123080, 0, 0},
	}
	for i, l := range reference.Play(b, start(t, b, "center"), len(want)-1) {
		w := want[i]
		if l.Jumps != i || l.Pegs != 32-i {
			t.Errorf("layer %d: %d jumps, %d pegs", i, l.Jumps, l.Pegs)
		}
		classes := len(l.Classes(group))
		if classes != w.classes || len(l.Paths) != w.positions || len(l.Dead) != w.dead {
			t.Errorf("layer %d: %d classes, %d positions, %d dead; want %d, %d, %d", i, classes, len(l.Paths), len(l.Dead),
				w.classes, w.positions, w.dead)
		}
		if l.Total().Cmp(big.NewInt(w.paths)) != 0 || l.GamesEnded().Cmp(big.NewInt(w.ended)) != 0 {
			t.Errorf("layer %d: %v paths, %v games ended; want %d, %d", i, l.Total(), l.GamesEnded(), w.paths, w.ended)
		}
	}
}

// TestFrenchOpening compares with the positions of the first layers of the French board from the vacancy r0c2.
func TestFrenchOpening(t *testing.T) {
	b := board(t, "french")
	want := []int{1, 2, 6, 32, 173, 919, 4742, 22820, 101116}
	for i, l := range reference.Play(b, start(t, b, "r0c2"), len(want)-1) {
		if len(l.Paths) != want[i] {
			t.Errorf("layer %d: %d positions, want %d", i, len(l.Paths), want[i])
		}
	}
}

// TestWinnable checks the backward marks against a count from each position anew.
func TestWinnable(t *testing.T) {
	b := board(t, "triangle4")
	layers := reference.Play(b, start(t, b, "r1c0"), -1)
	goal, err := peg.ParseGoal(b, "r1c1")
	if err != nil {
		t.Fatal(err)
	}
	marked := 0
	for i, win := range reference.Winnable(b, layers, goal) {
		for p := range layers[i].Paths {
			if got, want := win[p], reference.Solutions(reference.Play(b, p, -1), goal).Sign() > 0; got != want {
				t.Errorf("position %s: winnable %v, want %v", peg.Hex(p), got, want)
			}
		}
		marked += len(win)
	}
	if marked == 0 {
		t.Error("no position is winnable")
	}
}

func board(t *testing.T, name string) *peg.Board {
	t.Helper()
	b, err := peg.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func start(t *testing.T, b *peg.Board, s string) peg.Position {
	t.Helper()
	p, err := peg.ParseStart(b, s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
