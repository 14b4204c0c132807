package export

import (
	"errors"
	"strings"
	"testing"

	"pagoda/internal/puzzle"
)

func facts() []puzzle.Fact {
	return []puzzle.Fact{
		{Column: puzzle.Column{Name: "board", Kind: puzzle.Text}, Value: text("x")},
		{Column: puzzle.Column{Name: "games", Kind: puzzle.Count}, Value: count(maxCount)},
		{Column: puzzle.Column{Name: "mean", Kind: puzzle.Text}, Value: text("7/2")},
		{Column: puzzle.Column{Name: "by", Kind: puzzle.Count}, List: []puzzle.Value{count("1"), count("2")}},
	}
}

// compareWith reads a reference and compares sample() with it.
func compareWith(t *testing.T, file, table, column string, partial bool) (string, Comparison, error) {
	t.Helper()
	r, err := ReadReference([]byte(file))
	if err != nil {
		return "", Comparison{}, err
	}
	c, err := r.Compare(table, Target{Rows: FromTable(sample()), Column: column, Partial: partial})
	if table != "" {
		c.Add(r.CompareFacts(facts()))
	}
	var got []string
	for _, d := range c.Differences {
		got = append(got, d.String())
	}
	return strings.Join(got, "; "), c, err
}

func TestDifferences(t *testing.T) {
	for _, test := range []struct {
		file, table, want string
		compared, outside int
	}{
		{"jumps,paths\n0,1\n1,18534301625596903969\n", "",
			"jumps 1, column paths: the reference has 18534301625596903969, the run 18534301625596903968", 2, 0},
		{"paths,jumps\n7,9\n1,0\n", "", "jumps 9, column paths: the reference has 7, the run absent", 2, 0},
		{"# A000001\n0 1\n\n3 1\n", "", "jumps 3, column paths: the reference has 1, the run 0", 2, 0},
		{`{"board": "y", "games": "12", "mean": "7/3", "by": ["1", "3"], "solutions": "4", "layers": [
			{"jumps": 3, "paths": 0, "wide": "13"}]}`, "layers",
			"jumps 3, column wide: the reference has 13, the run 12; games: the reference has 12, the run " + maxCount +
				"; mean: the reference has 7/3, the run 7/2; by/1: the reference has 3, the run 2", 6, 0},
		{`{"layers": [{"jumps": "2", "wide": "` + maxCount + `"}]}`, "layers", "", 1, 0},
		{`{"jumps": 2, "paths": null, "wide": "` + maxCount + `"}`, "", "", 1, 0},
		{`[{"jumps": 0, "paths": 1}, {"wide": "12", "jumps": 3}]`, "", "", 2, 0},
		// The forms of a table that other programs write.
		{"\xef\xbb\xbfjumps;paths\r\n# a comment\r\n\r\n0;1\r\n3;0\r\n", "", "", 2, 0},
		{"\n# a comment\njumps\tpaths\n0\t1\n3\t\n", "", "", 1, 0},
		{"jumps, paths\n0, 1\n3, 000\n", "", "", 2, 0},
		{"  jumps  paths\n      0      1\n      3      0\n", "", "", 2, 0},
		{"0\t1\r\n3\t0\r\n", "", "", 2, 0},
		// Zeros after the last row, and nothing else there.
		{"2 99999999999999999999999999999999999999\n3 0\n4 0\n5 0\n", "", "", 2, 2},
		{"3 0\n4 0\n5 1\n", "", "jumps 5, column paths: the reference has 1, the run absent", 2, 1},
		{"3 0\n5 0\n", "", "jumps 5, column paths: the reference has 0, the run absent", 2, 0},
		{"jumps,paths\n4,0\n3,0\n", "", "jumps 4, column paths: the reference has 0, the run absent", 2, 0},
		{"jumps,paths\n0,1\n4,0\n", "", "jumps 4, column paths: the reference has 0, the run absent", 2, 0},
	} {
		got, c, err := compareWith(t, test.file, test.table, "paths", false)
		if err != nil || got != test.want || c.Compared != test.compared || c.Outside != test.outside {
			t.Errorf("%q: %v, %q, %+v, want %+v", test.file, err, got, c, test)
		}
	}
	// An incomplete run may still get the rows that it lacks.
	got, c, err := compareWith(t, "0 1\n4 9\n", "", "paths", true)
	if err != nil || got != "" || c.Compared != 1 || c.Outside != 1 {
		t.Errorf("a part of a run: %v, %q, %+v", err, got, c)
	}
}

