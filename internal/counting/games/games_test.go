package games

import (
	_ "embed"
	"encoding/csv"
	"strings"
	"testing"

	"pagoda/internal/counting/countingtest"
	"pagoda/internal/puzzle/puzzletest"
)

func newGames(t testing.TB, board, start, goal string, windowAddresses uint64) *Puzzle {
	t.Helper()
	g, err := New(countingtest.Problem(t, board, start, goal, windowAddresses))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

//go:embed testdata/english.csv
var englishLayers string

// TestEnglishCentre compares the whole English board with its known layers and totals.
func TestEnglishCentre(t *testing.T) {
	if testing.Short() {
		t.Skip("a whole board: go test without -short plays it")
	}
	g := newGames(t, "english", "center", "center", 0)
	m := puzzletest.Play(t, g, puzzletest.Options{Cached: true})
	for name, want := range map[string]string{
		"games":     "577116156815309849672",
		"solutions": "40861647040079968",
		"classes":   "23475688",
		"positions": "187636299",
	} {
		if got := puzzletest.Fact(t, g, m, name); got != want {
			t.Errorf("%s %s, want %s", name, got, want)
		}
	}
	reader := csv.NewReader(strings.NewReader(englishLayers))
	reader.Comment = '#'
	want, err := reader.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	sum, err := g.Summarise(m)
	if err != nil {
		t.Fatal(err)
	}
	table := sum.Tables[0]
	if len(table.Rows) != 32 || len(want) != 33 {
		t.Fatalf("%d layers, compared with %d", len(table.Rows), len(want)-1)
	}
	for i, name := range want[0] {
		if table.Columns[i].Name != name {
			t.Fatalf("column %d is %s, want %s", i, table.Columns[i].Name, name)
		}
		for n, row := range table.Rows {
			if got := row[i].N.String(); got != want[n+1][i] {
				t.Errorf("layer %d: %s %s, want %s", n, got, name, want[n+1][i])
			}
		}
	}
}
