package catalog

import (
	"errors"
	"strings"
	"testing"

	"pagoda/internal/config"
	"pagoda/internal/puzzle"
)

func TestBuildTiles(t *testing.T) {
	c, err := load(t, "f.yaml", "puzzle: tiles\nrows: 3\ncolumns: 4\n")
	if err != nil {
		t.Fatal(err)
	}
	p, err := All.Build(c)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := p.(puzzle.Exporter); !ok {
		t.Error("the grids of a survey cannot be exported")
	}
	id := p.Identity()
	for i, want := range []puzzle.Param{
		{Name: "rows", Value: "3"}, {Name: "columns", Value: "4"}, {Name: "colours", Value: "5"},
	} {
		if id.Puzzle != "tiles" || id.Params[i] != want {
			t.Errorf("identity %+v, want %v", id, want)
		}
	}
	cells, err := p.Layer(0, nil)
	if err != nil || len(cells) != 1 || cells[0].Addresses != 528 {
		t.Errorf("plan %+v, %v, want 528 grids", cells, err)
	}
}

func TestBuildTilesErrors(t *testing.T) {
	for data, want := range map[string][2]string{
		"rows: 8\ncolumns: 8\ncolours: 6\n": {"f.yaml:2: rows: no such tile-grid game: ", "fewer rows"},
		"rows: 6\ncolumns: 6\nwindow_addresses: 1\n": {
			"f.yaml:4: window_addresses: window_addresses is too small", "0 leaves"},
		"rows: 6\ncolumns: 6\nwindow_addresses: 100\n": {
			"f.yaml:4: window_addresses: window_addresses is too small", "0 leaves"},
	} {
		c, err := load(t, "f.yaml", "puzzle: tiles\n"+data)
		if err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		_, err = All.Build(c)
		var e *config.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want[0]) || !strings.Contains(e.Advice(), want[1]) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %q, want %q and the hint %q", data, err, want[0], want[1])
		}
	}
	for data, want := range map[string]string{
		"columns: 4\n":                       `f.yaml: rows: "" is not a whole number between 2 and 8`,
		"rows: 4\n":                          `f.yaml: columns: "" is not a whole number between 2 and 8`,
		"rows: 9\ncolumns: 4\n":              `f.yaml:2: rows: "9" is not a whole number between 2 and 8`,
		"rows: 4\ncolumns: 1\n":              `f.yaml:3: columns: "1" is not a whole number between 2 and 8`,
		"rows: 4\ncolumns: 4\ncolours: 4\n":  `colours: "4" is not a whole number between 5 and 6`,
		"rows: 4\ncolumns: 4\ncols: 4\n":     `unknown key "cols"`,
		"rows: 4\ncolumns: 4\nboard: french": `unknown key "board"`,
	} {
		if _, err := load(t, "f.yaml", "puzzle: tiles\n"+data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", data, err, want)
		}
	}
}
