package tiles

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseForms(t *testing.T) {
	want := "RVRV/BWBW/RVRV/BWBW"
	for _, text := range []string{want, "rvrv/bwbw/rvrv/bwbw",
		"RVRV\nBWBW\nRVRV\nBWBW\n", " R V R V / B W B W / R V R V / B W B W ",
		"RVRV\r\nBWBW\r\nRVRV\r\nBWBW"} {
		g := mustParse(t, text, 5)
		if g.String() != want || g.Letters() != "RVBWJ" || g.Shape() != (Shape{4, 4, 5}) {
			t.Errorf("%q is read as %v with letters %s, %v", text, g, g.Letters(), g.Shape())
		}
	}
	for text, letters := range map[string]string{"12/34": "12340", "AB/CD": "ABCDR", "01/23": "01234"} {
		if got := mustParse(t, text, 5).Letters(); got != letters {
			t.Errorf("%s has letters %s, want %s", text, got, letters)
		}
	}
	if got := mustParse(t, "BR/JV", 6).Letters(); got != "BRJVWO" {
		t.Errorf("BR/JV has letters %s", got)
	}
}

// TestTwoReadings: with six colours, groups of cells can be rows or parts of rows.
func TestTwoReadings(t *testing.T) {
	_, err := Parse("RV BW\nJO RV", 6)
	want := "two readings: RVBW/JORV without its blanks, or RV/BW/JO/RV;"
	if !errors.Is(err, ErrGrid) || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
	if g := mustParse(t, "RV RV\nBW BW", 5); g.String() != "RVRV/BWBW" {
		t.Errorf("blocks apart are read as %s", g)
	}
}

func TestParseFaults(t *testing.T) {
	for _, c := range []struct {
		text  string
		cells []CellRef
		says  string
	}{
		{"", nil, "no cells"},
		{"RVRV/BWB/RVRV/BWBW", []CellRef{{1, 2}}, "row 1 has 3 cells and row 0 has 4"},
		{"RV/BWR", []CellRef{{1, 2}}, "row 1 has 3 cells"},
		{"R", []CellRef{{0, 0}}, "it has 1 rows, want 2 to 8; there are only the cells: r0c0"},
		{"R/B", []CellRef{{0, 0}, {1, 0}}, "it has 1 columns, want 2 to 8; there are only the cells: r0c0 r1c0"},
		{"RV/BW/RV/BW/RV/BW/RV/BW/RV", []CellRef{{8, 0}, {8, 1}}, "it has 9 rows, want 2 to 8; too much are the cells: r8c0"},
		{"RVRVRVRVRV/BWBWBWBWBW", []CellRef{{0, 8}, {0, 9}, {1, 8}, {1, 9}}, "it has 10 columns"},
		{"RV/B?", []CellRef{{1, 1}}, "neither a letter nor a digit"},
		{"RV/Bé", []CellRef{{1, 1}}, "neither a letter nor a digit"},
		{"RV/BR", []CellRef{{0, 0}, {1, 1}}, "colour R twice, in r0c0 and r1c1"},
		{"RVRV/BWBW/RVRR/BWBW", []CellRef{{2, 2}, {2, 3}}, "colour R twice"},
		{"RVBWJR/BWJRVO", []CellRef{{1, 5}}, "O is colour number 6 and there are only 5 (RVBWJ)"},
	} {
		_, err := Parse(c.text, 5)
		if !errors.Is(err, ErrGrid) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v, want it to say %q", c.text, err, c.says)
			continue
		}
		var at *GridError
		if errors.As(err, &at) != (c.cells != nil) || at != nil && !slices.Equal(at.Cells, c.cells) {
			t.Errorf("%q: error %v does not name the cells %v", c.text, err, c.cells)
		}
	}
	for _, text := range []string{"R", "RVBW", "RV/BW/RV/BW/RV/BW/RV/BW/RV", "RVRVRVRVR/BWBWBWBWB"} {
		if _, err := Parse(text, 5); !errors.Is(err, ErrShape) {
			t.Errorf("%q: error %v, want one about the size", text, err)
		}
	}
	for _, colours := range []int{-1, 0, 4, 7, 300} {
		if _, err := Parse("RV/BW", colours); !errors.Is(err, ErrShape) {
			t.Errorf("%d colours: error %v", colours, err)
		}
	}
}

// FuzzParse demands of whatever is accepted that it is a grid of the game and is read again as it is written.
func FuzzParse(f *testing.F) {
	f.Add("RVRV/BWBW/RVRV/BWBW", 5)
	f.Add("01\n23\n", 6)
	f.Add("RV/BR", 5)
	f.Add("//é ?", 9)
	f.Fuzz(func(t *testing.T, text string, colours int) {
		g, err := Parse(text, colours)
		if err != nil {
			if !errors.Is(err, ErrGrid) && !errors.Is(err, ErrShape) {
				t.Fatalf("error of no kind: %v", err)
			}
			return
		}
		for i, near := range g.shape.neighbours() {
			for _, j := range near {
				if g.cells[i] == g.cells[j] {
					t.Fatalf("%v has equal neighbours", g)
				}
			}
		}
		again, err := Parse(g.String(), colours)
		if err != nil || again.cells != g.cells || again.letters != g.letters || again.shape != g.shape {
			t.Fatalf("%v is read again as %v: %v", g, again, err)
		}
		if len(g.letters) != colours {
			t.Fatalf("%d letters for %d colours", len(g.letters), colours)
		}
	})
}

// TestEqualMissing compares the count by cells with the sets of missing colours.
func TestEqualMissing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := shapes(30).Draw(t, "shape")
		c, err := NewCensus(s)
		if err != nil {
			t.Fatal(err)
		}
		g := drawGrid(t, c)
		missing, want := s.missing(&g), 0
		w := s.Cols - 1
		for i := range missing {
			if i%w+1 < w && missing[i] == missing[i+1] {
				want++
			}
			if i+w < len(missing) && missing[i] == missing[i+w] {
				want++
			}
		}
		if got := s.equalMissing(&g); got != want {
			t.Fatalf("%s: %d equal pairs, want %d", s.write(&g, plainLetters), got, want)
		}
	})
}
