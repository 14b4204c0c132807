package render

import (
	"regexp"
	"strings"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/uint128"
)

func TestDigits(t *testing.T) {
	for _, n := range []string{"0", "12", "999", "1000", "40861647040079968", "340282366920938463463374607431768211455"} {
		got := Style{Grouped: true}.digits(n)
		if strings.ReplaceAll(got, ",", "") != n || (Style{}).digits(n) != n {
			t.Errorf("%s became %s", n, got)
		}
		if groups := strings.Split(got, ","); len(n) > 3 && (len(groups) != (len(n)+2)/3 || groups[0] == "") {
			t.Errorf("%s has the groups %q", n, groups)
		}
	}
}

// TestOnlyTextIsGrouped asks for every form in the style of a terminal: programs read all but text.
func TestOnlyTextIsGrouped(t *testing.T) {
	var s puzzle.Summary
	s.AddCount("ways", uint128.From(1234567), "ways")
	s.Tables = []puzzle.Table{{Name: "next", Columns: []puzzle.Column{{Name: "n", Kind: puzzle.Number}},
		Rows: [][]puzzle.Value{{{N: uint128.From(7654321)}}}}}
	for _, output := range []string{Text, JSON, "csv", "jsonl", "markdown"} {
		style := Style{Grouped: true, Colour: true, Width: 40}
		got := written(t, &puzzle.Answer{Summary: s}, Form{Output: output, Style: style})
		plain := strings.Contains(got, "7654321")
		if grouped := strings.Contains(got, "7,654,321"); grouped != (output == Text) || plain == grouped {
			t.Errorf("%s: %s", output, got)
		}
	}
}

// jump is a board of three holes after a jump to the right.
func jump(title string) figure.Figure {
	return figure.Figure{Name: "jump", Title: title, Board: &figure.Board{Cells: []figure.Cell{
		{Glyph: '.', Ring: figure.Orange},
		{Glyph: '.', Column: 1},
		{Glyph: 'o', Column: 2, Fill: figure.Accent, Ring: figure.Orange},
		{Glyph: 'o', Row: 1, Fill: figure.Accent},
	}}}
}

func TestBoardsSideBySide(t *testing.T) {
	list := []figure.Figure{jump("1"), jump("two"), jump("3")}
	for width, want := range map[int]string{
		9: "\n1\n(.).(o)\n o\n\ntwo\n(.).(o)\n o\n\n3\n(.).(o)\n o\n",
		// Two boards of seven columns take seventeen with the blank space between them.
		16: "\n1\n(.).(o)\n o\n\ntwo\n(.).(o)\n o\n\n3\n(.).(o)\n o\n",
		17: "\n1         two\n(.).(o)   (.).(o)\n o         o\n\n3\n(.).(o)\n o\n",
		27: "\n1         two       3\n(.).(o)   (.).(o)   (.).(o)\n o         o         o\n",
		0:  "\n1         two       3\n(.).(o)   (.).(o)   (.).(o)\n o         o         o\n",
	} {
		plain := Sheet{Style: Style{Width: width}}
		plain.figures(list)
		if got := string(plain.Bytes()); got != want {
			t.Errorf("width %d:\n%s\nwant:\n%s", width, got, want)
		}
		coloured := Sheet{Style: Style{Width: width, Colour: true}}
		coloured.figures(list)
		got := string(coloured.Bytes())
		if !strings.Contains(got, "\x1b[1;35m(.)\x1b[0m\x1b[2m.\x1b[0m\x1b[1;35m(o)\x1b[0m") {
			t.Errorf("width %d has other colours: %q", width, got)
		}
		if got = regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(got, ""); got != want {
			t.Errorf("width %d in colours:\n%s\nwant:\n%s", width, got, want)
		}
	}
}

func TestLongTextsGoOn(t *testing.T) {
	var s puzzle.Summary
	s.AddText("jumps", "aa bb cc dd", "jumps")
	for width, want := range map[int]string{
		0:  "puzzle  toy\njumps   aa bb cc dd\n",
		19: "puzzle  toy\njumps   aa bb cc dd\n",
		18: "puzzle  toy\njumps   aa bb cc\n        dd\n",
	} {
		if got := string(Report("", "toy", &s, Style{Width: width})); got != want {
			t.Errorf("width %d:\n%s", width, got)
		}
	}
}

func TestExplained(t *testing.T) {
	var s puzzle.Summary
	s.AddCount("ways", uint128.From(5), "jump sequences to the goal")
	s.Tables = []puzzle.Table{{Name: "next", Columns: []puzzle.Column{{Name: "n", Kind: puzzle.Number, Doc: "a number"}},
		Rows: [][]puzzle.Value{{{N: uint128.From(3)}}}}}
	for _, explained := range []bool{false, true} {
		got := written(t, &puzzle.Answer{Summary: s, Explained: explained}, Form{Output: Text})
		for _, doc := range []string{"  n:  a number\n", "ways  5  jump sequences to the goal\n"} {
			if strings.Contains(got, doc) != explained {
				t.Errorf("explained %v, %q:\n%s", explained, doc, got)
			}
		}
	}
}
