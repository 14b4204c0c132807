package render

import (
	"encoding/json"
	"strings"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// survey is a summary with everything that one can have.
func survey() *puzzle.Summary {
	big := puzzle.Value{N: uint128.Uint128{Hi: 1}}
	return &puzzle.Summary{
		Facts: []puzzle.Fact{
			{Column: puzzle.Column{Name: "grid", Kind: puzzle.Text}, Value: puzzle.Value{S: `2 "x" 2`}},
			{Column: puzzle.Column{Name: "raw", Kind: puzzle.Count}, Value: big},
			{Column: puzzle.Column{Name: "max_finals", Kind: puzzle.Number}, Value: puzzle.Value{N: uint128.From(7)}},
			{Column: puzzle.Column{Name: "histogram", Kind: puzzle.Count}, Map: []puzzle.MapEntry{
				{Key: "0", Value: uint128.From(12)}, {Key: "10", Value: uint128.Uint128{Hi: 1}}}},
			{Column: puzzle.Column{Name: "empty", Kind: puzzle.Count}, Map: []puzzle.MapEntry{}},
		},
		Tables: []puzzle.Table{{Name: "layers", Columns: []puzzle.Column{
			{Name: "n", Kind: puzzle.Number}, {Name: "who", Kind: puzzle.Text}, {Name: "paths", Kind: puzzle.Count}},
			Rows: [][]puzzle.Value{{{}, {S: "a"}, big}, {{N: uint128.From(10)}, {S: "bcd"}, {}}},
		}, {Name: "nothing", Columns: []puzzle.Column{{Name: "n", Kind: puzzle.Number}}}},
		Notes: []string{"first", `second "two"`},
	}
}

func TestDocument(t *testing.T) {
	got := string(Document("0123", "tiles", survey()))
	want := `{
  "run": "0123",
  "puzzle": "tiles",
  "grid": "2 \"x\" 2",
  "raw": "18446744073709551616",
  "max_finals": 7,
  "histogram": {"0": "12", "10": "18446744073709551616"},
  "empty": {},
  "notes": ["first", "second \"two\""],
  "layers": [
    {"n": 0, "who": "a", "paths": "18446744073709551616"},
    {"n": 10, "who": "bcd", "paths": "0"}
  ],
  "nothing": [
  ]
}
`
	if got != want {
		t.Errorf("got:\n%s", got)
	}
	if !json.Valid([]byte(got)) {
		t.Error("it is not JSON")
	}
	if bare := Document("r", "p", &puzzle.Summary{}); !json.Valid(bare) {
		t.Errorf("an empty summary gives %s", bare)
	}
}

func TestReport(t *testing.T) {
	got := Report("0123", "tiles", survey(), Style{})
	want := `run     0123
puzzle  tiles
grid    2 "x" 2

table layers, 2 rows

   n  who                 paths
   0    a  18446744073709551616
  10  bcd                     0

table nothing, 0 rows

  n

raw         18446744073709551616
max_finals  7
histogram   0: 12
            10: 18446744073709551616
note: first
note: second "two"
`
	if string(got) != want {
		t.Errorf("got:\n%s", got)
	}
}

// TestReportOfMuch demands that a report names the parts that are too long, and shows the parts after them.
func TestReportOfMuch(t *testing.T) {
	sum := survey()
	n := uint64(0)
	for range reportRows {
		sum.Tables[1].Rows = append(sum.Tables[1].Rows, []puzzle.Value{{N: uint128.From(n)}})
		n++
	}
	if got := string(Report("0123", "tiles", sum, Style{})); !strings.Contains(got, "\n  127\n") {
		t.Errorf("a table of %d rows is not shown:\n%s", reportRows, got)
	}
	sum.Tables[1].Rows = append(sum.Tables[1].Rows, []puzzle.Value{{N: uint128.From(n)}})
	sum.Tables[0], sum.Tables[1] = sum.Tables[1], sum.Tables[0]
	for len(sum.Facts[3].Map) <= reportEntries {
		sum.Facts[3].Map = append(sum.Facts[3].Map, puzzle.MapEntry{Key: "x"})
	}
	want := `run     0123
puzzle  tiles
grid    2 "x" 2

table nothing, 129 rows: too long to show; it is in the json document, and export --table nothing writes it

table layers, 2 rows

   n  who                 paths
   0    a  18446744073709551616
  10  bcd                     0

raw         18446744073709551616
max_finals  7
histogram   33 entries, too many to show; they are in the json document
note: first
note: second "two"
`
	if got := string(Report("0123", "tiles", sum, Style{})); got != want {
		t.Errorf("got:\n%s", got)
	}
}
