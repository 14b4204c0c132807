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
	}
}

func TestOwnExportsAgree(t *testing.T) {
	tab := sample()
	tab.Columns, tab.Rows[0] = tab.Columns[:3], tab.Rows[0][:3]
	for i := range tab.Rows {
		tab.Rows[i] = tab.Rows[i][:3]
	}
	for format, want := range map[Format]int{CSV: 8, BFile: 4} {
		data := render(t, format, FromTable(tab), Options{Column: "wide"})
		r, err := ReadReference(data, tab, "wide")
		if err != nil {
			t.Fatal(err)
		}
		if list, n := r.Compare(tab, facts()); len(list) > 0 || n != want {
			t.Errorf("%s: %v, %d compared, want %d", format, list, n, want)
		}
	}
}

func TestDifferences(t *testing.T) {
	tab := sample()
	for _, test := range []struct {
		file, want string
		compared   int
	}{
		{"jumps,paths\n0,1\n1,18534301625596903969\n",
			"jumps 1, column paths: the reference has 18534301625596903969, the run 18534301625596903968", 2},
		{"paths,jumps\n7,9\n", "jumps 9, column jumps: the reference has 9, the run absent; " +
			"jumps 9, column paths: the reference has 7, the run absent", 2},
		{"# A000001\n0 1\n\n3 1\n", "jumps 3, column paths: the reference has 1, the run 0", 2},
		{`{"board": "y", "games": "12", "solutions": "4", "layers": [{"jumps": 3, "paths": 0, "wide": "13"}]}`,
			"jumps 3, column wide: the reference has 13, the run 12; games: the reference has 12, the run " + maxCount, 3},
		{`{"layers": [{"jumps": "2", "wide": "` + maxCount + `"}]}`, "", 1},
	} {
		r, err := ReadReference([]byte(test.file), tab, "paths")
		if err != nil {
			t.Errorf("%q: %v", test.file, err)
			continue
		}
		list, n := r.Compare(tab, facts())
		var got []string
		for _, d := range list {
			got = append(got, d.String())
		}
		if strings.Join(got, "; ") != test.want || n != test.compared {
			t.Errorf("%q: %d compared, %q, want %d, %q", test.file, n, got, test.compared, test.want)
		}
	}
}

func TestUnusableReferences(t *testing.T) {
	tab := sample()
	for file, want := range map[string]string{
		"":                           "it is empty",
		"paths,wide\n1,2\n":          "line 1: no column jumps",
		"jumps,pathz\n1,2\n":         `line 1: the table has no column "pathz"`,
		"jumps,paths\n1\n":           "wrong number of fields",
		"jumps,paths\n1,2\n1,2\n":    "line 3: row 1 is there twice",
		"0 1 2\n":                    "line 1: want an index and a value",
		"0 x\n":                      `line 1: "x" is not a number`,
		"0 -1\n":                     `line 1: "-1" is not a number`,
		"{":                          "unexpected end",
		"{}":                         `it has no array "layers"`,
		`{"layers": {}}`:             "layers: json",
		`{"layers": [{"paths": 1}]}`: "layers, row 1: no jumps",
		`{"layers": [{"jumps": 1, "paths": 1e3}]}`:  "layers, row 1: paths is neither",
		`{"layers": [{"jumps": 1, "paths": null}]}`: "layers, row 1: paths is neither",
	} {
		_, err := ReadReference([]byte(file), tab, "paths")
		if !errors.Is(err, ErrReference) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", file, err, want)
		}
	}
	_, err := ReadReference([]byte("0 1\n"), tab, "")
	if err == nil || !strings.Contains(err.Error(), "choose one of paths, wide") {
		t.Errorf("b-file without column: %v", err)
	}
}

func FuzzReadReference(f *testing.F) {
	f.Add([]byte("jumps,paths\n1,2\n"))
	f.Add([]byte("0 1\n# x\n"))
	f.Add([]byte(`{"layers": [{"jumps": 1, "paths": "2"}]}`))
	tab := sample()
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ReadReference(data, tab, "paths")
		if err != nil {
			if !errors.Is(err, ErrReference) {
				t.Fatalf("error %v", err)
			}
			return
		}
		r.Compare(tab, facts())
	})
}
