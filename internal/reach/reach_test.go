package reach

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
	"pagoda/internal/peg/reference"
)

func newReach(t fatal, board, start string, windowSlots uint64) *Reach {
	t.Helper()
	b, err := peg.Named(board)
	if err != nil {
		t.Fatal(err)
	}
	p := Params{Board: b, WindowSlots: windowSlots}
	if p.Start, err = peg.ParseStart(b, start); err != nil {
		t.Fatal(err)
	}
	r, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// layers writes the table of layers as text: jumps, pegs, classes, positions, dead positions.
func layers(t fatal, r *Reach, m *memory) string {
	t.Helper()
	s, err := r.Summarise(m)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, row := range s.Tables[0].Rows {
		for i, v := range row {
			if i > 0 {
				text.WriteByte(' ')
			}
			text.WriteString(v.N.String())
		}
		text.WriteByte('\n')
	}
	return text.String()
}

// expected is layers, the obvious way.
func expected(b *peg.Board, start peg.Position) string {
	var text strings.Builder
	group := peg.Stabiliser(b.Symmetries(), start)
	for _, l := range reference.Play(b, start, -1) {
		fmt.Fprintln(&text, l.Jumps, l.Pegs, len(l.Classes(group)), len(l.Paths), len(l.Dead))
	}
	return text.String()
}

func TestSmallBoards(t *testing.T) {
	for _, test := range []struct{ board, start string }{
		{"triangle4", "r1c0"}, {"triangle4", "r0c0"}, {"triangle5", "r0c0"}, {"triangle5", "r2c1"}, {"triangle5", "r1c0"},
		{"triangle6", "r1c1"}, {"hexagon19", "center"}, {"hexagon19", "r0c0"}, {"square5", "0x1000ff"},
	} {
		t.Run(test.board+" "+test.start, func(t *testing.T) {
			r := newReach(t, test.board, test.start, 0)
			m := newMemory(t, false, true)
			m.play(r, true)
			if got, want := layers(t, r, m), expected(r.params.Board, r.params.Start); got != want {
				t.Fatalf("got\n%swant\n%s", got, want)
			}
		})
	}
}

// TestRandomBoards compares with the reference on random boards, symmetric ones and others, cut and cached at random.
func TestRandomBoards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b *peg.Board
		var start peg.Position
		if rapid.Bool().Draw(t, "symmetric") {
			b = pegtest.SymmetricBoard(16).Draw(t, "board")
			start = pegtest.SymmetricStart(b).Draw(t, "start")
		} else {
			b = pegtest.Board(3, 15).Draw(t, "board")
			start = pegtest.Start(b).Draw(t, "start")
		}
		slots := rapid.SampledFrom([]uint64{0, 64, 100, 640, 1 << 16}).Draw(t, "window slots")
		r, err := New(Params{Board: b, Start: start, WindowSlots: slots})
		if err != nil {
			t.Fatal(err)
		}
		cached := rapid.Bool().Draw(t, "cached")
		m := newMemory(t, true, cached)
		m.play(r, true)
		if got, want := layers(t, r, m), expected(b, start); got != want {
			t.Fatalf("%s from %s: got\n%swant\n%s", peg.FormatLine(b, b.Full()), peg.FormatLine(b, start), got, want)
		}
	})
}

func TestEnglishCentre(t *testing.T) {
	r := newReach(t, "english", "center", 0)
	m := newMemory(t, false, true)
	m.play(r, true)
	for name, want := range map[string]string{"positions": "187636299", "classes": "23475688"} {
		if got := m.fact(r, name); got != want {
			t.Errorf("%s %s, want %s", name, got, want)
		}
	}
}
