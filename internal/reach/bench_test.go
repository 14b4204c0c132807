package reach

import "testing"

// BenchmarkEnglish finds all positions of the English board with its windows in memory: the kernel alone.
func BenchmarkEnglish(b *testing.B) {
	for range b.N {
		r := newReach(b, "english", "center", "", 0)
		m := newMemory(b, false, true)
		m.play(r, true)
		if got := m.fact(r, "positions"); got != "187636299" {
			b.Fatal(got)
		}
	}
}
