package render

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/puzzle/uint128"
)

// everything is a question whose answer can have every form.
var everything = puzzle.Question{
	Name: "all", Outputs: []puzzle.Output{puzzle.Pictures, puzzle.Graphs, puzzle.Tables},
}

func figuresOfEachKind() []figure.Figure {
	return []figure.Figure{
		{Name: "board", Title: "a < b", Board: &figure.Board{Cells: []figure.Cell{
			{Row: 0, Column: 0.5, Label: "1"}, {Row: 1, Label: "22", Fill: figure.Red, Detail: `"exact"`},
			{Row: 1, Column: 1, Label: "3", Shape: figure.Circle, Fill: figure.Accent, Shade: 0.5},
			{Row: 3, Label: "T", Fill: figure.Blue, Inner: figure.Yellow, Corner: "B", Foot: "12"},
		}}},
		{Name: "chart", Title: "chart", Chart: &figure.Chart{X: "n", Y: "count", Series: []figure.Series{
			{Name: "odd", Points: []figure.Point{{X: 1, Y: 5, Exact: "five"}, {X: 3, Y: 7}}},
			{Name: "even", Points: []figure.Point{{X: 2, Y: 6}}},
		}}},
		{Name: "lines", Title: "lines", Chart: &figure.Chart{X: "n", Y: "count", Lines: true, Series: []figure.Series{
			{Name: "one", Points: []figure.Point{{X: 1, Y: 5}, {X: 3, Y: 7000}}}}}},
		{Name: "graph", Title: "graph", Graph: &figure.Graph{
			Nodes: []figure.Node{{ID: "a", Label: `say "a"`}, {ID: "b", Level: 1, Fill: figure.Good}, {ID: "c", Level: 1}},
			Edges: []figure.Edge{
				{From: "a", To: "b", Label: "x"},
				{From: "a", To: "c", Stroke: figure.Bad},
				{From: "c", To: "b"},
			},
		}},
	}
}

func written(t *testing.T, a *puzzle.Answer, f Form) string {
	t.Helper()
	if err := f.Check(&everything); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Answer(context.Background(), &b, a, About{Run: "r1", Puzzle: "toy", Title: "sheet"}, f); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestAnswerAsText(t *testing.T) {
	plain := &puzzle.Answer{Summary: *survey()}
	if got, want := written(t, plain, Form{Output: Text}), string(Report("r1", "toy", survey(), Style{})); got != want {
		t.Errorf("a summary: %s", got)
	}
	own := &puzzle.Answer{Summary: *survey(), Text: "own\n"}
	if got := written(t, own, Form{Output: Text}); got != "own\n" {
		t.Errorf("a text of its own: %s", got)
	}
	drawn := &puzzle.Answer{Text: "lead\n", Drawn: true, Figures: figuresOfEachKind()}
	want := `lead

a < b
     1
  22   3

   T

chart
  n   odd  even
  1  five      
  2           6
  3     7      

lines
  n   one
  1     5
  3  7000

graph
say "a"
  x -> b
  -> c
b
c
  -> b
`
	if got := written(t, drawn, Form{Output: Text}); got != want {
		t.Errorf("figures:\n%q, want\n%q", got, want)
	}
	sections := &puzzle.Answer{Title: "T", Summary: *survey(), Sections: []puzzle.Section{
		{Heading: "What?", Text: strings.Repeat("word ", 30), Tables: []string{"layers"}},
		{Heading: "And?", Text: "yes", Tables: []string{"layers", "none"}},
	}}
	got := written(t, sections, Form{Output: Text})
	for _, part := range []string{"T\n\n1. What?\n   word", "\n   word", "\n  10  bcd ",
		"\n2. And?\n   yes\n   table layers, see above\n"} {
		if !strings.Contains(got, part) {
			t.Errorf("sections lack %q:\n%s", part, got)
		}
	}
}

func TestAnswerAsSVG(t *testing.T) {
	a := &puzzle.Answer{Figures: figuresOfEachKind()}
	for figureName, want := range map[string]map[string]int{
		"":      {"circle": 3, "path": 0, "svg": 1},
		"board": {"circle": 1, "rect": 1 + 3 + 1, "title": 2},
		"graph": {"rect": 1 + 3, "path": 3},
	} {
		got := written(t, a, Form{Output: SVG, Figure: figureName})
		elements := elementsOf(t, got)
		for name, n := range want {
			if n > 0 && elements[name] != n {
				t.Errorf("picture %q has %d elements %s, want %d:\n%s", figureName, elements[name], name, n, got)
			}
		}
	}
}

// elementsOf counts the elements of a well-formed document by name.
func elementsOf(t *testing.T, text string) map[string]int {
	t.Helper()
	elements := map[string]int{}
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return elements
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if e, ok := token.(xml.StartElement); ok {
			elements[e.Name.Local]++
		}
	}
}

