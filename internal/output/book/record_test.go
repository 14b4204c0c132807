package book

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/certificate/canonical"
)

// TestChanged: a record in which anything is changed that can be checked is refused, and the error says what.
func TestChanged(t *testing.T) {
	b, err := triangle(t).Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ from, to, want string }{
		{`"record": "pagoda result"`, `"record": "pagoda run"`, `it is "pagoda run" of version 1`},
		{`"version": 1`, `"version": 2`, `of version 2, this program reads "pagoda result" of version 1`},
		{`"version": 1,`, `"version": 1, "more": 1,`, `unknown field "more"`},
		{`"version": 1,`, `"version": 1, "version": 1,`, "not in canonical form from byte"},
		{`"version": 1,`, `"version": 1.0,`, "cannot unmarshal number 1.0"},
		{`"notes": [],`, ``, "not in canonical form from byte"},
		{`"notes": []`, `"notes": null`, "notes: null in place of a list"},
		{`"notes": []`, `"Notes": []`, "not in canonical form from byte"},
		{`"name": "triangle15"`, `"name": ""`, `"" is not a name`},
		{`"568630"`, `"568631"`, "games is 568631, and 568630 in its certificate"},
		{`"139614"`, `"139615"`,
			"column games_ended of table layers adds up to 568631, and games is 568630"},
		{`"21530"`, `"21531"`, "table layers, column paths has 14 rows with digest "},
		{`"679"`, `"0679"`, `"0679" is no whole number of up to 128 bits`},
		{`"679"`, `"679.0"`, `"679.0" is no whole number`},
		{`"679"`, `"679", "1"`, "row 7 has 8 fields for 7 columns"},
		{`"kind": "count"`, `"kind": "sum"`, `of the unknown kind "sum"`},
		{`"windows": 14`, `"windows": 15`, "it says 15 windows, and its layers have 14"},
		{`"root": "3`, `"root": "4`, "the root is 47e77c2a"},
		{`"name": "solutions"`, `"name": "solution"`, "it says solution where its certificate has solutions"},
		{`"completed": "20`, `"completed": "2o`, "is not a day"},
		{`"workers": 1`, `"workers": 0`, "or no worker"},
		{"}\n", "} {}", "invalid character"},
	} {
		text := string(b)
		i := strings.Index(text, c.from)
		if strings.HasPrefix(c.from, "}") {
			i = strings.LastIndex(text, c.from)
		}
		if i < 0 {
			t.Errorf("there is no %s", c.from)
			continue
		}
		_, err := Decode([]byte(text[:i] + c.to + text[i+len(c.from):]))
		if !errors.Is(err, ErrRecord) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.to, err, c.want)
		}
	}
}

// TestTotals: facts that the certificate lacks, and facts that it alone has.
func TestTotals(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(*Record)
	}{
		{"it says extra, and its certificate does not", func(r *Record) {
			r.Facts = append(r.Facts, Fact{Column: Column{Name: "extra", Kind: "number"}, Value: "1"})
		}},
		{"it does not say positions, and its certificate does", func(r *Record) { r.Facts = r.Facts[:len(r.Facts)-1] }},
		{"table layers is there twice", func(r *Record) { r.Tables = append(r.Tables, r.Tables[0]) }},
		{"it has no certificate", func(r *Record) { r.Certificate = nil }},
		{"boards: null in place of a list", func(r *Record) { r.Boards = nil }},
		{`board "start" has no name of its own, no cells, or is one too many`,
			func(r *Record) { r.Boards[1].Name = "start" }},
		{"board start has a cell at row -1, column 2, of the shade 0",
			func(r *Record) { r.Boards[0].Cells[0].Row = -1 }},
		{"definition is empty", func(r *Record) { r.Definition = " " }},
		{"fact games: it has several forms", func(r *Record) { gamesOf(r).List = []string{"1"} }},
	} {
		r := triangle(t)
		c.change(r)
		if err := r.Check(); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

func gamesOf(r *Record) *Fact {
	for i := range r.Facts {
		if r.Facts[i].Name == "games" {
			return &r.Facts[i]
		}
	}
	return nil
}

// TestForms: every form of a fact is read as it was written.
func TestForms(t *testing.T) {
	count := func(n uint64) puzzle.Value { return puzzle.Value{N: uint128.From(n)} }
	facts := []puzzle.Fact{
		{Column: puzzle.Column{Name: "text", Kind: puzzle.Text}, Value: puzzle.Value{S: ""}},
		{Column: puzzle.Column{Name: "shown", Kind: puzzle.Text}, Value: puzzle.Value{S: "1/2", Shown: "0.5 = 1/2"}},
		{Column: puzzle.Column{Name: "double", Kind: puzzle.Double}, Value: puzzle.Value{S: "0.5"}},
		{Column: puzzle.Column{Name: "list", Kind: puzzle.Count}, List: []puzzle.Value{count(1), count(1 << 60)}},
		{Column: puzzle.Column{Name: "no_list", Kind: puzzle.Count}, List: []puzzle.Value{}},
		{Column: puzzle.Column{Name: "map", Kind: puzzle.Count}, Map: []puzzle.MapEntry{{Key: "8", Value: count(7).N}}},
		{Column: puzzle.Column{Name: "no_map", Kind: puzzle.Count}, Map: []puzzle.MapEntry{}},
		{Column: puzzle.Column{Name: "no_fields"}, Fields: []puzzle.Fact{}},
		{Column: puzzle.Column{Name: "fields"}, Fields: []puzzle.Fact{
			{Column: puzzle.Column{Name: "inner", Kind: puzzle.Number, Doc: "of it"}, Value: count(3)}}},
	}
	text, err := canonical.Marshal(newFacts(facts))
	if err != nil {
		t.Fatal(err)
	}
	var written []Fact
	if err := canonical.Decode(text, &written); err != nil {
		t.Fatal(err)
	}
	got, err := readFacts(written)
	if err != nil || !reflect.DeepEqual(got, facts) {
		t.Errorf("%+v, want %+v: %v", got, facts, err)
	}
}
