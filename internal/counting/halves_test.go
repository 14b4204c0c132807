package counting

import (
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
	"pagoda/internal/puzzle/puzzletest"
)

// With half of the jumps a join gives what it gives with all of them, on random boards and on boards with many
// symmetries, from a position to its complement.
func TestHalves(t *testing.T) {
	halved := 0
	rapid.Check(t, func(rt *rapid.T) {
		var b *peg.Board
		if rapid.Bool().Draw(rt, "named") {
			var err error
			if b, err = peg.Named(rapid.SampledFrom([]string{"triangle4", "triangle5", "square4"}).Draw(rt, "name")); err != nil {
				b = pegtest.Board(5, 13).Draw(rt, "board instead")
			}
		} else {
			b = pegtest.Board(5, 13).Draw(rt, "board")
		}
		start := pegtest.Start(b).Draw(rt, "start")
		goal := b.Complement(start)
		if g := rapid.SampledFrom(b.Symmetries()).Draw(rt, "turn"); start.Pegs() > goal.Pegs() {
			goal = g.Apply(goal)
		} else {
			start, goal = goal, g.Apply(start)
		}
		if start.Pegs() <= goal.Pegs() {
			return
		}
		s, err := NewSolutions(Params{Board: b, Start: start, Goal: goal})
		if err != nil {
			rt.Fatal(err)
		}
		q := s.problems[0]
		if q.join == nil || q.Jumps()%2 == 0 {
			return
		}
		q.join.jumps, q.join.farJumps = (q.Jumps()+1)/2, (q.Jumps()-1)/2
		s.arrange()
		if len(s.meetings) == 0 || !s.meetings[0].halves {
			return
		}
		counts := [2]string{}
		for i, halves := range []bool{true, false} {
			s.meetings[0].halves = halves
			m := puzzletest.Play(rt, s, puzzletest.Options{Cached: true, Stored: true})
			n, _ := s.solutions(q, m)
			counts[i] = n.String()
		}
		if counts[0] != counts[1] {
			rt.Fatalf("%s solutions with half of the jumps, %s with all", counts[0], counts[1])
		}
		if counts[0] != "0" {
			halved++
		}
	})
	if halved == 0 {
		t.Error("no problem was found whose jumps come in pairs")
	}
}
