package setting

import (
	"strings"
	"testing"
)

func TestQuote(t *testing.T) {
	for text, want := range map[string]string{
		"4":                     `"4"`,
		"a\nb":                  `"a\nb"`,
		strings.Repeat("x", 60): `"` + strings.Repeat("x", 60) + `"`,
		strings.Repeat("x", 61): `"` + strings.Repeat("x", 60) + `..."`,
	} {
		if got := Quote(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{
		strings.Repeat("\x00", 40), strings.Repeat("\xb9", 100_000), strings.Repeat("\u2028", 59),
	} {
		if got := Quote(text); len(got) > 130 || !strings.HasSuffix(got, `..."`) {
			t.Errorf("%.20q: %d bytes: %s", text, len(got), got)
		}
	}
}
