package games

import (
	"errors"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/counting/countingtest"
	"pagoda/internal/peg"
	"pagoda/internal/peg/reference"
	"pagoda/internal/puzzle/puzzletest"
)

// TestGoalsEqualReference compares the solutions to several goals, and the games that end there, with all games.
func TestGoalsEqualReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := countingtest.DrawGoals(t)
		if p.Start == 0 {
			return // no run begins there
		}
		if !p.Goals.ByPegs() && p.Goals.Number() > MaxGoals {
			if _, err := New(p); !errors.Is(err, ErrGoals) {
				t.Fatalf("%s is %d goals: %v", p.Goals, p.Goals.Number(), err)
			}
			return
		}
		layers := reference.Play(p.Board, p.Start, -1)
		g, m, err := playSetting(t, p, whole)
		if err != nil {
			t.Fatal(err)
		}
		paths, ended := countingtest.GoalPaths(layers, *p.Goals)
		for name, want := range map[string]*big.Int{"solutions": paths, "goal_games": ended} {
			if got := puzzletest.Fact(t, g, m, name); got != want.String() {
				t.Fatalf("%s of %s to %s: %s, want %v", name, peg.FormatLine(p.Board, p.Start), p.Goals, got, want)
			}
		}
		most, fewest := -1, reference.Layer{}
		for n, l := range layers {
			if len(l.Dead) > 0 {
				if fewest = l; most < 0 {
					most = n
				}
			}
		}
		for text, l := range map[string]reference.Layer{"most-pegs": layers[most], "fewest-pegs": fewest} {
			extreme, err := peg.ParseGoals(p.Board, text)
			if err != nil {
				t.Fatal(err)
			}
			q := p
			q.Goals = &extreme
			g, m, err := playSetting(t, q, whole)
			if err != nil {
				t.Fatal(err)
			}
			for name, want := range map[string]*big.Int{"solutions": l.GamesEnded(), "pegs_left": big.NewInt(int64(l.Pegs))} {
				if got := puzzletest.Fact(t, g, m, name); got != want.String() {
					t.Fatalf("%s of %s: %s %s, want %v", text, peg.FormatLine(p.Board, p.Start), name, got, want)
				}
			}
		}
	})
}

// TestGoalsAreBounded refuses more goals of a drawing than a run counts.
func TestGoalsAreBounded(t *testing.T) {
	p := countingtest.Several(t, "english", "center", "--???/--???/???????/???????/???????/--ooo/--oo?")
	if _, err := New(p); !errors.Is(err, ErrGoals) {
		t.Error(err)
	}
}
