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