func TestAnswerAsDOT(t *testing.T) {
	got := written(t, &puzzle.Answer{Figures: figuresOfEachKind()}, Form{Output: DOT})
	for _, part := range []string{
		`digraph "graph" {`, `"a" [label="say \"a\""];`, `{ rank=same; "b"; "c" }`, `"a" -> "b" [label="x"];`, `"c" -> "b";`,
	} {
		if !strings.Contains(got, part) {
			t.Errorf("there is no %s in:\n%s", part, got)
		}
	}
	if strings.Contains(got, "chart") {
		t.Errorf("a chart is no graph:\n%s", got)
	}
}

// counted is a stream of n rows.
func counted(n uint64) *puzzle.Stream {
	return &puzzle.Stream{
		Columns: []puzzle.Column{{Name: "n", Kind: puzzle.Number}, {Name: "who", Kind: puzzle.Text}},
		Each: func(_ context.Context, emit func([]puzzle.Value) error) error {
			for i := range n {
				if err := emit([]puzzle.Value{{N: uint128.From(i)}, {S: "x y"}}); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func TestAnswerWithStream(t *testing.T) {
	for _, n := range []uint64{0, 1, 3} {
		a := &puzzle.Answer{Summary: *survey(), Stream: counted(n)}
		var d struct {
			Run  string
			Rows []struct {
				N   int
				Who string
			}
		}
		text := written(t, a, Form{Output: JSON})
		if err := json.Unmarshal([]byte(text), &d); err != nil || d.Run != "r1" || uint64(len(d.Rows)) != n {
			t.Errorf("%d rows: %v\n%s", n, err, text)
		}
		if got := written(t, a, Form{Output: "csv"}); strings.Count(got, "\n") != int(n)+1 {
			t.Errorf("%d rows as csv:\n%s", n, got)
		}
		if got := written(t, a, Form{Output: Text}); strings.Count(got, "\tx y\n") != int(n) ||
			strings.Count(got, "\nn\twho\n") != 1 {
			t.Errorf("%d rows as text:\n%s", n, got)
		}
	}
	a := &puzzle.Answer{Summary: *survey(), Stream: counted(1)}
	if got := written(t, a, Form{Output: "csv", Table: "layers"}); !strings.HasPrefix(got, "n,who,paths\n") {
		t.Errorf("a table beside a stream:\n%s", got)
	}
}

func TestFormsThatDoNotFit(t *testing.T) {
	bare := puzzle.Question{}
	for _, test := range []struct {
		q     *puzzle.Question
		f     Form
		about string
	}{
		{&bare, Form{Output: SVG}, "output"}, {&bare, Form{Output: "csv"}, "output"},
		{&bare, Form{Output: "bfile"}, "output"},
		{&everything, Form{Output: Text, Figure: "x"}, "figure"}, {&everything, Form{Output: JSON, Table: "x"}, "table"},
	} {
		var e *setting.Error
		if err := test.f.Check(test.q); !errors.As(err, &e) || e.Setting != test.about {
			t.Errorf("%+v: %v, want an error about %s", test.f, err, test.about)
		}
	}
	for _, test := range []struct {
		a     *puzzle.Answer
		f     Form
		about string
	}{
		{&puzzle.Answer{}, Form{Output: SVG}, "output"},
		{&puzzle.Answer{Figures: figuresOfEachKind()[:2]}, Form{Output: DOT}, "output"},
		{&puzzle.Answer{Figures: figuresOfEachKind()}, Form{Output: SVG, Figure: "none"}, "figure"},
		{&puzzle.Answer{Figures: figuresOfEachKind()}, Form{Output: DOT, Figure: "board"}, "figure"},
		{&puzzle.Answer{Summary: *survey()}, Form{Output: "csv", Table: "none"}, "table"},
		{&puzzle.Answer{}, Form{Output: "csv"}, "table"},
	} {
		var e *setting.Error
		var b bytes.Buffer
		err := Answer(context.Background(), &b, test.a, About{}, test.f)
		if !errors.As(err, &e) || e.Setting != test.about || b.Len() > 0 {
			t.Errorf("%+v: %v after %d bytes, want an error about %s", test.f, err, b.Len(), test.about)
		}
	}
}

func TestFactsWithParts(t *testing.T) {
	var s puzzle.Summary
	s.AddCounts("list", []uint128.Uint128{uint128.From(1), {Hi: 1}}, "")
	s.Facts = append(s.Facts, puzzle.Fact{Column: puzzle.Column{Name: "best"}, Fields: []puzzle.Fact{
		{Column: puzzle.Column{Name: "name", Kind: puzzle.Text}, Value: puzzle.Value{S: "x"}},
		{Column: puzzle.Column{Name: "size", Kind: puzzle.Number}, Value: puzzle.Value{N: uint128.From(3)}},
	}})
	got := string(Document("", "toy", &s))
	want := "{\n  \"puzzle\": \"toy\",\n  \"list\": [\"1\", \"18446744073709551616\"],\n" +
		"  \"best\": {\"name\": \"x\", \"size\": 3}\n}\n"
	if got != want || !json.Valid([]byte(got)) {
		t.Errorf("got %s", got)
	}
	text := "puzzle  toy\n\nlist       1 18446744073709551616\nbest.name  x\nbest.size  3\n"
	if got := string(Report("", "toy", &s, Style{})); got != text {
		t.Errorf("got %q", got)
	}
}

// TestPiles demands that bricks stand on one ground in SVG, and have a cell each in DOT.
func TestPiles(t *testing.T) {
	a := &puzzle.Answer{Figures: []figure.Figure{{Name: "graph", Title: "piles", Graph: &figure.Graph{
		Nodes: []figure.Node{{ID: "rb,a", Fill: figure.Good, Piles: [][]figure.Brick{
			{{Fill: figure.Red}, {Fill: figure.Blue}}, {{Fill: figure.White, Label: "<"}},
		}}},
	}}}}
	svg := written(t, a, Form{Output: SVG})
	if err := xml.Unmarshal([]byte(svg), new(struct{})); err != nil {
		t.Error(err)
	}
	for colour, y := range map[string]string{"#e8685d": "8", "#6fa8dc": "17"} {
		if !strings.Contains(svg, `y="`+y+`" width="16" height="9" fill="`+colour+`"`) {
			t.Errorf("no brick of %s at %s in\n%s", colour, y, svg)
		}
	}
	if !strings.Contains(svg, `y="17" width="16" height="9" fill="#ffffff"`) || !strings.Contains(svg, "&lt;</text>") {
		t.Errorf("no white brick on the ground with its letter in\n%s", svg)
	}
	dot := written(t, a, Form{Output: DOT})
	for _, want := range []string{`<TR><TD BGCOLOR="#e8685d"`, `<TD BORDER="0"></TD></TR><TR><TD BGCOLOR="#6fa8dc"`,
		`>&lt;</FONT></TD></TR></TABLE>>, color="#2f9e44"`} {
		if !strings.Contains(dot, want) {
			t.Errorf("no %s in\n%s", want, dot)
		}
	}
}
