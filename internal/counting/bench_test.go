package counting

import "testing"

// BenchmarkEnglish counts all games of the English board with its windows in memory: the kernel alone.
func BenchmarkEnglish(b *testing.B) {
	for range b.N {
		g := newGames(b, "english", "center", "center", 0)
		m := newMemory(true)
		play(b, g, m)
		if got := fact(b, g, m, "games"); got != "577116156815309849672" {
			b.Fatal(got)
		}
	}
}
