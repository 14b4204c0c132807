package baseball

import (
	"errors"
	"strings"
	"testing"
)

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"44|0_|11|22|33", "_0|11", "0_|1", "0_|11|2_", "00|_1", "0_|1a", "", "|", "0_||11", "é_|11",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := Parse(s)
		if err != nil {
			if !errors.Is(err, ErrConfiguration) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%q: %v", s, err)
			}
			return
		}
		back, err := Parse(c.String())
		if err != nil || back != c {
			t.Fatalf("%q is read as %v, which is read as %v, %v", s, c, back, err)
		}
		for _, b := range []Board{Ring, Line} {
			for _, m := range c.Moves(b) {
				after := c.After(m)
				if p, err := Parse(after.String()); err != nil || p != after {
					t.Fatalf("%v after %v: %v, %v", c, m, after, err)
				}
				if back := after.After(Move{m.Colour, m.To, m.From}); back != c {
					t.Fatalf("%v after %v and back: %v", c, m, back)
				}
			}
		}
	})
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"0_":                      "one base",
		"0_|1":                    `base 1 is "1"`,
		"0_|1x":                   `base 1 holds "x"; the colours of 2 bases are 0 to 1`,
		"0_|12|12":                "",
		"00|_1":                   "colour 0 has 2 tokens, and must have 1",
		"0_|12|11":                "colour 1 has 3 tokens, and must have 2",
		"0_|1_":                   "2 free places",
		"01|11":                   "0 free places",
		strings.Repeat("11|", 40): "at most 36 bases",
	} {
		_, err := Parse(text)
		switch {
		case want == "" && err != nil, want != "" && err == nil, err != nil && !strings.Contains(err.Error(), want):
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if c, err := Parse("_0|21|21"); err != nil || c.String() != "0_|12|12" {
		t.Errorf("places in any order: %v, %v", c, err)
	}
}

func TestGoal(t *testing.T) {
	for n := 2; n <= MaxNotation; n++ {
		g := Goal(n)
		if p, err := Parse(g.String()); err != nil || p != g || !g.Solved() {
			t.Errorf("%v: %v, %v", g, p, err)
		}
		for _, m := range g.Moves(Ring) {
			if c := g.After(m); c.Solved() {
				t.Errorf("%v is solved", c)
			}
		}
	}
}
