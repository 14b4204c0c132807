package peg_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
)

func TestPictures(t *testing.T) {
	for _, c := range []struct{ board, want string }{
		{"english", "  ooo\n  ooo\nooooooo\nooo.ooo\nooooooo\n  ooo\n  ooo"},
		{"triangle4", "   o\n  o o\n o . o\no o o o"},
		{"hexagon19", "  o o o\n o o o o\no o . o o\n o o o o\n  o o o"},
	} {
		b := pegtest.Named(t, c.board)
		p, err := peg.ParseStart(b, "center")
		if err != nil {
			t.Fatal(err)
		}
		if got := peg.FormatPosition(b, p); got != c.want {
			t.Errorf("%s is drawn\n%s\nwant\n%s", c.board, got, c.want)
		}
	}
	b := pegtest.Named(t, "triangle5")
	if got, want := peg.FormatLine(b, 1), "----o/---.-./--.-.-./-.-.-.-./.-.-.-.-."; got != want {
		t.Errorf("in one line %s, want %s", got, want)
	}
}

// TestDrawForms draws the same boards in every form that the documentation allows.
func TestDrawForms(t *testing.T) {
	for _, c := range []struct {
		board    string
		lattice  peg.Lattice
		drawings []string
	}{
		{"english", peg.Square, []string{
			"  ...\n  ...\n.......\n.......\n.......\n  ...\n  ...",
			"\n\n   --ooo--\r\n   --ooo--\r\n   ooooooo\r\n   ooo.ooo\r\n   ooooooo\r\n   --ooo--\r\n   --ooo--\r\n   \n",
			"--***/--***/*******/*******/*******/--***/--***",
		}},
		{"triangle4", peg.Triangular, []string{
			".\n..\n...\n....",
			"---o/--o-o/-o-o-o/o-o-o-o",
			"\n    o\n   o o\n  o o o\n o o o o\n",
			"-o/-oo/-ooo/-oooo",
		}},
		{"hexagon19", peg.Triangular, []string{
			"ooo/oooo/ooooo/-oooo/--ooo",
			"  o o o\n o o o o\no o o o o\n o o o o\n  o o o",
		}},
	} {
		want := pegtest.Named(t, c.board)
		for _, d := range c.drawings {
			b, err := peg.Draw("drawn", c.lattice, d)
			if err != nil {
				t.Errorf("%q: %v", d, err)
			} else if got, want := peg.FormatPosition(b, 0), peg.FormatPosition(want, 0); got != want {
				t.Errorf("%q is\n%s\nwant\n%s", d, got, want)
			}
		}
	}
}

func TestDrawErrors(t *testing.T) {
	for _, c := range []struct {
		lattice       peg.Lattice
		drawing, want string
	}{
		{peg.Square, "", "the drawing is empty"},
		{peg.Square, " \n-- /", "the drawing is empty"},
		{peg.Square, "ooo\noqo",
			`line 2, column 2: 'q' is neither a hole (o . and also O X x # * @ 1 _ 0) nor blank (space -)`},
		{peg.Square, "ooo/\to", `line 1, column 1: "ooo" in one cell of a table: want one sign`},
		{peg.Square, "[2,1,1]", `line 1, column 1: '2' is neither`},
		{peg.Square, "oo\n☃", `line 2, column 1: '☃' is neither`},
		{peg.Square, "oo\n-\xff", `line 2, column 2: '�' is neither`},
		{peg.Square, "oo/oo", "no jump is possible"},
		{peg.Square, "o o", "no jump is possible"},
		{peg.Square, "o-o-o/o-o-o/o-o-o", "no two holes of a row are neighbours"},
		{peg.Square, "  o\n o o\no o o", "is on the triangular lattice"},
		{peg.Square, "ooo\n\nooo\n\nooo", "no two lines with holes are neighbours"},
		{peg.Square, "-1 -1 1 1 1 -1 -1\n11 1 1 1 1 1 1",
			"line 1 has two readings: -1 as one number, or as no hole and a peg"},
		{peg.Square, "oXo/o.@", "want one sign for a peg and one for an empty hole: it has o X . @"},
		{peg.Triangular, "o/oo", "no jump is possible"},
		{peg.Square, strings.Repeat("oooooooo/", 8) + "-o", "it has 65 holes, and at most 64 holes"},
		{peg.Square, strings.Repeat("oooooooo/", 128) + "-o", "line 129, column 2: hole number 1025: at most 1024 holes"},
		{peg.Square, "ooo" + strings.Repeat("-", 1030) + "o", "line 1, column 1034: a hole in row 0 and column 1033"},
		{peg.Triangular, "   o\n  o o\n o o o\no o  o o", "line 4, column 6: this hole is out of line"},
		{peg.Triangular, "o/-o/o", "no jump is possible"},
		{peg.Triangular, "o o o\no o o o\no o o o o\no o o o\no o o", "two readings: "},
		{peg.Triangular, "o/o/o", "line 2, column 1: this hole is out of line"},
		{peg.Lattice(7), "ooo", "lattice 7"},
	} {
		_, err := peg.Draw("mine", c.lattice, c.drawing)
		if !errors.Is(err, peg.ErrBoard) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %s", c.drawing, err, c.want)
		} else if strings.ContainsAny(err.Error(), "\n") || !strings.Contains(err.Error(), `"mine"`) {
			t.Errorf("%q: error %q is not one line that names the board", c.drawing, err)
		}
	}
}