func TestUnusableReferences(t *testing.T) {
	for file, want := range map[string]string{
		"":                            "it is empty",
		"\xef\xbb\xbf \r\n":           "it is empty",
		"# nothing\n":                 "nothing but comments",
		"\xff\xfej\x00":               "it is UTF-16",
		"<svg/>":                      "it is a picture",
		"jumps\n":                     "neither a header",
		"paths,wide\n1,2\n":           "no column jumps",
		"jumps,pathz\n1,2\n":          `the table has no column "pathz"; it has jumps, paths, wide`,
		"jumps,paths,paths\n1,2,2\n":  `two columns are named "paths"`,
		"jumps,paths\n1\n":            "wrong number of fields",
		"jumps paths\n1\n":            "line 2: 1 columns, and the header has 2",
		"jumps,paths\n1,2\n1,2\n":     "row jumps 1, paths 2 is there twice",
		"jumps,paths\n1,1e3\n":        `line 2: paths: "1e3" is not a whole number`,
		"jumps,paths\n1,1.0\n":        `line 2: paths: "1.0" is not a whole number`,
		"jumps,paths\n1,-1\n":         `line 2: paths: "-1" is not a whole number`,
		"0 1\n0 1\n":                  "line 2: row 0 is there twice",
		"10 1\n9 1\n":                 "line 2: index 9 comes after index 10",
		"0 1 2\n":                     "line 1: want an index and a value",
		"0 1\n1 x\n":                  `line 2: "x" is not a number`,
		"0 1\n1 -1\n":                 `line 2: "-1" is not a number`,
		"{":                           "unexpected EOF",
		"{}":                          "no column jumps",
		"PAR1":                        "parquet: ",
		"PAR1 and then nothing PAR1":  "parquet: ",
		`[1]`:                         "row 1: \"1\" is no object",
		`{"paths": 1}`:                "no column jumps",
		`{"jumps": 1, "paths": true}`: "row 1: paths: \"true\" is neither",
		`{"jumps": 1, "paths": 1e3}`:  "paths: \"1e3\" is not a whole number",
	} {
		_, _, err := compareWith(t, file, "", "paths", false)
		if !errors.Is(err, ErrReference) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", file, err, want)
		}
	}
	if _, _, err := compareWith(t, `{"layers": {}}`, "layers", "", false); !errors.Is(err, ErrReference) {
		t.Errorf("a document without the table: %v", err)
	}
	_, _, err := compareWith(t, "0 1\n", "", "", false)
	if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "choose one of paths, wide") {
		t.Errorf("b-file without column: %v", err)
	}
}

// Several columns of a table may be read row by row.
func TestSeveralColumns(t *testing.T) {
	r, err := ReadReference([]byte("9 5\n10 1\n11 0\n12 18534301625596903968\n"))
	if err != nil {
		t.Fatal(err)
	}
	tab := sample()
	c, err := r.Compare("", Target{Rows: FromTable(tab), Column: "paths,wide", Offset: new(uint64(10))})
	own := tab.Rows[0][2].N.String()
	if err != nil || c.Compared != 3 || c.Outside != 1 || (own == "0") != (len(c.Differences) == 0) {
		t.Errorf("%v, %+v; the first row has wide %s", err, c, own)
	}
}

func FuzzReadReference(f *testing.F) {
	f.Add([]byte("jumps,paths\n1,2\n"))
	f.Add([]byte("0 1\n# x\n"))
	f.Add([]byte("| jumps | paths |\n| ---: | ---: |\n| 1 | 2 |\n"))
	f.Add([]byte(`{"layers": [{"jumps": 1, "paths": "2"}]}`))
	f.Add([]byte(`{"jumps": 1, "paths": "2"}`))
	tab := sample()
	var b strings.Builder
	if err := Write(&b, Parquet, FromTable(tab), Options{}); err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(b.String()))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ReadReference(data)
		if err == nil {
			r.CompareFacts(facts())
			for _, name := range append(r.Tables(), "layers") {
				if _, err = r.Compare(name, Target{Rows: FromTable(tab), Column: "paths"}); err != nil {
					break
				}
			}
		}
		if err != nil && !errors.Is(err, ErrReference) {
			t.Fatalf("error %v", err)
		}
	})
}
