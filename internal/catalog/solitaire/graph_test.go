package solitaire

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
	"pagoda/internal/puzzle/puzzletest"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/puzzle/uint128"
)

// TestGraphOfTriangle compares the graph of triangle5 from a corner with the run of all its games, which counts 568630
// games in 3016 positions: games end where no jump can be played.
func TestGraphOfTriangle(t *testing.T) {
	a := puzzletest.Ask(t, &graphQuestion, map[string]string{"from": "a1"}, "triangle5")
	if n := fact(t, a, "positions"); n != "3016" {
		t.Errorf("%s positions", n)
	}
	b := pegtest.Named(t, "triangle5")
	start, err := peg.ParseStart(b, "a1")
	if err != nil {
		t.Fatal(err)
	}
	from, leaves := peg.FormatLine(b, start), map[string]bool{}
	for _, row := range a.Summary.Tables[0].Rows {
		leaves[row[0].S] = true
	}
	var games uint128.Uint128
	for _, row := range a.Summary.Tables[1].Rows {
		if row[0].S == from && !leaves[row[1].S] {
			games, _ = games.Add(row[3].N)
		}
	}
	if games != uint128.From(568630) {
		t.Errorf("%v games", games)
	}
	if len(a.Figures) != 0 {
		t.Error("3016 positions are drawn")
	}
}

// TestGraphUndecided compares with surveys of the same boards (count: survey), which find the games another way: the
// problems that no criterion decides with their open ones, and the pairs with a game with their solvable ones.
func TestGraphUndecided(t *testing.T) {
	for _, test := range []struct {
		board, kind string
		want        int
	}{{"triangle5", "vacancies", 21}, {"triangle4", "positions", 3774}, {"ooo/ooo/ooo", "positions", 8}} {
		a := puzzletest.Ask(t, &graphQuestion, map[string]string{"undecided": test.kind}, test.board)
		if n, rows := fact(t, a, "all_undecided"), len(a.Summary.Tables[0].Rows); n != fmt.Sprint(test.want) ||
			rows != test.want {
			t.Errorf("%s, %s: %s in %d rows", test.board, test.kind, n, rows)
		}
	}
	for board, want := range map[string]string{"triangle4": "12558", "ooo/ooo/ooo": "1938"} {
		if n := fact(t, puzzletest.Ask(t, &graphQuestion, nil, board), "all_pairs"); n != want {
			t.Errorf("%s: %s pairs with a game, want %s", board, n, want)
		}
	}
}

// TestGraphDrawn: a node for each position, an edge for each jump, and positions with as many pegs in one row.
func TestGraphDrawn(t *testing.T) {
	a := puzzletest.Ask(t, &graphQuestion, map[string]string{"from": "oo.o"}, "oooo")
	g := a.Figures[0].Graph
	if len(g.Nodes) != 3 || len(g.Edges) != 2 || g.Nodes[0].Level != 0 || g.Nodes[1].Level != 1 || g.Nodes[2].Level != 2 {
		t.Errorf("%+v", g)
	}
	if !strings.Contains(a.Text, "\noo.o to .o.., 1 game of 2 jumps\n") {
		t.Errorf("text %q", a.Text)
	}
}

// TestGraphRefused: input that cannot be answered is refused by its name.
func TestGraphRefused(t *testing.T) {
	for _, test := range []struct {
		flags     map[string]string
		board     string
		is, about string
	}{
		{nil, "english", argBoard, "too many holes"},
		{nil, "oooo/oooo/oooo/oooo", "from", "more than 262144 pairs"},
		{map[string]string{"from": "z9"}, "ooo", "from", "bad position"},
		{map[string]string{"undecided": "positions"}, "triangle5", "undecided", "at most 10 holes"},
	} {
		r, err := graphQuestion.Request([]string{test.board}, test.flags)
		if err == nil {
			_, err = graphQuestion.Answer(t.Context(), r)
		}
		var e *setting.Error
		if !errors.As(err, &e) || e.Setting != test.is || !strings.Contains(err.Error(), test.about) {
			t.Errorf("%s %v: %v", test.board, test.flags, err)
		}
	}
}
