package peg_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
)

// TestParseGoals reads every kind of goals in the forms of people and in that of the program.
func TestParseGoals(t *testing.T) {
	english, triangle := pegtest.Named(t, "english"), pegtest.Named(t, "triangle5")
	for _, c := range []struct {
		board  *peg.Board
		texts  []string // of one set; the last one is the form of the program
		number uint64
	}{
		{english, []string{"Any", "any peg", " any single peg ", "one-peg", "single_peg", "any"}, 33},
		{english, []string{"At most 3", "<=3", "<= 3 pegs", "≤3", "at-most-3-pegs", "at-most-3"}, 33 + 528 + 5456},
		{english, []string{"images(center)", "center", "--...--/--...--/......./...o.../......./--...--/--...--"}, 1},
		{english, []string{"images(r0c2)", "Images of ( 1 )",
			"images(--o../--.../......./......./......./--.../--...)"}, 8},
		{english, []string{"  ...\n  ...\n.......\n..?o?..\n.......\n  ...\n  ...",
			"--.../--.../......./..?o?../......./--.../--..."}, 4},
		{english, []string{"fewest pegs", "fewest-pegs"}, 1<<33 - 1},
		{triangle, []string{"dead end", "DEAD", "dead-ends", "dead"}, 1<<15 - 1},
		{triangle, []string{"dead end with at least 14 pegs", "dead-at-least-14"}, 16},
		{triangle, []string{"most_pegs", "shortest dead end", "most-pegs"}, 1<<15 - 1},
		{triangle, []string{"?/../.../..../.....", "----?/---.-./--.-.-./-.-.-.-./.-.-.-.-."}, 1},
		{triangle, []string{"images(?/../.../..../....?)", "images(----?/---.-./--.-.-./-.-.-.-./.-.-.-.-?)"}, 6},
	} {
		want := c.texts[len(c.texts)-1]
		for _, text := range c.texts {
			g, err := peg.ParseGoals(c.board, text)
			if err != nil {
				t.Errorf("%q: %v", text, err)
				continue
			}
			_, only := g.Only()
			if s := g.String(); s != want && (!only || c.number != 1) {
				t.Errorf("%q is written %q, want %q", text, s, want)
			}
			if n := g.Number(); n != c.number {
				t.Errorf("%q: %d goals, want %d", text, n, c.number)
			}
		}
	}
	for text, says := range map[string]string{
		"at-most-0": "from 1 to 33", "<=34": "from 1 to 33", "dead-at-least-40": "from 1 to 33", "at-most-x": "want center",
		"images(any)": "want center", "images()": "want center", "??": "has not", "most": "want center",
		"--...--/--...--/......./......./......./--...--/--...--": "", "anything": "want center",
	} {
		_, err := peg.ParseGoals(english, text)
		if says == "" {
			if err != nil {
				t.Errorf("%q: %v: the empty position is refused where a start is known", text, err)
			}
			continue
		}
		if !errors.Is(err, peg.ErrPosition) || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
	for _, parse := range []func(*peg.Board, string) (peg.Position, error){peg.ParseStart, peg.ParseGoal} {
		if _, err := parse(triangle, "?/oo/ooo/oooo/ooooo"); !errors.Is(err, peg.ErrPosition) ||
			!strings.Contains(err.Error(), "several positions") {
			t.Errorf("a drawing with ? as one position: %v", err)
		}
	}
	if b, err := peg.Draw("d", peg.Square, "o?o"); err == nil {
		t.Errorf("a board with a ? is %s", peg.FormatLine(b, b.Full()))
	}
}

// TestGoalsAgainstAllPositions compares sets with a look at every position of random boards: members, their number and
// their list. The text of a set reads as the same set.
func TestGoalsAgainstAllPositions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := pegtest.Board(3, 10).Draw(t, "board")
		p := peg.Position(rapid.Uint64().Draw(t, "pegs")) & b.Full()
		either := peg.Position(rapid.Uint64().Draw(t, "either")) & b.Full()
		drawn := []byte(peg.FormatLine(b, p))
		hole := 0
		for i, c := range drawn {
			if c == 'o' || c == '.' {
				if either.Has(hole) {
					drawn[i] = '?'
				}
				hole++
			}
		}
		k := rapid.IntRange(1, b.Size()).Draw(t, "k")
		fits := func(q peg.Position) bool { return (p^q)&^either == 0 }
		for text, has := range map[string]func(q peg.Position) bool{
			string(drawn): fits,
			"images(" + string(drawn) + ")": func(q peg.Position) bool {
				return slices.ContainsFunc(b.Symmetries(), func(g peg.Perm) bool { return fits(g.Apply(q)) })
			},
			"any":                              func(q peg.Position) bool { return q.Pegs() == 1 },
			"at-most-" + strconv.Itoa(k):       func(q peg.Position) bool { return q.Pegs() <= k },
			"dead":                             func(q peg.Position) bool { return !moves(b, q) },
			"dead-at-least-" + strconv.Itoa(k): func(q peg.Position) bool { return q.Pegs() >= k && !moves(b, q) },
		} {
			g, err := peg.ParseGoals(b, text)
			if err != nil {
				if p&^either == 0 && either == 0 {
					continue // the empty position
				}
				t.Fatalf("%s: %v", text, err)
			}
			again, err := peg.ParseGoals(b, g.String())
			if err != nil || again.String() != g.String() {
				t.Fatalf("%s is written %s, which is read as %s, %v", text, g, again, err)
			}
			var want []peg.Position
			for q := peg.Position(1); q <= b.Full(); q++ {
				if has(q) != g.Has(q) || g.Has(q) != again.Has(q) {
					t.Fatalf("%s has %s: %v", text, peg.FormatLine(b, q), g.Has(q))
				}
				if g.Dead = false; g.Has(q) {
					want = append(want, q)
				}
				g.Dead = again.Dead
			}
			list := slices.Collect(g.All())
			if !slices.IsSortedFunc(list, func(p, q peg.Position) int { return p.Pegs() - q.Pegs() }) {
				t.Fatalf("%s: %v is not in order of pegs", text, list)
			}
			if slices.Sort(list); !slices.Equal(list, want) || g.Number() != uint64(len(want)) {
				t.Fatalf("%s: %d goals %v, want %v", text, g.Number(), list, want)
			}
		}
	})
}

func moves(b *peg.Board, p peg.Position) bool {
	for _, j := range b.Jumps {
		if p.Has(int(j.From)) && p.Has(int(j.Over)) && !p.Has(int(j.To)) {
			return true
		}
	}
	return false
}
