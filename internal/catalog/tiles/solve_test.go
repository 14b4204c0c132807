package tiles

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/puzzle/figure"
)

func solved(t *testing.T, text string, colours int, limits SolveLimits) *Solution {
	t.Helper()
	sol, err := Solve(context.Background(), mustParse(t, text, colours), limits)
	if err != nil {
		t.Fatal(err)
	}
	return sol
}

// TestPlayIsLegal replays games with nothing but the rules, on letters.
func TestPlayIsLegal(t *testing.T) {
	for _, c := range []struct {
		grid    string
		colours int
	}{{"RVRV/BWBW/RVRV/BWBW", 5}, {"BRBR/JWVW/VBRJ/JWVB", 5}, {"RVB/JWR", 6}, {"01010/23232/01010/23232/01010", 5}} {
		sol := solved(t, c.grid, c.colours, SolveLimits{Finals: 3})
		near := Shape{sol.Rows, sol.Cols, c.colours}.neighbours()
		now := []byte(strings.ReplaceAll(sol.Grid, "/", ""))
		covered := map[int]bool{}
		for _, s := range sol.Play {
			i := s.Row*sol.Cols + s.Col
			if covered[i] || string(now[i]) != s.Covers || s.Tile == s.Covers {
				t.Fatalf("%s: %v cannot be played", c.grid, s)
			}
			for _, j := range near[i] {
				if string(now[j]) == s.Tile {
					t.Fatalf("%s: %v is next to its own colour", c.grid, s)
				}
			}
			covered[i] = true
			now[i] = s.Tile[0]
			if strings.ReplaceAll(s.Grid, "/", "") != string(now) {
				t.Fatalf("%s: after %v the grid is %s", c.grid, s, now)
			}
		}
		if len(covered) != len(now) || strings.ReplaceAll(sol.List[0].Grid, "/", "") != string(now) {
			t.Errorf("%s: the game ends in %s after %d tiles, want %s", c.grid, now, len(covered), sol.List[0].Grid)
		}
	}
}

// TestTurnsRespectOrder checks the first order of play of every final against its pairs.
func TestTurnsRespectOrder(t *testing.T) {
	sol := solved(t, "RVRV/BWBW/RVRV/BWBW", 5, SolveLimits{})
	for _, f := range sol.List {
		for _, p := range f.Before {
			if f.Turns[p[0].Row*4+p[0].Col] >= f.Turns[p[1].Row*4+p[1].Col] {
				t.Errorf("%s: %v is not before %v", f.Grid, p[0], p[1])
			}
		}
	}
}

func TestPermutationsAreFound(t *testing.T) {
	sol := solved(t, "BRBR/JWVW/VBRJ/JWVB", 5, SolveLimits{})
	want := map[string]bool{"WVWV/BRJR/JWVB/BRJW": true, "JWJW/VBRB/RJWV/VBRJ": true}
	for _, f := range sol.List {
		if f.Permutation != want[f.Grid] {
			t.Errorf("%s: permutation %v", f.Grid, f.Permutation)
		}
	}
}

// TestSolveLimits checks that limits shorten lists and change nothing else.
func TestSolveLimits(t *testing.T) {
	all := solved(t, "RVRV/BWBW/RVRV/BWBW", 5, SolveLimits{})
	few := solved(t, "RVRV/BWBW/RVRV/BWBW", 5, SolveLimits{Finals: 5})
	if few.Finals != "136" || len(few.List) != 5 || few.Orders != "" || !reflect.DeepEqual(few.List, all.List[:5]) ||
		!reflect.DeepEqual(few.Tiles, all.Tiles) || !reflect.DeepEqual(few.Play, all.Play) {
		t.Errorf("with a limit of 5: %d listed, %s finals, orders %q", len(few.List), few.Finals, few.Orders)
	}
	tight := solved(t, "RVRV/BWBW/RVRV/BWBW", 5, SolveLimits{Finals: 5, Ideals: 3})
	if tight.List[0].Orders != "" || tight.Orders != "" || tight.Finals != "136" {
		t.Errorf("with three ideals: %q orders", tight.List[0].Orders)
	}
	if total := len(all.Tiles); total != 10 {
		t.Errorf("%d tile distributions, want 10", total)
	}
}

func TestSolutionOfUnsolvable(t *testing.T) {
	sol := solved(t, "BRBW/JWVJ/VBRB/JWJV", 5, SolveLimits{})
	text := sol.Text()
	if sol.Finals != "0" || len(sol.List) != 0 || sol.Play != nil || !strings.Contains(text, "final grids  0\n") ||
		strings.Contains(text, "one game") {
		t.Errorf("unsolvable grid: %s", text)
	}
	if f := sol.Picture(0); len(f.Board.Cells) != 16 || f.Board.Cells[0].Inner != figure.None ||
		f.Title != "Initial grid "+sol.Grid {
		t.Errorf("picture of an unsolvable grid: %+v", f)
	}
}

func TestSolutionForms(t *testing.T) {
	sol := solved(t, "BRBR/JWVW/VBRJ/JWVB", 5, SolveLimits{})
	raw, err := json.Marshal(sol)
	if err != nil {
		t.Fatal(err)
	}
	var back Solution
	if err := json.Unmarshal(raw, &back); err != nil || !reflect.DeepEqual(&back, sol) {
		t.Errorf("JSON does not come back as it went (%v): %s", err, raw)
	}
	text := sol.Text()
	for _, want := range []string{"final grids  4\n", "orders       229308\n", "cells        B4 R3 J3 W3 V3\n", "rank 587",
		"VBJB    1  3  2  4\n", ", 14925 orders of play, the initial grid with its colours permuted",
		"one game, to final 1\n  1  r0c3  J covers R"} {
		if !strings.Contains(text, want) {
			t.Errorf("text lacks %q:\n%s", want, text)
		}
	}
	for i := range 4 {
		f := sol.Picture(i)
		tiles := strings.ReplaceAll(sol.List[i].Grid, "/", "")
		if len(f.Board.Cells) != 16 {
			t.Fatalf("picture %d has %d cells, want 16", i, len(f.Board.Cells))
		}
		for c, cell := range f.Board.Cells {
			if cell.Row != float64(c/4) || cell.Column != float64(c%4) || cell.Label != tiles[c:c+1] ||
				cell.Fill != colourNamed(cell.Corner) || cell.Inner != colourNamed(cell.Label) {
				t.Errorf("picture %d, cell %d: %+v", i, c, cell)
			}
		}
	}
}

// colourNamed is the colour that a letter of the source's grids stands for.
func colourNamed(letter string) figure.Colour {
	return map[string]figure.Colour{
		"R": figure.Red, "B": figure.Blue, "V": figure.Green, "W": figure.White, "J": figure.Yellow,
	}[letter]
}

// TestHues demands a colour of its own for every letter, whichever they are.
func TestHues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.StringOfN(rapid.RuneFrom([]rune("ABCRVWJGYOPKN0123")), 6, 6, -1).
			Filter(func(s string) bool { // all different
				for i := range s {
					if strings.Count(s, s[i:i+1]) > 1 {
						return false
					}
				}
				return true
			}).Draw(t, "letters")
		seen := map[figure.Colour]string{}
		of := hues(letters)
		for i := range letters {
			c := of[letters[i]]
			if other, ok := seen[c]; ok || c == figure.None {
				t.Fatalf("%s: %c has the colour %q of %q", letters, letters[i], c, other)
			}
			seen[c] = letters[i : i+1]
		}
	})
}
