package solitaire

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/puzzletest"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/puzzle/uint128"
)

func settings(t *testing.T, given map[string]string) setting.Values {
	t.Helper()
	v, err := setting.NewSet(append([]setting.Setting{{Name: "name", Default: "x"},
		{Name: "window_addresses", Kind: setting.Integer, Default: "4096", Max: 1 << 40}}, Definition.Settings...), given)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// runOfSolutions returns a run that keeps the solutions through its positions: triangle4, from r1c0 to r1c1.
func runOfSolutions(t *testing.T) puzzle.RunView {
	t.Helper()
	p, err := Definition.New(settings(t, map[string]string{"board": "triangle4", "start": "r1c0", "goal": "r1c1",
		"count": "solutions", "store_ways": "true"}))
	if err != nil {
		t.Fatal(err)
	}
	m := puzzletest.Play(t, p, puzzletest.Options{Cached: true, Stored: true})
	return puzzle.RunView{ID: "r", Puzzle: p, Results: m, Rows: m}
}

// TestOtherRunsAreNotAsked demands that a run which keeps no ways says so, to every question about a run.
func TestOtherRunsAreNotAsked(t *testing.T) {
	p, err := Definition.New(settings(t, map[string]string{"board": "triangle4", "start": "r1c0", "goal": "r1c1"}))
	if err != nil {
		t.Fatal(err)
	}
	for i := range Definition.Questions {
		q := &Definition.Questions[i]
		if q.Needs != puzzle.NeedsNothing {
			notAsked(t, q, p)
		}
	}
}

func TestPercent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.Uint64Range(1, 1<<50).Draw(t, "whole")
		part := rapid.Uint64Range(0, whole).Draw(t, "part")
		got := percent(uint128.From(part), uint128.From(whole))
		exact := new(big.Rat).SetFrac64(int64(part)*100, int64(whole))
		switch got {
		case "<1":
			if part == 0 || exact.Cmp(big.NewRat(1, 2)) >= 0 {
				t.Fatalf("%d of %d is %s", part, whole, got)
			}
		case ">99":
			if part == whole || exact.Cmp(big.NewRat(199, 2)) < 0 {
				t.Fatalf("%d of %d is %s", part, whole, got)
			}
		default:
			shown, ok := new(big.Rat).SetString(got)
			if !ok {
				t.Fatalf("%d of %d is %q", part, whole, got)
			}
			if d := shown.Sub(shown, exact); d.Abs(d).Cmp(big.NewRat(1, 2)) > 0 {
				t.Fatalf("%d of %d is %s", part, whole, got)
			}
			if (got == "0") != (part == 0) || (got == "100") != (part == whole) {
				t.Fatalf("%d of %d is %s", part, whole, got)
			}
		}
	})
}

// TestDrawing demands that every board has its holes at different places, and its pegs where the position has them.
func TestDrawing(t *testing.T) {
	for _, name := range peg.Names() {
		b, err := peg.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		p := b.Full() &^ 1
		at := map[[2]float64]bool{}
		for h, c := range drawing(b, p).Cells {
			if at[[2]float64{c.Row, c.Column}] || c.Column < 0 || c.Row < 0 || (c.Fill == figure.Accent) != p.Has(h) {
				t.Errorf("%s, hole %s: %+v", name, b.Label(h), c)
			}
			at[[2]float64{c.Row, c.Column}] = true
		}
		if len(at) != b.Size() {
			t.Errorf("%s: %d places for %d holes", name, len(at), b.Size())
		}
	}
}
