package main

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/catalog/solitaire"
	"pagoda/internal/output/render"
	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
)

// TestPrintedPictures: the pictures that peg solve prints are read as the positions that they show, and as their board.
func TestPrintedPictures(t *testing.T) {
	q := solitaire.Definition.Question("solve")
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.OneOf(
			pegtest.Board(3, 30),
			rapid.Map(rapid.SampledFrom(peg.Names()), func(n string) *peg.Board { b, _ := peg.Named(n); return b }),
		).Draw(t, "board")
		jump := rapid.SampledFrom(b.Jumps).Draw(t, "jump")
		start := pegtest.Position(b).Draw(t, "start")&^jump.Mask() | jump.Need()
		goal := jump.Play(start)
		r, err := q.Request([]string{b.Hex(start), b.Hex(goal)},
			map[string]string{"board": peg.FormatLine(b, b.Full()), "lattice": b.Lattice.String()})
		if err != nil {
			t.Fatal(err)
		}
		a, err := q.Answer(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := render.Answer(t.Context(), &text, a, render.About{}, render.Form{Output: render.Text}); err != nil {
			t.Fatal(err)
		}
		parts := strings.Split(strings.TrimRight(text.String(), "\n"), "\n\n")
		if len(parts) < 3 {
			t.Fatalf("no pictures:\n%s", &text)
		}
		for i, want := range []peg.Position{start, goal} {
			_, picture, _ := strings.Cut(parts[len(parts)-2+i], "\n")
			if p, err := peg.ParseGoal(b, picture); err != nil || p != want {
				t.Fatalf("%q is read as %s, %v; want %s", picture, peg.Hex(p), err, peg.Hex(want))
			}
			again, err := peg.Draw("again", b.Lattice, picture)
			switch outline := peg.FormatLine(b, b.Full()); {
			case err == nil && peg.FormatLine(again, again.Full()) != outline:
				t.Fatalf("%q is the board %s, want %s", picture, peg.FormatLine(again, again.Full()), outline)
			case err != nil && (strings.Contains(outline, "-") || !strings.Contains(err.Error(), "two readings")):
				t.Fatalf("%q: %v", picture, err)
			}
		}
	})
}
