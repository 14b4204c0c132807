package solitaire

import (
	"strings"
	"testing"

	"pagoda/internal/peg/pegtest"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
	"pagoda/internal/puzzle/setting"
)

func lines(p puzzle.Problem) string {
	var list []string
	for _, l := range p.Lines {
		list = append(list, l.Name+" "+l.Text)
	}
	return strings.Join(list, "\n")
}

// TestUnderstoodQuestion pins how problems are said to be understood, by name and drawn.
func TestUnderstoodQuestion(t *testing.T) {
	for _, test := range []struct {
		args  []string
		flags map[string]string
		want  string
	}{
		{[]string{"center", "r0c2"}, map[string]string{"board": "english"},
			"board english, 33 holes, 38 triplets, 76 jumps, 8 symmetries\n" +
				"start --ooo/--ooo/ooooooo/ooo.ooo/ooooooo/--ooo/--ooo, 32 pegs, all but 44\n" +
				"goal --o../--.../......./......./......./--.../--..., 1 peg, 31"},
		{[]string{"oo..", "..oo"}, map[string]string{"board": "oooo"},
			"board drawn, oooo on the square lattice, 4 holes, 2 triplets, 4 jumps, 2 symmetries\n" +
				"start oo.., 2 pegs\ngoal ..oo, 2 pegs"},
		{[]string{"r0c0", "0x1"}, map[string]string{"board": "o/oo/ooo/oooo", "lattice": "triangular"},
			"board drawn, ---o/--o-o/-o-o-o/o-o-o-o on the triangular lattice, which is the triangle4 board, 10 holes, " +
				"9 triplets, 18 jumps, 6 symmetries\n" +
				"start ---./--o-o/-o-o-o/o-o-o-o, 9 pegs, all but a1\ngoal ---o/--.-./-.-.-./.-.-.-., 1 peg, a1"},
	} {
		r, err := feasibleQuestion.Request(test.args, test.flags)
		if err != nil {
			t.Fatal(err)
		}
		p, err := askedProblem(r)
		if err != nil {
			t.Fatal(err)
		}
		if got := lines(understood(p)); got != test.want {
			t.Errorf("%q on %v is understood as\n%s\nwant\n%s", test.args, test.flags, got, test.want)
		}
	}
}

// TestUnderstoodSettings pins the same of runs.
func TestUnderstoodSettings(t *testing.T) {
	const board = "board square5, 25 holes, 30 triplets, 60 jumps, 8 symmetries\n"
	full := strings.Repeat("ooooo/", 5)
	start := "start .oooo/" + strings.TrimSuffix(full[6:], "/") + ", 24 pegs, all but 11"
	for settings, want := range map[string]string{
		"start=r0c0":                   board + start,
		"start=r0c0 goal=r0c1":         board + start + "\ngoal .o.../" + strings.Repeat("...../", 3) + "....., 1 peg, 21",
		"count=sequences":              board + "start any position\ngoal any position",
		"count=solutions pairs=all":    board + "start the full board without one peg: every hole\ngoal one peg: every hole",
		"count=survey pairs=one_peg":   strings.TrimSuffix(board, "\n"),
		"count=survey pairs=positions": strings.TrimSuffix(board, "\n"),
	} {
		given := map[string]string{"board": "square5"}
		for _, s := range strings.Fields(settings) {
			name, value, _ := strings.Cut(s, "=")
			given[name] = value
		}
		v, err := setting.NewSet(append([]setting.Setting{{Name: "name", Default: "toy"},
			{Name: "window_addresses", Kind: setting.Integer, Default: "0"}}, Definition.Settings...), given)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Definition.State(v)
		if got := lines(p); err != nil || got != want {
			t.Errorf("%s: %v, understood as\n%s\nwant\n%s", settings, err, got, want)
		}
	}
}

// TestDecisions demands of both questions the decision that their verdict says.
func TestDecisions(t *testing.T) {
	board := map[string]string{"board": "ooo"}
	for _, q := range []*puzzle.Question{&feasibleQuestion, &solveQuestion} {
		for goal, want := range map[string]puzzle.Decision{"..o": puzzle.Yes, "o..": puzzle.No} {
			if a := puzzletest.Ask(t, q, board, "oo.", goal); a.Decision != want {
				t.Errorf("%s to %s: %v", q.Name, goal, a)
			}
		}
	}
	if len(decisions) != 3 || decisions["unknown"] != puzzle.Undecided {
		t.Errorf("decisions are %v", decisions)
	}
	var facts []string
	for _, f := range withoutJumps(understoodBoard(pegtest.Named(t, "english"))).Facts {
		facts = append(facts, f.Name)
	}
	if got := strings.Join(facts, " "); got != "board lattice holes triplets board_jumps symmetries" {
		t.Error(got)
	}
}
