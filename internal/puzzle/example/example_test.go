package example

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/puzzle/puzzletest"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/puzzle/uint128"
)

// count counts walks from a square by making every move.
func count(side, row, column, moves int) uint64 {
	if row < 0 || row >= side || column < 0 || column >= side {
		return 0
	}
	if moves == 0 {
		return 1
	}
	n := uint64(0)
	for _, dr := range []int{-2, -1, 1, 2} {
		for _, dc := range []int{-2, -1, 1, 2} {
			if dr*dr != dc*dc {
				n += count(side, row+dr, column+dc, moves-1)
			}
		}
	}
	return n
}

func TestWalksAreCounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		side, moves := rapid.IntRange(1, 7).Draw(t, "side"), rapid.IntRange(0, 5).Draw(t, "moves")
		m := puzzletest.New(puzzletest.Options{Stored: true})
		k := &Walks{side: side, moves: moves, window: rapid.Uint64Range(1, 64).Draw(t, "window")}
		if err := m.Play(context.Background(), k); err != nil {
			t.Fatal(err)
		}
		for n := range moves + 1 {
			tally, ok := m.Layer(n)
			if want := uint128.From(count(side, 0, 0, n)); !ok || tally.Sum("walks") != want {
				t.Fatalf("%v walks of %d moves, want %v", tally.Sum("walks"), n, want)
			}
		}
	})
}

func TestSettings(t *testing.T) {
	declared := append([]setting.Setting{{Name: "window_addresses", Kind: setting.Integer, Default: "0"}},
		Definition.Settings...)
	v, err := setting.NewSet(declared, map[string]string{"side": "3"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Definition.New(v)
	if err != nil || p.Identity().Params[0].Value != "3" {
		t.Errorf("%v, %v", p, err)
	}
}
