package peg_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
)

// TestNamedBoards pins what is known of the named boards: holes, jumps, sizes of the playable classes, symmetries,
// dimension of the invariants.
func TestNamedBoards(t *testing.T) {
	want := map[string]string{
		"english":    "33 holes, 76 jumps, classes [12 8 8 5], 8 symmetries, 4 invariants",
		"french":     "37 holes, 92 jumps, classes [12 8 8 9], 8 symmetries, 4 invariants",
		"diamond":    "41 holes, 100 jumps, classes [13 8 8 12], 8 symmetries, 4 invariants",
		"wiegleb":    "45 holes, 108 jumps, classes [9 12 12 12], 8 symmetries, 4 invariants",
		"square5":    "25 holes, 60 jumps, classes [9 6 6 4], 8 symmetries, 4 invariants",
		"square6":    "36 holes, 96 jumps, classes [9 9 9 9], 8 symmetries, 4 invariants",
		"square7":    "49 holes, 140 jumps, classes [16 12 12 9], 8 symmetries, 4 invariants",
		"triangle4":  "10 holes, 18 jumps, classes [3 1 3 3], 6 symmetries, 2 invariants",
		"triangle5":  "15 holes, 36 jumps, classes [6 3 3 3], 6 symmetries, 2 invariants",
		"triangle6":  "21 holes, 60 jumps, classes [6 3 6 6], 6 symmetries, 2 invariants",
		"triangle7":  "28 holes, 90 jumps, classes [10 6 6 6], 6 symmetries, 2 invariants",
		"triangle8":  "36 holes, 126 jumps, classes [10 6 10 10], 6 symmetries, 2 invariants",
		"triangle9":  "45 holes, 168 jumps, classes [15 10 10 10], 6 symmetries, 2 invariants",
		"triangle10": "55 holes, 216 jumps, classes [15 10 15 15], 6 symmetries, 2 invariants",
		"hexagon19":  "19 holes, 54 jumps, classes [7 4 4 4], 12 symmetries, 2 invariants",
		"hexagon37":  "37 holes, 138 jumps, classes [10 10 10 7], 12 symmetries, 2 invariants",
		"hexagon61":  "61 holes, 258 jumps, classes [19 14 14 14], 12 symmetries, 2 invariants",
	}
	for _, name := range peg.Names() {
		b, err := peg.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		var classes [4]int
		for k, m := range b.ClassMasks() {
			classes[k] = m.Pegs()
		}
		got := fmt.Sprintf("%d holes, %d jumps, classes %v, %d symmetries, %d invariants",
			b.Size(), len(b.Jumps), classes, len(b.Symmetries()), len(b.Invariants()))
		if got != want[name] {
			t.Errorf("%s: got %s, want %s", name, got, want[name])
		}
	}
}

// TestSameAs: the drawing of a named board is that board, and its holes on the other lattice or without one are not.
func TestSameAs(t *testing.T) {
	for _, name := range peg.Names() {
		b := pegtest.Named(t, name)
		outline := peg.FormatLine(b, b.Full())
		if got := pegtest.Drawn(t, b.Lattice, outline).SameAs(); got != name {
			t.Errorf("%s: its drawing is the board %q", name, got)
		}
		less := *b
		less.Holes = b.Holes[1:]
		turned := *b
		turned.Lattice = peg.Square + peg.Triangular - b.Lattice
		if less.SameAs() != "" || turned.SameAs() != "" {
			t.Errorf("%s: %q without a hole, %q on the other lattice", name, less.SameAs(), turned.SameAs())
		}
	}
}

// TestJumps compares jumps with the lattice, on random boards: three holes in line, all of them, once, in order. They
// keep the class of the peg that moves and take one of another class.
func TestJumps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := pegtest.Plain(3, 40).Draw(t, "board")
		seen := map[peg.Jump]bool{}
		for i, j := range b.Jumps {
			seen[j] = true
			if i > 0 && fmt.Sprintf("%3d", b.Jumps[i-1]) >= fmt.Sprintf("%3d", j) {
				t.Fatalf("jumps %v and %v are out of order", b.Jumps[i-1], j)
			}
			if b.Class[j.From] != b.Class[j.To] || b.Class[j.From] == b.Class[j.Over] {
				t.Fatalf("jump %v goes over classes %d %d %d", j, b.Class[j.From], b.Class[j.Over], b.Class[j.To])
			}
		}
		for f := range b.Holes {
			for o := range b.Holes {
				for to := range b.Holes {
					j := peg.Jump{From: uint16(f), Over: uint16(o), To: uint16(to)}
					straight := distance(b, f, o) == 1 && distance(b, o, to) == 1 && distance(b, f, to) == 4
					if straight != seen[j] {
						t.Fatalf("%s over %s to %s: a jump: %v, want %v", b.HoleName(f), b.HoleName(o), b.HoleName(to), seen[j], straight)
					}
				}
			}
		}
	})
}

// distance is the square of the distance of two holes in the plane.
func distance(b *peg.Board, i, j int) int {
	r, c := b.Holes[i].Row-b.Holes[j].Row, b.Holes[i].Col-b.Holes[j].Col
	if b.Lattice == peg.Triangular {
		return r*r - r*c + c*c
	}
	return r*r + c*c
}

// TestPlay checks that a jump flips three holes, and is the same jump backwards on the complement.
func TestPlay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := pegtest.Board(3, 64).Draw(t, "board")
		path := pegtest.Play(t, b, pegtest.Start(b).Draw(t, "start"), 20)
		for i := 1; i < len(path); i++ {
			p, q := path[i-1], path[i]
			if q.Pegs() != p.Pegs()-1 || q&^b.Full() != 0 {
				t.Fatalf("from %s to %s", peg.Hex(p), peg.Hex(q))
			}
			back := false
			b.Moves(b.Complement(q), func(j peg.Jump) {
				back = back || j.Play(b.Complement(q)) == b.Complement(p)
			})
			if !back {
				t.Fatalf("no jump from the complement of %s to that of %s", peg.Hex(q), peg.Hex(p))
			}
		}
	})
}

func TestUnknownNames(t *testing.T) {
	_, err := peg.Named("englisch")
	if !errors.Is(err, peg.ErrBoard) || !strings.Contains(err.Error(), "english, french") {
		t.Errorf("got %v", err)
	}
	if _, err := peg.ParseLattice("cubic"); !errors.Is(err, peg.ErrBoard) {
		t.Errorf("got %v", err)
	}
	for _, l := range []peg.Lattice{peg.Square, peg.Triangular} {
		if got, err := peg.ParseLattice(l.String()); got != l || err != nil {
			t.Errorf("%v reads as %v, %v", l, got, err)
		}
	}
}
