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
	"pagoda/internal/puzzle/puzzletest"
)

// TestPrintedPictures: the pictures that peg solve prints are read as the positions that they show, and as their board.
func TestPrintedPictures(t *testing.T) {
	q := solitaire.Definition.Question("solve")
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.OneOf(
			pegtest.Plain(3, 30),
			rapid.Map(rapid.SampledFrom(peg.Names()), func(n string) *peg.Board { b, _ := peg.Named(n); return b }),
		).Draw(t, "board")
		jump := rapid.SampledFrom(b.Jumps).Draw(t, "jump")
		start := pegtest.Position(b).Draw(t, "start")&^jump.Mask() | jump.Need()
		goal := jump.Play(start)
		board := map[string]string{"board": peg.FormatLine(b, b.Full()), "lattice": b.Lattice.String()}
		a := puzzletest.Ask(t, q, board, b.Hex(start), b.Hex(goal))
		var text bytes.Buffer
		if err := render.Answer(t.Context(), &text, a, render.About{}, render.Form{Output: render.Text}); err != nil {
			t.Fatal(err)
		}
		pictures := sideBySide(text.String())
		for i, want := range []peg.Position{start, goal} {
			// The marks of the jump are no part of the position, and are read as nothing.
			picture := pictures[i]
			if p, err := peg.ParseGoal(b, picture); strings.Contains(picture, "(") && err == nil && p != want {
				t.Fatalf("%q is read as %s, want %s", picture, peg.Hex(p), peg.Hex(want))
			}
			picture = strings.NewReplacer("(", " ", ")", " ").Replace(picture)
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

// sideBySide returns the pictures of an answer about one jump, without their titles.
func sideBySide(text string) []string {
	lines := strings.Split(text[strings.LastIndex(text, "\nstart")+1:], "\n")
	var left, right []string
	at := strings.Index(lines[0], "1  ")
	for i, line := range lines[1:] {
		switch {
		case at >= 0:
			left, right = append(left, line[:min(at, len(line))]), append(right, line[min(at, len(line)):])
		case strings.HasPrefix(line, "1  "):
			return []string{strings.Join(left, "\n"), strings.Join(lines[i+2:], "\n")}
		default:
			left = append(left, line)
		}
	}
	return []string{strings.Join(left, "\n"), strings.Join(right, "\n")}
}
