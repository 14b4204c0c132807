package solitaire

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pagoda/internal/counting/countingtest"
	"pagoda/internal/counting/games"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
	"pagoda/internal/puzzle/setting"
)

// textFact is the value of a fact that is a text.
func textFact(t *testing.T, a *puzzle.Answer, name string) string {
	t.Helper()
	for _, f := range a.Summary.Facts {
		if f.Name == name {
			return f.Value.S
		}
	}
	t.Fatalf("the answer does not say %s", name)
	return ""
}

// byPegs returns a column of a table by pegs.
func byPegs(t *testing.T, a *puzzle.Answer, table, column string) map[string]string {
	t.Helper()
	list := map[string]string{}
	for i := range a.Summary.Tables {
		tab := &a.Summary.Tables[i]
		if tab.Name != table {
			continue
		}
		pegs, at := -1, -1
		for k, c := range tab.Columns {
			switch c.Name {
			case "pegs":
				pegs = k
			case column:
				at = k
			}
		}
		for _, row := range tab.Rows {
			list[row[pegs].N.String()] = tab.Columns[at].Kind.Plain(row[at])
		}
	}
	if len(list) == 0 {
		t.Fatalf("no column %s of table %s", column, table)
	}
	return list
}

// TestChanceOfTriangle compares the games of the triangle of 15 holes by their number of pegs with a published count:
// github.com/jeengland/peg_game has the numbers of games from the corner, and their shares.
func TestChanceOfTriangle(t *testing.T) {
	a := puzzletest.Ask(t, &chanceQuestion, map[string]string{"board": "triangle5", "simulate": "2000", "seed": "7"},
		"a1", "a1")
	for name, want := range map[string]string{"games": "568630", "games_one_peg": "29760", "solutions": "6816"} {
		if got := fact(t, a, name); got != want {
			t.Errorf("%s %s, want %s", name, got, want)
		}
	}
	for pegs, want := range map[string]string{"1": "29760", "2": "139614", "3": "259578", "4": "123664", "5": "14844",
		"6": "844", "7": "324", "8": "2"} {
		if got := byPegs(t, a, "layers", "games_ended")[pegs]; got != want {
			t.Errorf("%s pegs: %s games, want %s", pegs, got, want)
		}
	}
	for pegs, want := range map[string]string{"1": "0.0523", "2": "0.2455", "3": "0.4565", "4": "0.2175", "5": "0.0261"} {
		if got := byPegs(t, a, "endings", "of_games")[pegs]; rounded(got, len(want)) != want {
			t.Errorf("%s pegs: a share of %s, published %s", pegs, got, want)
		}
	}
	if f := textFact(t, a, "one_peg_fraction"); f != "232443128903009/33875167334400000" {
		t.Errorf("one peg: %s", f)
	}
	for _, name := range []string{"all_endings_least", "all_endings_most"} {
		if sum := textFact(t, a, name); sum != "1" {
			t.Errorf("%s: %s", name, sum)
		}
	}
	total := 0
	for i := range a.Summary.Tables {
		if tab := &a.Summary.Tables[i]; tab.Name == "simulated" {
			for _, row := range tab.Rows {
				total += int(row[1].N.Lo)
			}
		}
	}
	if total != 2000 || fact(t, a, "simulated_games") != "2000" {
		t.Errorf("%d games were played", total)
	}
}

// rounded rounds a decimal to so many characters.
func rounded(decimal string, n int) string {
	digits := []byte(decimal[:n])
	for i := n - 1; decimal[n] >= '5' && i > 1; i-- {
		if digits[i]++; digits[i] <= '9' {
			break
		}
		digits[i] = '0'
	}
	return string(digits)
}

// TestChanceOfEnglish asks about the centre game of the English board. Its source says that 1 in 14,124 games is a
// solution, and that games meet 2.27 and 1.78 percent of the positions with 16 and 17 pegs.
func TestChanceOfEnglish(t *testing.T) {
	if testing.Short() {
		t.Log("NOT RUN: it takes seconds, and minutes under the race detector")
		return
	}
	a := puzzletest.Ask(t, &chanceQuestion, nil, "center", "center")
	if text := a.Sections[0].Text; !strings.Contains(text, "; to the goal: 40861647040079968, 1 in 14124.") {
		t.Error(text)
	}
	for pegs, want := range map[string]string{"16": "0.0227", "17": "0.0178"} {
		if got := byPegs(t, a, "endings", "of_positions")[pegs]; rounded(got, len(want)) != want {
			t.Errorf("%s pegs: %s, published %s", pegs, got, want)
		}
	}
	if got := a.Title; got != "one peg: 0.00000002697763915, 1 in 37067736; the goal: 0.00000001348881958, 1 in 74135472" {
		t.Error(got)
	}
}

// TestChanceLimits names a run for problems that are too large without one, whatever the reason.
func TestChanceLimits(t *testing.T) {
	for board, hint := range map[string]string{
		"french":    "--set board=french --set start=--.oo/-ooooo/ooooooo/ooooooo/ooooooo/-ooooo/--ooo --set goal=",
		"hexagon61": "--set board=hexagon61 ",
		"oooooooo/oooooooo/oooooooo/oooooooo/oooooooo/oooooooo": "--set board= --set drawing=oooooooo/",
	} {
		r, err := chanceQuestion.Request([]string{"a1"}, map[string]string{"board": board})
		if board == "french" {
			r, err = chanceQuestion.Request([]string{"r0c2"}, map[string]string{"board": board})
		}
		if err != nil {
			t.Fatal(err)
		}
		_, err = chanceQuestion.Answer(context.Background(), r)
		var flag *setting.Error
		if !errors.As(err, &flag) || flag.Setting != argPosition || !strings.Contains(flag.Hint, hint) ||
			!strings.HasPrefix(flag.Hint, "coordinator run configs/english-chances.yaml --set ") {
			t.Errorf("%s: %v, %+v", board, err, flag)
		}
	}
	r, err := chanceQuestion.Request([]string{"a1"}, map[string]string{"board": "triangle6"})
	if err != nil {
		t.Fatal(err)
	}
	r.Memory = 1 << 20
	if _, err := chanceQuestion.Answer(context.Background(), r); !errors.Is(err, errTooMany) ||
		!strings.HasSuffix(err.Error(), "and this server has 1 for an answer") {
		t.Errorf("a server with a megabyte: %v", err)
	}
	p, err := games.New(countingtest.Params(t, "triangle4", "r1c0"))
	if err != nil {
		t.Fatal(err)
	}
	notAsked(t, &chanceQuestion, p)
}
