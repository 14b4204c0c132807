package peg_test

import (
	"errors"
	"strings"
	"testing"

	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
)

func TestParsePositions(t *testing.T) {
	english, triangle := pegtest.Named(t, "english"), pegtest.Named(t, "triangle5")
	for _, c := range []struct {
		board       *peg.Board
		text        string
		start, goal peg.Position
	}{
		{english, "center", english.Full() &^ (1 << 16), 1 << 16},
		{english, " Centre\n", english.Full() &^ (1 << 16), 1 << 16},
		{english, "r3c3", english.Full() &^ (1 << 16), 1 << 16},
		{english, "r0c2", english.Full() &^ 1, 1},
		{english, "R6C4", english.Full() >> 1, 1 << 32},
		{english, "0X1F", 0x1f, 0x1f},
		{english, "x00000001f", 0x1f, 0x1f},
		{english, "--o.o/--.../......./......./......./--.../--..o", 1<<32 | 5, 1<<32 | 5},
		{triangle, "r4c0", triangle.Full() &^ (1 << 10), 1 << 10},
		{triangle, "o/../o../..../.....", 9, 9},
		{triangle, "    o\n   . .\n  o . .\n . . . .\n. . . . .\n", 9, 9},
	} {
		if p, err := peg.ParseStart(c.board, c.text); err != nil || p != c.start {
			t.Errorf("start %q is %s, %v; want %s", c.text, peg.Hex(p), err, peg.Hex(c.start))
		}
		if p, err := peg.ParseGoal(c.board, c.text); err != nil || p != c.goal {
			t.Errorf("goal %q is %s, %v; want %s", c.text, peg.Hex(p), err, peg.Hex(c.goal))
		}
	}
}

func TestParsePositionErrors(t *testing.T) {
	for _, c := range []struct{ board, text, want string }{
		{"square6", "center", "no hole in its middle: name one, such as a1"},
		{"triangle5", "center", "no hole in its middle"},
		{"english", "r0c0", "no such hole: those of the row are r0c2 r0c3 r0c4"},
		{"english", "r7c0", "no such hole: it has none in that row, and its last is r6c4"},
		{"triangle5", "r1c2", "those of the row are r1c0 r1c1"},
		{"english", "r0c99999", "want center, a hole such as c1"},
		{"english", "", "want center"},
		{"english", "middle", "want center"},
		{"english", "0x", "not a hexadecimal number"},
		{"english", "x", "drawn full it is"},
		{"english", "0x0x1", "not a hexadecimal number"},
		{"english", "0xg", "not a hexadecimal number"},
		{"english", "0x200000000", "pegs outside the 33 holes"},
		{"english", "0x1ffffffffffffffff", "not a hexadecimal number"},
		{"english", "--o.o/--.../......./......./......./--.../--..", "the drawing lacks hole 57"},
		{"english", "-.o.o/--.../......./......./......./--.../--...", "line 1, column 2: a hole that the board has not"},
		{"english", "..o/.../......./......./......./.../ooo", "line 1, column 1: a hole that the board has not"},
		{"english", " - ", "the drawing is empty"},
		{"triangle5", "o\n. .\n. . .", "the drawing lacks hole a4"},
		{"triangle5", " .\n. .\n.  . .", "line 3, column 1: this hole is out of line"},
	} {
		b := pegtest.Named(t, c.board)
		_, err := peg.ParseStart(b, c.text)
		if !errors.Is(err, peg.ErrPosition) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s on %s: got %v, want %s", c.text, c.board, err, c.want)
		} else if strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "board "+c.board) {
			t.Errorf("error %q is not one line that names the board", err)
		}
	}
}

func FuzzParsePosition(f *testing.F) {
	for _, s := range []string{
		"center", "r0c2", "0x1ff", "--o.o/--.../......./......./......./--.../--..o", "o/oo/ooo/oooo", "r9c9",
	} {
		for i := range peg.Names() {
			f.Add(i, s)
		}
	}
	f.Fuzz(func(t *testing.T, board int, s string) {
		names := peg.Names()
		if board < 0 || board >= len(names) {
			return
		}
		b := pegtest.Named(t, names[board])
		p, err := peg.ParseStart(b, s)
		q, err2 := peg.ParseGoal(b, s)
		if (err == nil) != (err2 == nil) {
			t.Fatalf("start: %v, goal: %v", err, err2)
		}
		if err != nil {
			if !errors.Is(err, peg.ErrPosition) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("error %q", err)
			}
			return
		}
		if q != p && q != b.Complement(p) {
			t.Fatalf("start %s, goal %s", peg.Hex(p), peg.Hex(q))
		}
		checkDrawn(t, b, p, peg.FormatPosition(b, p))
	})
}
