package solutions

import (
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/counting"
	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
	"pagoda/internal/puzzle/puzzletest"
)

// halvesAgree plays a problem with half of the jumps of its last layer and with all of them; tried is false when its
// jumps do not come in pairs.
func halvesAgree(t puzzletest.TB, b *peg.Board, start, goal peg.Position) (solutions string, tried bool) {
	t.Helper()
	s, err := New(counting.Params{Board: b, Start: start, Goal: goal})
	if err != nil {
		t.Fatal(err)
	}
	q := s.problems[0]
	if q.join == nil || q.Jumps()%2 == 0 {
		return "", false
	}
	q.join.Jumps, q.join.FarJumps = (q.Jumps()+1)/2, (q.Jumps()-1)/2
	s.arrange()
	if len(s.meetings) == 0 || !s.meetings[0].halves {
		return "", false
	}
	var counts [2]string
	for i, halves := range []bool{true, false} {
		s.meetings[0].halves = halves
		m := puzzletest.Play(t, s, puzzletest.Options{Cached: true, Stored: true})
		n, _ := s.solutions(q, m)
		counts[i] = n.String()
	}
	if counts[0] != counts[1] {
		t.Fatalf("%s solutions with half of the jumps, %s with all", counts[0], counts[1])
	}
	return counts[0], true
}

// From every hole of the triangle to each of its images.
func TestHalvesOfTriangle(t *testing.T) {
	b, err := peg.Named("triangle5")
	if err != nil {
		t.Fatal(err)
	}
	solved := 0
	for hole := range b.Holes {
		goals := map[peg.Position]bool{}
		for _, g := range b.Symmetries() {
			goals[g.Apply(1<<hole)] = true
		}
		for goal := range goals {
			if n, tried := halvesAgree(t, b, b.Complement(1<<hole), goal); tried && n != "0" {
				solved++
			}
		}
	}
	// Of 15 holes, 3 stand in corners, 3 in the middle and 9 elsewhere on the border.
	if solved < len(b.Holes) {
		t.Errorf("only %d problems with solutions had jumps in pairs", solved)
	}
}

// On random boards, from any position to an image of its complement.
func TestHalves(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := pegtest.Board(5, 13).Draw(rt, "board")
		start := pegtest.Start(b).Draw(rt, "start")
		goal := rapid.SampledFrom(b.Symmetries()).Draw(rt, "turn").Apply(b.Complement(start))
		if start.Pegs() > goal.Pegs() {
			halvesAgree(rt, b, start, goal)
		}
	})
}
