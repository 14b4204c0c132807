package setting

import (
	"testing"

	"pgregory.net/rapid"
)

// slowDistance follows the definition.
func slowDistance(a, b string) int {
	if a == "" || b == "" {
		return len(a) + len(b)
	}
	d := slowDistance(a[1:], b[1:])
	if a[0] != b[0] {
		d++
	}
	return min(d, slowDistance(a[1:], b)+1, slowDistance(a, b[1:])+1)
}

func TestDistance(t *testing.T) {
	word := rapid.StringMatching(`[abc]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		if got, want := distance(a, b), slowDistance(a, b); got != want {
			t.Fatalf("distance(%q, %q) = %d, want %d", a, b, got, want)
		}
	})
}