// TestDrawRoundTrip: a printed drawing reads as the same board and the same position, in both forms and however it is
// moved.
func TestDrawRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.OneOf(
			pegtest.Board(3, 64),
			rapid.Map(rapid.SampledFrom(peg.Names()), func(n string) *peg.Board { b, _ := peg.Named(n); return b }),
		).Draw(t, "board")
		p := pegtest.Position(b).Draw(t, "position")
		picture := peg.FormatPosition(b, p)
		if rapid.Bool().Draw(t, "one line") {
			picture = peg.FormatLine(b, p)
		}
		lines := strings.FieldsFunc(picture, func(c rune) bool { return c == '\n' || c == '/' })
		indent := strings.Repeat(" ", rapid.IntRange(0, 3).Draw(t, "indent"))
		picture = strings.Repeat("\n", rapid.IntRange(0, 3).Draw(t, "above")) + indent + strings.Join(lines, " \n"+indent)
		checkDrawn(t, b, p, picture)
	})
}

func checkDrawn(t rapid.TB, b *peg.Board, p peg.Position, picture string) {
	t.Helper()
	again, err := peg.Draw("again", b.Lattice, picture)
	if err != nil && strings.Contains(err.Error(), "two readings") && p.Pegs() < b.Size() &&
		!strings.Contains(peg.FormatLine(b, p), "-") {
		again, err = peg.Draw("again", b.Lattice, peg.FormatPosition(b, b.Full())) // an empty corner, and no sign for no hole
	}
	if err != nil {
		t.Fatalf("%q: %v", picture, err)
	}
	if got, want := peg.FormatLine(again, 0), peg.FormatLine(b, 0); got != want {
		t.Fatalf("board %s reads as %s", want, got)
	}
	for _, parse := range []func(*peg.Board, string) (peg.Position, error){peg.ParseStart, peg.ParseGoal} {
		for _, s := range []string{picture, peg.Hex(p), b.Hex(p)} {
			if q, err := parse(b, s); err != nil || q != p {
				t.Fatalf("%q reads as %s, %v; want %s", s, peg.Hex(q), err, peg.Hex(p))
			}
		}
	}
}

func FuzzDraw(f *testing.F) {
	for _, s := range []string{
		"ooo", "o/oo/ooo/oooo", "  o\n o o\no o o", "--ooo--/-ooooo-",
		"o\r\n o\n\n*.*", "x", "o.o/☃", "X X 0\n", "[[1,1,-1],[0,1,1]]", "\to\t·\to", "#o#/ooo/#o#", "..O/OOO/OO.",
	} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, s string, triangular bool) {
		l := peg.Square
		if triangular {
			l = peg.Triangular
		}
		b, err := peg.Draw("fuzz", l, s)
		if err != nil {
			if !errors.Is(err, peg.ErrBoard) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("error %q", err)
			}
			return
		}
		if len(b.Jumps) == 0 || b.Size() > peg.MaxHoles {
			t.Fatalf("a board of %d holes and %d jumps", b.Size(), len(b.Jumps))
		}
		checkDrawn(t, b, b.Full(), peg.FormatPosition(b, b.Full()))
		checkDrawn(t, b, 0, peg.FormatLine(b, 0))
	})
}
