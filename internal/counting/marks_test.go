package counting

import (
	"testing"

	"pgregory.net/rapid"
)

// TestMarks marks numbers one by one and by words, wherever these begin, and looks at every range.
func TestMarks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint64Range(1, 400).Draw(t, "numbers")
		m, want := newMarks(n), make([]bool, n)
		for range rapid.IntRange(0, 4).Draw(t, "times") {
			first := rapid.Uint64Range(0, n-1).Draw(t, "first")
			if rapid.Bool().Draw(t, "one") {
				m.set(first)
				want[first] = true
				continue
			}
			some := rapid.SliceOfN(rapid.Bool(), 1, int(n-first)).Draw(t, "some")
			words := make([]uint64, (len(some)+63)/64)
			for i, marked := range some {
				if marked {
					words[i/64] |= 1 << (i % 64)
					want[first+uint64(i)] = true
				}
			}
			m.setAll(first, words)
		}
		for first := range n {
			marked := false
			for last := first; last < n; last++ {
				marked = marked || want[last]
				if m.any(first, last) != marked {
					t.Fatalf("any of %d to %d: %t, want %t", first, last, !marked, marked)
				}
			}
			if m.has(first) != want[first] {
				t.Fatalf("%d is marked: %t", first, !want[first])
			}
		}
	})
}
