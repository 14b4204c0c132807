package solutions

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/counting/countingtest"
	"pagoda/internal/peg"
	"pagoda/internal/peg/reference"
	"pagoda/internal/puzzle/puzzletest"
	"pagoda/internal/puzzle/uint128"
)

// TestGoalsEqualReference compares the solutions to several goals with all games, and with the second count.
func TestGoalsEqualReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := countingtest.DrawGoals(t)
		if p.Goals.Dead {
			return
		}
		s, err := NewGoals(p)
		if errors.Is(err, ErrGoals) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		m := puzzletest.Play(t, s, puzzletest.Options{Cached: true, Stored: true})
		want, _ := countingtest.GoalPaths(reference.Play(p.Board, p.Start, -1), *p.Goals)
		if got := puzzletest.Fact(t, s, m, "solutions"); got != want.String() {
			t.Fatalf("%s to %s: %s solutions, want %v", peg.FormatLine(p.Board, p.Start), p.Goals, got, want)
		}
	})
}

// TestGoalsAreTheSum compares any single peg with the sum of the single pegs, and the images of a position with the sum
// of the images, each counted alone.
func TestGoalsAreTheSum(t *testing.T) {
	for _, c := range []struct{ board, start, goals string }{
		{"triangle5", "r0c0", "any"}, {"triangle5", "r2c1", "any"}, {"triangle5", "r1c0", "at-most-2"},
		{"triangle5", "r1c0", "images(r1c1)"}, {"triangle5", "r0c0", "images(o/o./.../..../.....)"},
	} {
		p := countingtest.Several(t, c.board, c.start, c.goals)
		var want uint128.Uint128
		for goal := range p.Goals.All() {
			one := p
			one.Goals, one.Goal = nil, goal
			s, err := New(one)
			if err != nil {
				t.Fatal(err)
			}
			n, ok := s.solutions(s.problems[0], puzzletest.Play(t, s, puzzletest.Options{Cached: true, Stored: true}))
			if want, _ = want.Add(n); !ok {
				t.Fatal("not counted")
			}
		}
		s, err := NewGoals(p)
		if err != nil {
			t.Fatal(err)
		}
		m := puzzletest.Play(t, s, puzzletest.Options{Cached: true, Stored: true})
		if got := puzzletest.Fact(t, s, m, "solutions"); got != want.String() || want.IsZero() {
			t.Errorf("%s from %s to %s: %s solutions, want %v", c.board, c.start, c.goals, got, want)
		}
		recounts, err := s.Recounts(m)
		if err != nil || len(recounts) == 0 {
			t.Errorf("%s: %d recounts, %v", c.goals, len(recounts), err)
		}
	}
}

// TestGoalsAreBounded refuses more goals than a run counts.
func TestGoalsAreBounded(t *testing.T) {
	for _, text := range []string{"at-most-9", "at-most-5"} {
		if _, err := NewGoals(countingtest.Several(t, "english", "center", text)); !errors.Is(err, ErrGoals) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
