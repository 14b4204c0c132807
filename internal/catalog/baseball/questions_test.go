package baseball

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
	"pagoda/internal/puzzle/setting"
)

// ask asks a question of the definition with flags given as name=value.
func ask(t *testing.T, name string, run puzzle.RunView, args []string, flags ...string) (*puzzle.Answer, error) {
	t.Helper()
	for _, q := range Definition.Questions {
		if q.Name != name {
			continue
		}
		given := map[string]string{}
		for _, f := range flags {
			key, value, _ := strings.Cut(f, "=")
			given[key] = value
		}
		set, err := setting.NewSet(q.Flags, given)
		if err != nil {
			return nil, err
		}
		return q.Answer(t.Context(), puzzle.Request{Args: args, Flags: set, Run: run})
	}
	t.Fatalf("there is no question %s", name)
	return nil, nil
}

func TestSolveQuestion(t *testing.T) {
	for flag, want := range map[string]string{
		"method=shortest": "9", "method=best_push": "39",
		"method=one_base_at_a_time_best": "25", "method=one_base_at_a_time_worst": "25",
	} {
		a, err := ask(t, "solve", puzzle.RunView{}, []string{"44|_0|11|22|33"}, flag)
		if err != nil {
			t.Fatal(err)
		}
		f := fact(a.Summary, "moves")
		if f.Kind != puzzle.Number || f.Value.N.String() != want {
			t.Errorf("%s: %v moves, want %s", flag, f.Value.N, want)
		}
		rows := a.Summary.Tables[0].Rows
		if got := fmt.Sprint(len(rows) - 1); got != want || rows[len(rows)-1][4].S != "0_|11|22|33|44" {
			t.Errorf("%s: the way has %s moves and ends at %s", flag, got, rows[len(rows)-1][4].S)
		}
		if cells := a.Figures[0].Board.Cells; len(cells) != 10*(len(rows)+1) {
			t.Errorf("%s: %d cells drawn for %d configurations", flag, len(cells), len(rows))
		}
	}
	a, err := ask(t, "solve", puzzle.RunView{}, []string{"44|0_|11|22|33"}, "board=line")
	if err != nil || fact(a.Summary, "moves").Value.N.Lo < 9 {
		t.Errorf("on the line: %v, %v", a, err)
	}
	for _, text := range []string{"0_|12|11", "0_|1", ""} {
		_, err := ask(t, "solve", puzzle.RunView{}, []string{text})
		var s *setting.Error
		if !errors.As(err, &s) || !errors.Is(err, ErrConfiguration) || s.Advice() == "" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestTreeQuestion(t *testing.T) {
	a, err := ask(t, "tree", puzzle.RunView{}, []string{"3"})
	if err != nil {
		t.Fatal(err)
	}
	g := a.Figures[0].Graph
	if len(g.Nodes) != 33 || len(g.Edges) != 32 || g.Nodes[0].ID != "0_|11|22" ||
		list(a.Summary, "distances") != "1 2 4 9 10 7" {
		t.Errorf("%d nodes, %d edges, layers %s", len(g.Nodes), len(g.Edges), list(a.Summary, "distances"))
	}
	want := reference(3, Ring)
	for _, n := range g.Nodes {
		c, err := Parse(n.Label)
		if err != nil || want[c] != n.Level {
			t.Errorf("%s in level %d, want %d; %v", n.Label, n.Level, want[c], err)
		}
	}
	if lines := strings.Count(a.Text, "\n"); lines != 6 {
		t.Errorf("%d lines of text, want one for each distance:\n%s", lines, a.Text)
	}
	all, err := ask(t, "tree", puzzle.RunView{}, []string{"3"}, "edges=all")
	if err != nil || len(all.Figures[0].Graph.Edges) <= 32 {
		t.Errorf("all edges: %v", err)
	}
	for _, text := range []string{"1", "5", "three"} {
		if _, err := ask(t, "tree", puzzle.RunView{}, []string{text}); err == nil {
			t.Errorf("a tree of %s bases", text)
		}
	}
}

func TestCountQuestion(t *testing.T) {
	a, err := ask(t, "count", puzzle.RunView{}, []string{"7"})
	if err != nil || a.Text != "16854390\n" || fact(a.Summary, "configurations").Value.S != "16854390" {
		t.Errorf("%v, %v", a, err)
	}
	if a, err = ask(t, "count", puzzle.RunView{}, []string{"1000"}); err != nil || len(a.Text) < 4000 {
		t.Errorf("1000 bases: %v, %v", a, err)
	}
	for _, text := range []string{"0", "1001", "-1", "x"} {
		if _, err := ask(t, "count", puzzle.RunView{}, []string{text}); err == nil {
			t.Errorf("the number of configurations of %s bases", text)
		}
	}
}

func TestFarthestQuestion(t *testing.T) {
	for _, board := range []Board{Ring, Line} {
		for _, with := range []bool{false, true} {
			s := search(t, Params{Bases: 5, Board: board, Methods: with})
			m := puzzletest.Play(t, s, puzzletest.Options{Stored: true})
			a, err := ask(t, "farthest", puzzle.RunView{Puzzle: s, Results: m, Rows: m}, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := map[Configuration]bool{}
			err = a.Stream.Each(t.Context(), func(row []puzzle.Value) error {
				c, err := Parse(row[1].S)
				got[c] = true
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			worst, n := 0, 0
			for c, d := range reference(5, board) {
				switch {
				case d > worst:
					worst, n = d, 1
				case d == worst:
					n++
				}
				if got[c] && d != int(fact(a.Summary, "worst").Value.N.Lo) {
					t.Errorf("%v is at distance %d", c, d)
				}
			}
			if len(got) != n || int(fact(a.Summary, "worst").Value.N.Lo) != worst {
				t.Errorf("%d configurations on the %v, want %d at distance %d", len(got), board, n, worst)
			}
		}
	}
}

// TestDefinition: the settings make the search that they describe.
func TestDefinition(t *testing.T) {
	settings := append([]setting.Setting{{Name: "window_addresses", Kind: setting.Integer, Default: "0", Max: 1 << 62}},
		Definition.Settings...)
	for _, c := range []struct{ bases, board, methods, want string }{
		{"5", "ring", "auto", "5 ring true"}, {"8", "line", "auto", "8 line false"},
		{"8", "ring", "all", "8 ring true"}, {"3", "ring", "none", "3 ring false"},
	} {
		set, err := setting.NewSet(settings, map[string]string{"bases": c.bases, "board": c.board, "methods": c.methods})
		if err != nil {
			t.Fatal(err)
		}
		p, err := Definition.New(set)
		if err != nil {
			t.Fatal(err)
		}
		s := p.(*Search).params
		if got := fmt.Sprint(s.Bases, s.Board, s.Methods); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
	for _, bases := range []string{"", "1", "10", "many"} {
		if _, err := setting.NewSet(settings, map[string]string{"bases": bases}); err == nil {
			t.Errorf("bases %q", bases)
		}
	}
}

// TestSummaryOfThreeBases: the order and the kinds of the facts are a contract.
func TestSummaryOfThreeBases(t *testing.T) {
	s := search(t, Params{Bases: 3, Methods: true})
	m := puzzletest.Play(t, s, puzzletest.Options{Stored: true})
	sum, err := s.Summarise(m)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(document(sum.Facts))
	want := `["bases=3","board=ring","count=distances","configurations=33","distances=[1 2 4 9 10 7]","worst=5",` +
		`"mean=112/33","methods={[one_base_at_a_time_best={[worst=10 mean=191/33 optimal=9]} ` +
		`one_base_at_a_time_worst={[worst=12 mean=205/33 optimal=9]} best_push={[worst=11 mean=223/33 optimal=4]}]}"]`
	if err != nil || string(got) != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// document writes facts as name=value.
func document(facts []puzzle.Fact) []string {
	var out []string
	for _, f := range facts {
		v := f.Value.N.String()
		switch {
		case f.List != nil:
			v = "[" + list(puzzle.Summary{Facts: []puzzle.Fact{f}}, f.Name) + "]"
		case f.Fields != nil:
			v = fmt.Sprintf("{%v}", document(f.Fields))
		case f.Kind == puzzle.Text:
			v = f.Value.S
		}
		out = append(out, f.Name+"="+v)
	}
	return out
}

// TestOneTokenMoves demands that every move marks one token, also where it joins the other of its colour.
func TestOneTokenMoves(t *testing.T) {
	a, err := ask(t, "solve", puzzle.RunView{}, []string{"44|0_|11|22|33"})
	if err != nil {
		t.Fatal(err)
	}
	marks, joined := map[float64]int{}, 0
	cells := a.Figures[0].Board.Cells
	for i, c := range cells {
		if c.Foot == "" {
			continue
		}
		marks[c.Row]++
		if i%2 == 0 && cells[i+1].Label == c.Label {
			joined++
		}
	}
	moves := len(a.Summary.Tables[0].Rows) - 1
	if len(marks) != moves || joined == 0 {
		t.Errorf("%d of %d moves are marked, %d join their colour", len(marks), moves, joined)
	}
	for row, n := range marks {
		if n != 1 {
			t.Errorf("row %v marks %d tokens", row, n)
		}
	}
}
