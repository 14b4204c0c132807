package survey

import (
	"testing"

	"pagoda/internal/peg/pegtest"
	"pagoda/internal/puzzle/puzzletest"
)

func BenchmarkOnePeg(b *testing.B) {
	board := pegtest.Named(b, "square5")
	for b.Loop() {
		s, err := New(Params{Board: board, Kind: OnePeg, MostPegs: 6})
		if err != nil {
			b.Fatal(err)
		}
		if err := puzzletest.New(puzzletest.Options{}).Play(b.Context(), s); err != nil {
			b.Fatal(err)
		}
	}
}
