package batch

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pagoda/internal/config"

	"pgregory.net/rapid"
)

// drawBlock draws a block with some of the keys a, b, c, with values of 0 to 3.
func drawBlock(least int) *rapid.Generator[block] {
	return rapid.Custom(func(t *rapid.T) block {
		b := block{at: "entry"}
		keys := rapid.Permutation([]string{"a", "b", "c"}).Draw(t, "keys")
		for _, key := range keys[:rapid.IntRange(least, 3).Draw(t, "axes")] {
			a := axis{key: key}
			for _, v := range rapid.Permutation([]string{"0", "1", "2", "3"}).Draw(t, key)[:rapid.IntRange(1, 3).Draw(t, "n")] {
				a.values = append(a.values, value{text: v})
			}
			b.axes = append(b.axes, a)
		}
		return b
	})
}

// numbered is combination i of a block: its digits in the mixed radix of the axes.
func numbered(b *block, i int) string {
	text := ""
	for k := len(b.axes) - 1; k >= 0; k-- {
		a := &b.axes[k]
		text = a.key + "=" + a.values[i%len(a.values)].text + " " + text
		i /= len(a.values)
	}
	return text
}

func joinedKeys(c *combination) string {
	text := ""
	for _, k := range c.keys {
		text += k.Key + "=" + k.Value + " "
	}
	return text
}

// TestExpand compares the combinations of drawn matrices with those that are counted out.
func TestExpand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := matrix{
			block:   drawBlock(0).Draw(t, "matrix"),
			exclude: rapid.SliceOfN(drawBlock(1), 0, 2).Draw(t, "exclude"),
			include: rapid.SliceOfN(drawBlock(1), 0, 2).Draw(t, "include"),
		}
		var want []string
		if len(m.axes) > 0 {
			for i := range m.size() {
				want = append(want, numbered(&m.block, i))
			}
		}
		idle := false
		for _, e := range m.exclude {
			for i := range e.size() {
				left := slices.DeleteFunc(slices.Clone(want), func(c string) bool {
					for _, key := range strings.Fields(numbered(&e, i)) {
						if !slices.Contains(strings.Fields(c), key) {
							return false
						}
					}
					return true
				})
				idle = idle || len(left) == len(want)
				want = left
			}
		}
		for _, e := range m.include {
			for i := range e.size() {
				want = append(want, numbered(&e, i))
			}
		}
		got, err := m.expand()
		if (err != nil) != idle {
			t.Fatalf("an exclude that excludes nothing: %v; error %v", idle, err)
		}
		if idle {
			return
		}
		var have []string
		for i := range got {
			have = append(have, joinedKeys(&got[i]))
		}
		if !slices.Equal(have, want) {
			t.Fatalf("%q, want %q", have, want)
		}
	})
}

func TestTooManyCombinations(t *testing.T) {
	a := axis{key: "a"}
	for i := range 101 {
		a.values = append(a.values, value{text: fmt.Sprint(i)})
	}
	m := matrix{block: block{axes: []axis{a, a}}}
	if _, err := m.expand(); err == nil || !strings.Contains(err.Error(), "more than 10000 combinations") {
		t.Error(err)
	}
}

func TestNames(t *testing.T) {
	for want, keys := range map[string][]config.Override{
		"english-r3c3":          {{Key: "board", Value: "english"}, {Key: "start", Value: "r3c3"}},
		"colours-4-bricks-3":    {{Key: "colours", Value: "4"}, {Key: "bricks", Value: "3"}},
		"bricks-3-2-2":          {{Key: "bricks", Value: "3,2,2"}},
		"store_ways-true":       {{Key: "store_ways", Value: "true"}},
		"goal":                  {{Key: "goal", Value: ""}},
		"a-b":                   {{Key: "drawing", Value: "A/b"}},
		"mine":                  {{Key: "board", Value: "english"}, {Key: "name", Value: "mine"}},
		strings.Repeat("x", 63): {{Key: "board", Value: strings.Repeat("x", 99)}},
	} {
		if got := (&combination{keys: keys}).name(); got != want {
			t.Errorf("%v: %s, want %s", keys, got, want)
		}
	}
}

// TestNamesAreNames draws values of any text, and demands that their names are names.
func TestNamesAreNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := combination{keys: []config.Override{{Key: "board", Value: rapid.String().Draw(t, "value")}}}
		if name := c.name(); !memberName.MatchString(name) || len(name) > config.MostName {
			t.Fatalf("%q", name)
		}
	})
}
