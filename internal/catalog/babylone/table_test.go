package babylone

import (
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
)

// TestTable compares the table of all splits with runs of each.
func TestTable(t *testing.T) {
	a, err := ask(t, table, nil, "bricks=12")
	if err != nil {
		t.Fatal(err)
	}
	equal, splits := a.Summary.Tables[0], a.Summary.Tables[1]
	seen := map[string]string{}
	for _, row := range splits.Rows {
		bricks, err := ParseBricks(row[2].S, int(row[1].N.Lo))
		if err != nil || sum(bricks) != int(row[0].N.Lo) {
			t.Fatalf("row %v: %v", row, err)
		}
		p := newPuzzle(t, bricks, CountNimbers, 0)
		f := facts(t, p, puzzletest.Play(t, p, puzzletest.Options{Cached: true}))
		got := row[3].N.String() + " " + row[4].N.String()
		if want := f["winner"] + " " + f["nimber"]; got != want {
			t.Errorf("%s: %s, want %s", row[2].S, got, want)
		}
		seen[row[2].S] = got
	}
	// And with the search, which has its own way of moving.
	search := newSolver()
	for split, got := range seen {
		bricks, err := ParseBricks(split, 0)
		if err != nil {
			t.Fatal(err)
		}
		nimber, err := search.nimber(t.Context(), start(bricks))
		if want := fmt.Sprint(winnerOf(nimber), nimber); err != nil || got != want {
			t.Errorf("%s: %s, want %s, error %v", split, got, want, err)
		}
	}
	games := 0
	for n := 1; n <= 12; n++ {
		games += len(allSplits(n, n))
	}
	if len(seen) != games || len(splits.Rows) != games {
		t.Errorf("%d splits, want %d", len(seen), games)
	}
	for _, row := range equal.Rows {
		bricks := writeBricks(slices.Repeat([]int{int(row[1].N.Lo)}, int(row[0].N.Lo)))
		if got := row[2].N.String() + " " + row[3].N.String(); got != seen[bricks] {
			t.Errorf("%s: %s among equal ones, %s among all", bricks, got, seen[bricks])
		}
	}
	if len(equal.Rows) != 12+6+4+3+2+2+1+1+1+1+1+1 {
		t.Errorf("%d equal splits", len(equal.Rows))
	}
}

// TestKnownWinners says that the theorems about winners hold, and the guess about two colours as far as it is looked at
// (see docs/babylone.md).
func TestKnownWinners(t *testing.T) {
	for n := 1; n <= 18; n++ {
		list, err := splitsOf(t.Context(), n, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			colours, least := len(s.bricks), s.bricks[len(s.bricks)-1]
			want := s.nimber
			switch {
			case colours == 1:
				want = (n - 1) % 2
			case s.bricks[0] == 1:
				want = (n - weight(n)) % 2
			case colours == 2 && least == 1:
				want = 1 + n%2
			case colours == 2 && least > 2:
				want = n % 2
			case colours == 2 && s.nimber == 0:
				t.Errorf("%v: the second player wins", s.bricks)
			}
			if s.nimber != want {
				t.Errorf("%v: nimber %d, want %d", s.bricks, s.nimber, want)
			}
		}
	}
}

// TestSplits compares the table of up to 14 bricks with the one in the documents.
func TestSplits(t *testing.T) {
	f, err := os.Open("../../../docs/babylone-splits.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	want, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	a, err := ask(t, table, nil)
	if err != nil {
		t.Fatal(err)
	}
	splits := a.Summary.Tables[1]
	var got [][]string
	var header []string
	for _, c := range splits.Columns {
		header = append(header, c.Name)
	}
	got = append(got, header)
	for _, row := range splits.Rows {
		var list []string
		for i, v := range row {
			text := v.N.String()
			if splits.Columns[i].Kind == puzzle.Text {
				text = v.S
			}
			list = append(list, text)
		}
		got = append(got, list)
	}
	if !slices.EqualFunc(got, want, slices.Equal[[]string]) {
		t.Error("docs/babylone-splits.csv is not what the question says")
	}
}
