package peg_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
)

// bergholt is the shortest solution of the centre game, in 18 moves (E. Bergholt, The Queen, 1912).
const bergholt = "46x44 65x45 57x55 54x56 52x54 73x53 43x63 75x73x53 35x55 15x35 23x43x63x65x45x25 37x57x55x53 " +
	"31x33 34x32 51x31x33 13x15x35 36x34x32x52x54x34 24x44"

func TestParseGame(t *testing.T) {
	english, triangle := pegtest.Named(t, "english"), pegtest.Named(t, "triangle5")
	centre, _ := english.Center()
	middle := english.Complement(1 << centre)
	// Of the triangle of 15 holes without hole 1, as holes are counted there.
	corner := triangle.Complement(1)
	for _, c := range []struct {
		board *peg.Board
		start peg.Position
		text  string
		want  string
	}{
		{english, middle, "46x44 65x45", "46x44 65x45"},
		{english, middle, "D6-D4; f5–d5", "46x44 65x45"},
		{english, middle, "1. r5c3xr3c3\n2. r4c5→r4c3", "46x44 65x45"},
		{english, middle, "46x44.65x45", "46x44 65x45"},
		{english, middle, "29-17", "46x44"}, // 29 and 17 are no column and row
		{english, middle, bergholt, ""},
		{triangle, corner, "4-1 6-4", "a3xa1 c3xa3"},
		{triangle, corner, "a3xa1, c3xa3", "a3xa1 c3xa3"},
	} {
		jumps, err := peg.ParseGame(c.board, c.start, c.text)
		if got := peg.FormatJumps(c.board, jumps); err != nil || c.want != "" && got != c.want {
			t.Errorf("%q: %s, %v; want %s", c.text, got, err, c.want)
		}
		if !peg.IsGame(c.text) {
			t.Errorf("%q is not taken for a game", c.text)
		}
	}
	jumps, err := peg.ParseGame(english, middle, bergholt)
	if sweeps, _ := peg.FormatSweeps(english, jumps); err != nil || sweeps != bergholt {
		t.Errorf("%s, %v", sweeps, err)
	}
	for _, text := range []string{"center", "r3c3", "17", "0x1fffeffff", "x1ffff", peg.FormatLine(english, middle),
		"ooo/.o./...", ""} {
		if peg.IsGame(text) {
			t.Errorf("%q is taken for a game", text)
		}
	}
}

func TestParseGameErrors(t *testing.T) {
	english := pegtest.Named(t, "english")
	start := english.Full() &^ (1 << 16)
	for _, c := range []struct {
		board *peg.Board
		start peg.Position
		text  string
		want  string
	}{
		{english, start, " ", "it has no jump; write one such as 31x51"},
		{english, start, "46x44 65", `jump 2: "65" is not two holes`},
		{english, start, "46x44 11x31", "jump 2, 11x31: the board has no hole 11"},
		{english, start, "46x45", "jump 1, 46x45: no jump leads from 46 to 45"},
		{english, start, "46x44 46x44",
			"jump 2, 46x44: it cannot be made in --ooo/--ooo/ooooooo/ooooooo/ooo.ooo/--o.o/--ooo"},
		{english, start, "46xd4x99", "the board has no hole 99"},
	} {
		if _, err := peg.ParseGame(c.board, c.start, c.text); !errors.Is(err, peg.ErrGame) ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

// TestParseGameTwice demands that a game is refused that can be played with its holes as column and row, and also as
// numbers.
func TestParseGameTwice(t *testing.T) {
	board, err := peg.Draw("square8", peg.Square, strings.Repeat("oooooooo/", 8))
	if err != nil {
		t.Fatal(err)
	}
	label := map[string]int{}
	for i := range board.Size() {
		label[board.Label(i)] = i
	}
	// From 11 to 13, column and row, and from hole 11 to hole 13.
	empty := peg.Position(1<<label["13"] | 1<<12)
	if _, err := peg.ParseGame(board, board.Complement(empty), "11x13"); err == nil ||
		!strings.Contains(err.Error(), "such as a1") {
		t.Errorf("it is read: %v", err)
	}
	for hole, want := range map[int]peg.Jump{label["13"]: {From: 0, Over: 8, To: 16}, 12: {From: 10, Over: 11, To: 12}} {
		jumps, err := peg.ParseGame(board, board.Complement(1<<hole), "11x13")
		if err != nil || !slices.Equal(jumps, []peg.Jump{want}) {
			t.Errorf("without hole %d: %v, %v; want %v", hole, jumps, err, want)
		}
	}
}

// TestGamesAreReadBack demands that what is written of a game is read as that game, on any board.
func TestGamesAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, err := peg.Named(rapid.SampledFrom(peg.Names()).Draw(t, "board"))
		if err != nil {
			t.Fatal(err)
		}
		start := b.Complement(1 << rapid.IntRange(0, b.Size()-1).Draw(t, "hole"))
		p, played := start, []peg.Jump(nil)
		for range rapid.IntRange(1, 20).Draw(t, "jumps") {
			var moves []peg.Jump
			b.Moves(p, func(j peg.Jump) { moves = append(moves, j) })
			if len(moves) == 0 {
				break
			}
			j := rapid.SampledFrom(moves).Draw(t, "jump")
			p, played = j.Play(p), append(played, j)
		}
		if len(played) == 0 {
			return
		}
		sweeps, _ := peg.FormatSweeps(b, played)
		for _, text := range []string{peg.FormatJumps(b, played), sweeps} {
			got, err := peg.ParseGame(b, start, text)
			if err != nil && strings.Contains(err.Error(), "it can be played with") {
				continue // it can be played with numbers, too
			}
			if err != nil || !slices.Equal(got, played) {
				t.Fatalf("%s: %v, %v", text, peg.FormatJumps(b, got), err)
			}
		}
	})
}
