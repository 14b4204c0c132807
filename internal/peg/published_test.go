package peg_test

import (
	"strings"
	"testing"

	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
)

// TestPublishedPositions reads positions of named boards in the notations of planning instances, of contests, of
// programs and of articles. Where want is no position it is a part of the refusal.
func TestPublishedPositions(t *testing.T) {
	const (
		centre = "--ooo/--ooo/ooooooo/ooo.ooo/ooooooo/--ooo/--ooo"
		only   = "--.../--.../......./...o.../......./--.../--..."
		corner = "----./---o-o/--o-o-o/-o-o-o-o/o-o-o-o-o"
	)
	for name, c := range map[string]struct{ board, text, want string }{
		"blanks between all": {"english", "    o o o    \n    o o o    \no o o o o o o\no o o . o o o\no o o o o o o\n" +
			"    o o o    \n    o o o    ", centre},
		"planning instance": {"english", "    * o o     \n    o * o     \no o * * * o o \no * o o * * o \no o * * * o o \n" +
			"    o * o     \n    o o o     ", "--o../--.o./..ooo../.o..oo./..ooo../--.o./--..."},
		"invasion": {"english", "--***--\n--*o*--\n*******\n*******\n*******\n--***--\n--***--",
			"--ooo/--o.o/ooooooo/ooooooo/ooooooo/--ooo/--ooo"},
		"X and O": {"english", "  XXX  \n  XXX  \nXXXXXXX\nXXXOXXX\nXXXXXXX\n  XXX  \n  XXX  ",
			"two readings: X a peg and O"},
		"X and 0":  {"english", "  XXX  \n  XXX  \nXXXXXXX\nXXX0XXX\nXXXXXXX\n  XXX  \n  XXX  ", centre},
		"x blocks": {"english", "xx...xx\nxx...xx\n.......\n...o...\n.......\nxx...xx\nxx...xx", only},
		"x vacant": {"english", "##ooo##\n##ooo##\nooooooo\noooxooo\nooooooo\n##ooo##\n##ooo##",
			"two readings: x a peg and o"},
		"contest walls":   {"english", "##ooo##\n##ooo##\nooooooo\nooo.ooo\nooooooo\n##ooo##\n##ooo##", centre},
		"contest blocks":  {"english", "XXoooXX\nXXoooXX\nooooooo\nooo.ooo\nooooooo\nXXoooXX\nXXoooXX", centre},
		"contest letters": {"english", "x x e e e x x\nx x o e e x x", "line 1, column 5: 'e' is neither a hole"},
		"circles in a margin of dots": {"english",
			".........\n...●●●...\n...●●●...\n.●●●●●●●.\n.●●●○●●●.\n.●●●●●●●.\n...●●●...\n" +
				"...●●●...\n.........", centre},
		"circles and middle dots": {"english", "· · ● ● ● · ·\n· · ● ● ● · ·\n● ● ● ● ● ● ●\n● ● ● ○ ● ● ●\n● ● ● ● ● ● ●\n" +
			"· · ● ● ● · ·\n· · ● ● ● · ·", centre},
		"dots for no hole": {"english", "..OOO..\n..OOO..\nOOOOOOO\nOOO_OOO\nOOOOOOO\n..OOO..\n..OOO..", centre},
		"dash empty":       {"english", "  ooo  \n  ooo  \nooooooo\nooo-ooo\nooooooo\n  ooo  \n  ooo  ", centre},
		"array of rows": {"english",
			"[[-1, -1, 1, 1, 1, -1, -1],\n [-1, -1, 1, 1, 1, -1, -1],\n [ 1,  1, 1, 1, 1,  1,  1],\n" +
				" [ 1,  1, 1, 0, 1,  1,  1],\n [ 1,  1, 1, 1, 1,  1,  1],\n [-1, -1, 1, 1, 1, -1, -1],\n" +
				" [-1, -1, 1, 1, 1, -1, -1]]",
			centre},
		"array in one line": {"english",
			"{{-1,-1,0,0,0,-1,-1},{-1,-1,0,0,0,-1,-1},{0,0,0,0,0,0,0},{0,0,0,1,0,0,0},{0,0,0,0,0,0,0}," +
				"{-1,-1,0,0,0,-1,-1},{-1,-1,0,0,0,-1,-1}}", only},
		"numbers": {"english", "-1 -1 1 1 1 -1 -1\n-1 -1 1 1 1 -1 -1\n1 1 1 1 1 1 1\n1 1 1 0 1 1 1\n1 1 1 1 1 1 1\n" +
			"-1 -1 1 1 1 -1 -1\n-1 -1 1 1 1 -1 -1", centre},
		"array with twos": {"english", "[[2,2,1,1,1,2,2],[2,2,1,1,1,2,2]]", "'2' is neither a hole"},
		"0 for no hole and for empty": {"english", "0011100/0011100/1111111/1110111/1111111/0011100/0011100",
			"a hole that the board has not"},
		"two strings": {"english", `["  ooo  ", "  ooo  "]`, "in one cell of a table"},
		"tabs": {"english", "\t\to\to\to\n\t\to\to\to\no\to\to\to\to\to\to\no\to\to\t.\to\to\to\no\to\to\to\to\to\to\n" +
			"\t\to\to\to\n\t\to\to\to\n", centre},
		"semicolons": {"english",
			";;1;1;1;;\r\n;;1;1;1;;\r\n1;1;1;1;1;1;1\r\n1;1;1;0;1;1;1\r\n1;1;1;1;1;1;1\r\n;;1;1;1;;\r\n;;1;1;1;;\r\n",
			centre},
		"byte order mark": {"english", "\ufeff  ooo\r\n  ooo\r\nooooooo\r\nooo.ooo\r\nooooooo\r\n  ooo\r\n  ooo\r\n", centre},
		"centring lost":   {"english", "ooo\nooo\nooooooo\nooo.ooo\nooooooo\nooo\nooo", "a hole that the board has not"},
		"triangle":        {"triangle5", "    .\n   X X\n  X X X\n X X X X\nX X X X X", corner},
		"wide triangle":   {"triangle5", "        .\n      O   O\n    O   O   O\n  O   O   O   O\nO   O   O   O   O", corner},
		"left triangle":   {"triangle5", "0\n1 1\n1 1 1\n1 1 1 1\n1 1 1 1 1", corner},
		"dotted triangle": {"triangle5", "....0....\n...1.1...\n..1.1.1..\n.1.1.1.1.\n1.1.1.1.1", corner},
		"left hexagon": {"hexagon19", "* * *\n* * * *\n* * o * *\n* * * *\n* * *",
			"--o-o-o/-o-o-o-o/o-o-.-o-o/-o-o-o-o/--o-o-o"},
		"hole 17":   {"english", "17", only},
		"label 44":  {"english", "44", only},
		"letter d4": {"english", "D4", only},
		"hole 13 or 13": {"english", "13",
			"two readings: hole 13 (g3), or column and row (a3); write it another way, such as a3"},
		"hole 5":    {"triangle5", "5", "----./---.-./--.-o-./-.-.-.-./.-.-.-.-."},
		"letter b3": {"triangle5", "b3", "----./---.-./--.-o-./-.-.-.-./.-.-.-.-."},
		"hole 99":   {"english", "99", "there is no hole 99, from 1 in rows from the top left, of 33"},
		"hole 0":    {"triangle5", "0", "the drawing lacks hole a2"},
		"letter a1": {"english", "a1", "no such hole: those of the row are c1 d1 e1"},
	} {
		b := pegtest.Named(t, c.board)
		p, err := peg.ParseGoal(b, c.text)
		switch got := peg.FormatLine(b, p); {
		case err != nil && !strings.Contains(err.Error(), c.want):
			t.Errorf("%s: %v, want %s", name, err, c.want)
		case err != nil && strings.Contains(err.Error(), "\n"):
			t.Errorf("%s: error %q is not one line", name, err)
		case err == nil && got != c.want:
			t.Errorf("%s reads as %s, want %s", name, got, c.want)
		}
	}
}

