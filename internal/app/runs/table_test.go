package runs_test

import (
	"errors"
	"strings"
	"testing"

	"pagoda/internal/app/cli"
	"pagoda/internal/app/runs"
	"pagoda/internal/output/render"
)

// TestSelections: a selection that contradicts itself is a mistake of usage, and says which flag is wrong.
func TestSelections(t *testing.T) {
	for _, c := range []struct {
		what runs.Selection
		want string // "": the selection is right
	}{
		{runs.Selection{Table: "layers", Format: "csv"}, ""},
		{runs.Selection{Table: "layers", Format: "csv", Scale: "cubic"}, "--scale"},
		{runs.Selection{Table: "layers", Format: "doc"}, "--format"},
		{runs.Selection{Table: "layers", Format: "csv", Column: "rows"}, "--column is for"},
		{runs.Selection{Table: "layers", Format: "bfile", Column: "rows"}, ""},
		{runs.Selection{Table: "layers", Format: "svg", Column: "rows"}, ""},
		{runs.Selection{Table: runs.WindowsTable, Format: "bfile"}, "windows are not numbered"},
		{runs.Selection{Table: runs.WindowsTable, Format: "csv"}, ""},
		{runs.Selection{Table: runs.LeavesTable, Format: "jsonl"}, ""},
		{runs.Selection{Table: runs.LeavesTable, Format: "csv"}, "leaves is JSON lines"},
		{runs.Selection{Table: runs.LeavesTable, Format: "svg"}, "leaves is JSON lines"},
		{runs.Selection{Table: runs.LeavesTable, Format: "jsonl", Links: "http://host/"}, "leaves is JSON lines"},
		{runs.Selection{Table: "layers", Format: "csv", Layer: "3"}, "--layer belongs to"},
		{runs.Selection{Table: runs.CountsTable, Format: "csv", Layer: "3"}, ""},
		{runs.Selection{Table: runs.CountsTable, Format: "csv", Layer: "0"}, ""},
		{runs.Selection{Table: runs.CountsTable, Format: "csv", Layer: runs.AllLayers}, ""},
		{runs.Selection{Table: runs.CountsTable, Format: "csv", Layer: "-1"}, "--layer: \"-1\""},
		{runs.Selection{Table: runs.CountsTable, Format: "csv", Layer: "x"}, "--layer: \"x\""},
		{runs.Selection{Table: runs.CountsTable, Format: "svg"}, "shows one column"},
		{runs.Selection{Table: "pairs", Format: "jsonl", Links: "https://host:1/page"}, ""},
		{runs.Selection{Table: "pairs", Format: "bfile", Links: "http://host/"}, "--links adds a column"},
		{runs.Selection{Table: "pairs", Format: "csv", Links: "host:8420"}, "--links"},
		{runs.Selection{Table: "pairs", Format: "csv", Links: "http://host/#run=1"}, "--links"},
		{runs.Selection{Table: "pairs", Format: "csv", Links: "http:///path"}, "--links"},
		{runs.Selection{Table: runs.RowsTable, Format: "bfile"}, "shows one column"},
	} {
		if c.what.Scale == "" {
			c.what.Scale = string(render.Auto)
		}
		err := c.what.Check()
		var mistake *cli.UsageError
		if (err == nil) != (c.want == "") ||
			err != nil && (!errors.As(err, &mistake) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v, want %q", c.what, err, c.want)
		}
	}
}

// TestTables takes tables by their names, and writes a picture with the title of its column.
func TestTables(t *testing.T) {
	s := stored(t, problem+"games\n")
	if table, err := s.Table("layers"); err != nil || table.Name != "layers" {
		t.Errorf("%v", err)
	}
	var mistake *cli.UsageError
	if _, err := s.Table("chairs"); !errors.As(err, &mistake) || !strings.Contains(err.Error(), `no table "chairs"`) {
		t.Errorf("%v", err)
	}
	for column, want := range map[string]bool{"": false, "classes": true} {
		var b strings.Builder
		what := runs.Selection{Table: "layers", Format: render.SVG, Column: column, Scale: string(render.Auto)}
		if err := s.WriteTable(&b, what); err != nil || strings.Contains(b.String(), ": classes<") != want {
			t.Errorf("column %q: %v, %.300s", column, err, b.String())
		}
	}
}
