package solitaire

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
	"pagoda/internal/peg/reference"
	"pagoda/internal/puzzle/puzzletest"
	"pagoda/internal/puzzle/uint128"
)

// TestPlayAgainstBruteForce plays games at random on small boards. It compares the jump that loses with the
// positions from which a goal can be reached, and plays the complementary game.
func TestPlayAgainstBruteForce(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	lost, kept := 0, 0
	for range 150 {
		board := []string{"triangle4", "triangle5", "ooo/ooo/ooo/ooo", "ooooooo/--o----/--o----"}[random.IntN(4)]
		flags := map[string]string{"board": board}
		b, err := peg.Named(board)
		if err != nil {
			b = pegtest.Drawn(t, peg.Square, board)
		}
		start := b.Full() &^ (1 << random.IntN(b.Size()))
		var jumps []peg.Jump
		at := []peg.Position{start}
		for most := 1 + random.IntN([]int{2, b.Size()}[random.IntN(2)]); len(jumps) < most; {
			var legal []peg.Jump
			b.Moves(at[len(at)-1], func(j peg.Jump) { legal = append(legal, j) })
			if len(legal) == 0 {
				break
			}
			jumps = append(jumps, legal[random.IntN(len(legal))])
			at = append(at, jumps[len(jumps)-1].Play(at[len(at)-1]))
		}
		if len(jumps) == 0 {
			continue
		}
		goal := peg.Position(0)
		if random.IntN(2) == 0 {
			goal = 1 << random.IntN(b.Size())
			flags["goal"] = b.Hex(goal)
		}
		flags["start"] = b.Hex(start)
		doc := puzzletest.Ask(t, &playQuestion, flags, peg.FormatJumps(b, jumps)).Document.(replay)
		wins := func(p peg.Position) bool {
			return slices.ContainsFunc(reference.Play(b, p, -1), func(l reference.Layer) bool {
				for q := range l.Paths {
					if q == goal || goal == 0 && q.Pegs() == 1 {
						return true
					}
				}
				return false
			})
		}
		first := slices.IndexFunc(at, func(p peg.Position) bool { return !wins(p) })
		switch {
		case doc.Undecided, first < 0 != (doc.Lost == nil), first >= 0 && *doc.Lost != first,
			first < 0 && *doc.Winnable != len(jumps), first > 0 && *doc.Winnable != first-1, first == 0 && doc.Winnable != nil:
			t.Errorf("%s, %v, %s: %+v, and position %d is the first that is lost", board, flags, doc.Jumps, doc, first)
		case first < 0:
			kept++
		default:
			lost++
		}
		back := puzzletest.Ask(t, &playQuestion, map[string]string{"board": board, "start": doc.Complement.Start,
			"goal": doc.Complement.Goal}, strings.Join(doc.Complement.Jumps, " ")).Document.(replay)
		if !back.Solution || back.Complement.Start != doc.Start || !slices.Equal(back.Complement.Jumps, doc.Jumps) ||
			len(doc.Positions) != len(jumps)+1 {
			t.Errorf("%s: the complement of %v is %v", board, doc, back)
		}
	}
	if lost < 20 || kept < 20 {
		t.Errorf("%d games were lost, %d not", lost, kept)
	}
}

// TestPlayClass compares the class of a game with those of its images.
func TestPlayClass(t *testing.T) {
	b := pegtest.Named(t, "triangle5")
	start, goal := b.Full()&^1, peg.Position(1)
	a := puzzletest.Ask(t, &solveQuestion, map[string]string{"board": "triangle5"}, "a1", "a1")
	jumps, err := peg.ParseGame(b, start, strings.Join(a.Document.(solution).Jumps, " "))
	if err != nil {
		t.Fatal(err)
	}
	group := peg.Stabiliser(b.Symmetries(), goal)
	for _, g := range group {
		image := make([]peg.Jump, 0, len(jumps))
		for _, j := range jumps {
			image = append(image, g.Jump(j))
		}
		doc := puzzletest.Ask(t, &playQuestion, map[string]string{"board": "triangle5", "start": "a1", "goal": "a1"},
			peg.FormatJumps(b, image)).Document.(replay)
		want := puzzletest.Ask(t, &playQuestion, map[string]string{"board": "triangle5", "start": "a1", "goal": "a1"},
			peg.FormatJumps(b, jumps)).Document.(replay)
		if doc.Class.Games != len(group) || !slices.Equal(doc.Class.First, want.Class.First) {
			t.Errorf("%+v, and of its image %+v", want.Class, doc.Class)
		}
	}
}

// TestPlayOfRun demands the number that peg solution has.
func TestPlayOfRun(t *testing.T) {
	run := runOfSolutions(t)
	ways, err := solutionsThrough(run)
	if err != nil {
		t.Fatal(err)
	}
	ctx, b := context.Background(), pegtest.Named(t, "triangle4")
	total, err := ways.Total(ctx, run.Rows)
	if err != nil {
		t.Fatal(err)
	}
	for n := uint64(0); n < total.Lo; n++ {
		jumps, err := ways.Solution(ctx, run.Rows, uint128.From(n))
		if err != nil {
			t.Fatal(err)
		}
		r, err := playQuestion.Request([]string{peg.FormatJumps(b, jumps)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Run = run
		a, err := playQuestion.Answer(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		if doc := a.Document.(replay); doc.Number == nil || *doc.Number != uint128.From(n) || !doc.Solution {
			t.Errorf("solution %d: %+v", n, doc)
		}
	}
}
