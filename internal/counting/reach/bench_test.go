package reach

import (
	"testing"

	"pagoda/internal/puzzle/puzzletest"
)

// BenchmarkEnglish finds all positions of the English board with its windows in memory: the kernel alone.
func BenchmarkEnglish(b *testing.B) {
	for range b.N {
		r := newReach(b, "english", "center", "", 0)
		m := puzzletest.Play(b, r, puzzletest.Options{Cached: true})
		if got := puzzletest.Fact(b, r, m, "positions"); got != "187636299" {
			b.Fatal(got)
		}
	}
}

// BenchmarkWinnable finds the winnable positions of the English centre game, likewise.
func BenchmarkWinnable(b *testing.B) {
	for range b.N {
		w, err := NewWinnable(newReach(b, "english", "center", "center", 0).params)
		if err != nil {
			b.Fatal(err)
		}
		m := puzzletest.Play(b, w, puzzletest.Options{Cached: true, Hoard: true})
		if got := puzzletest.Fact(b, w, m, "winnable_classes_start_goal"); got != "1679072" {
			b.Fatal(got)
		}
	}
}
