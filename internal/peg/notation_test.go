package peg_test

import (
	"strings"
	"testing"

	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
)

func TestLabels(t *testing.T) {
	for _, c := range []struct {
		board    string
		row, col int
		want     string
	}{
		{"english", 3, 3, "44"}, {"english", 0, 2, "31"}, {"english", 4, 6, "75"}, {"wiegleb", 8, 3, "49"},
		{"triangle5", 0, 0, "a1"}, {"triangle5", 3, 2, "c4"}, {"triangle10", 9, 9, "j10"},
	} {
		b := pegtest.Named(t, c.board)
		i, ok := b.Hole(c.row, c.col)
		if !ok {
			t.Fatal(c)
		}
		if got := b.Label(i); got != c.want {
			t.Errorf("%s, row %d, column %d: %s, want %s", c.board, c.row, c.col, got, c.want)
		}
	}
	b, err := peg.Draw("wide", peg.Square, strings.Repeat("o", 30))
	if err != nil {
		t.Fatal(err)
	}
	if got := b.Label(29); got != "r0c29" {
		t.Errorf("a board of 30 columns: %s", got)
	}
}

// TestShortPositions demands that a written position is read as the same position, also on boards whose labels may be
// numbers.
func TestShortPositions(t *testing.T) {
	for _, name := range peg.Names() {
		b := pegtest.Named(t, name)
		for i := range b.Size() {
			start, goal := b.Complement(1<<i), peg.Position(1<<i)
			if p, err := peg.ParseStart(b, b.ShortStart(start)); err != nil || p != start {
				t.Errorf("%s, %s: %v, %v", name, b.ShortStart(start), p, err)
			}
			if p, err := peg.ParseGoal(b, b.ShortGoal(goal)); err != nil || p != goal {
				t.Errorf("%s, %s: %v, %v", name, b.ShortGoal(goal), p, err)
			}
		}
		if p, err := peg.ParseStart(b, b.ShortStart(3)); err != nil || p != 3 {
			t.Errorf("%s, %s: %v, %v", name, b.ShortStart(3), p, err)
		}
	}
	b := pegtest.Named(t, "english")
	got := [...]string{b.ShortGoal(1), b.ShortGoal(1 << 16), b.ShortGoal(3)}
	if got != [...]string{"c1", "44", "x000000003"} {
		t.Errorf("got %q", got)
	}
}

// TestSweeps writes Bergholt's solution of the centre game in 18 moves (1912), and plays it.
func TestSweeps(t *testing.T) {
	b := pegtest.Named(t, "english")
	holes := map[string]uint16{}
	for i := range b.Size() {
		holes[b.Label(i)] = uint16(i)
	}
	centre, _ := b.Center()
	p := b.Complement(1 << centre)
	var jumps []peg.Jump
	for _, move := range strings.Fields(bergholt) {
		stops := strings.Split(move, "x")
		for i := 1; i < len(stops); i++ {
			found := false
			for _, j := range b.Jumps {
				if j.From == holes[stops[i-1]] && j.To == holes[stops[i]] && j.Legal(p) {
					jumps, p, found = append(jumps, j), j.Play(p), true
					break
				}
			}
			if !found {
				t.Fatalf("%s cannot be played on\n%s", move, peg.FormatPosition(b, p))
			}
		}
	}
	if p != 1<<centre {
		t.Fatalf("it ends with\n%s", peg.FormatPosition(b, p))
	}
	text, moves := peg.FormatSweeps(b, jumps)
	if text != bergholt || moves != 18 || len(jumps) != 31 {
		t.Errorf("%d jumps in %d moves: %s", len(jumps), moves, text)
	}
	if got := peg.FormatJumps(b, jumps[7:9]); got != "75x73 73x53" {
		t.Errorf("got %s", got)
	}
}
