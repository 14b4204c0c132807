package tiles

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/setting"
)

func tablesOf(t *testing.T, grid string, colours int) []puzzle.Table {
	t.Helper()
	v, err := setting.NewSet(tablesQuestion.Flags, map[string]string{settingColours: fmt.Sprint(colours)})
	if err != nil {
		t.Fatal(err)
	}
	a, err := tablesQuestion.Answer(t.Context(), puzzle.Request{Args: []string{grid}, Flags: v})
	if err != nil {
		t.Fatal(err)
	}
	return a.Summary.Tables
}

// TestTablesAgainstPlay plays a block in every order with every tile, and compares states and orders of cells.
func TestTablesAgainstPlay(t *testing.T) {
	for colours, letters := range map[int]string{5: "RVBWJ", 6: mustParse(t, "RV/BW", 6).letters} {
		first := map[string][4][4]bool{} // by state: x is covered before y in some game
		var play func(now [4]byte, turns []int)
		play = func(now [4]byte, turns []int) {
			if len(turns) == 4 {
				state := string(now[:2]) + "/" + string(now[2:])
				seen := first[state]
				for i, x := range turns {
					for _, y := range turns[i+1:] {
						seen[x][y] = true
					}
				}
				first[state] = seen
				return
			}
			for c := range 4 {
				if slices.Contains(turns, c) {
					continue
				}
				for _, tile := range []byte(letters) {
					if !strings.ContainsRune(string(now[:]), rune(tile)) {
						next := now
						next[c] = tile
						play(next, append(slices.Clone(turns), c))
					}
				}
			}
		}
		play([4]byte{'R', 'V', 'B', 'W'}, nil)
		rows := tablesOf(t, "RV/BW", colours)[0].Rows
		if len(rows) != len(first) {
			t.Errorf("%d colours: %d states, want %d", colours, len(rows), len(first))
		}
		for _, row := range rows {
			seen, ok := first[row[1].S]
			if !ok {
				t.Errorf("%d colours: %s cannot be reached", colours, row[1].S)
			}
			for i, s := range sides {
				sign := map[[2]bool]string{{true, true}: "-", {true, false}: "<", {false, true}: ">"}[[2]bool{
					seen[s.x][s.y], seen[s.y][s.x]}]
				cells := strings.ReplaceAll(row[1].S, "/", "")
				if got, want := row[2+i].S, cells[s.x:s.x+1]+sign+cells[s.y:s.y+1]; got != want {
					t.Errorf("%d colours: %s of %s is %s, want %s", colours, s.name, row[1].S, got, want)
				}
			}
		}
	}
}

// TestPairsAgainstSolve compares the pairs of grids of two blocks with their final grids.
func TestPairsAgainstSolve(t *testing.T) {
	seen := map[string]bool{}
	for _, grid := range []string{"RVR/BWB", "RVR/BWJ", "RVJ/BWR", "RVJ/BWB", "RV/BW/RV", "RV/BW/JR", "RV/BW/VR"} {
		tables := tablesOf(t, grid, 5)
		want := solved(t, grid, 5, SolveLimits{}).Finals
		if got := tables[2].Rows[0][2].N.String(); got != want || len(tables[2].Rows) != 1 {
			t.Errorf("%s: %s pairs, and %s final grids", grid, got, want)
		}
		seen[want] = true
		states := 0
		for _, row := range tables[1].Rows {
			states += int(row[3].N.Lo)
		}
		if states != 2*4*24 {
			t.Errorf("%s: the borders have %d states", grid, states)
		}
	}
	if !seen["32"] || !seen["44"] {
		t.Errorf("final grids %v, want 32 and 44 among them", seen)
	}
}