// TestPublishedBoards reads boards that have no name here.
func TestPublishedBoards(t *testing.T) {
	for name, c := range map[string]struct {
		lattice    peg.Lattice
		text, want string
	}{
		"blanks between all":  {peg.Square, " o o o \n o . o \n o o o ", "ooo/ooo/ooo"},
		"blanks and dashes":   {peg.Square, "- o o o -\no o . o o\n- o o o -", "-ooo/ooooo/-ooo"},
		"hole missing inside": {peg.Square, "o o o o\no o   o\no o o o", "oooo/oo-o/oooo"},
		"three blanks":        {peg.Square, "o   o   o\no   .   o\no   o   o", "ooo/ooo/ooo"},
		"one column":          {peg.Square, "o\n.\no", "o/o/o"},
		"two steps":           {peg.Square, "o\no\no\n o\n o\n o", "o/o/o/-o/-o/-o"},
		"X and O": {peg.Square, "  XXX\n  XXX\nXXXXXXX\nXXXOXXX\nXXXXXXX\n  XXX\n  XXX",
			"--ooo/--ooo/ooooooo/ooooooo/ooooooo/--ooo/--ooo"},
		"circles in dots":      {peg.Square, "..●●●..\n.●●○●●.\n..●●●..", "-ooo/ooooo/-ooo"},
		"planning rows":        {peg.Square, "o o o\no o o\n* * *\n* * *", "ooo/ooo/ooo/ooo"},
		"slash and line break": {peg.Square, "ooo/\nooo/\nooo/\n", "ooo/ooo/ooo"},
		"dots for no hole": {peg.Square, "..ooo..\n..ooo..\nooooooo\nooooooo\nooooooo\n..ooo..\n..ooo..",
			"two readings: ooooooo/"},
		"walls":       {peg.Square, "###...###\n##oo.####\n.....oo..\n##.....##\n###...###", "two readings: "},
		"underscores": {peg.Square, "__OO_\n__OO_\nOOXOO\nOOOOO\n_OO__", "two readings: "},
		"0 for no hole": {peg.Square, "[[0,1,1,1],[1,1,1,1],[1,1,1,0]]",
			"two readings: oooo/oooo/oooo (12 holes), or -ooo/oooo/ooo (10 holes)"},
		"dash empty": {peg.Square, "  ooo\n  ooo\nooooooo\nooo-ooo\nooooooo\n  ooo\n  ooo", "two readings: --ooo"},
		"square picture": {peg.Square, "    o\n   o o\n  o o o\n o o o o\no o o o o",
			"no two holes of a row are neighbours"},
		"triangle":            {peg.Triangular, "  x\n x x\nx . x", "--o/-o-o/o-o-o"},
		"wide triangle":       {peg.Triangular, "    O\n  O   O\nO   .   O", "--o/-o-o/o-o-o"},
		"left triangle":       {peg.Triangular, "o\no o\no o o\no . o o", "---o/--o-o/-o-o-o/o-o-o-o"},
		"left hexagon":        {peg.Triangular, "o o o\no o o o\no o o o o\no o o o\no o o", "two readings: "},
		"dotted triangle":     {peg.Triangular, "..o..\n.o.o.\no.o.o", "two readings: "},
		"picture with dashes": {peg.Triangular, "--o--\n-o o-\no o o", "--o/-o-o/o-o-o"},
		"wide dotted hexagon": {peg.Triangular, ".  .  o  .  o  .  o  .  .\n.  o  .  o  .  o  .  o  .\n" +
			"o  .  o  .  o  .  o  .  o\n.  o  .  o  .  o  .  o  .\n.  .  o  .  o  .  o  .  .", "two readings: "},
		"rows apart":    {peg.Square, "ooo\n---\nooo", "ooo//ooo"},
		"empty rows":    {peg.Square, "ooo//ooo", "ooo//ooo"},
		"walls or pegs": {peg.Square, "#o#\nooo\n#o#", "two readings: ooo/ooo/ooo (9 holes), or -o/ooo/-o (5 holes)"},
	} {
		b, err := peg.Draw("drawn", c.lattice, c.text)
		switch {
		case err != nil && !strings.Contains(err.Error(), c.want):
			t.Errorf("%s: %v, want %s", name, err, c.want)
		case err == nil && peg.FormatLine(b, b.Full()) != c.want:
			t.Errorf("%s reads as %s, want %s", name, peg.FormatLine(b, b.Full()), c.want)
		}
	}
}
