package games

import (
	"testing"

	"pagoda/internal/puzzle/puzzletest"
)

// BenchmarkEnglish counts all games of the English board with its windows in memory: the kernel alone.
func BenchmarkEnglish(b *testing.B) {
	for range b.N {
		g := newGames(b, "english", "center", "center", 0)
		m := puzzletest.Play(b, g, puzzletest.Options{Cached: true})
		if got := puzzletest.Fact(b, g, m, "games"); got != "577116156815309849672" {
			b.Fatal(got)
		}
	}
}
