package solitaire

import (
	"math/big"
	"testing"

	"pagoda/internal/counting"
	"pagoda/internal/counting/countingtest"
	"pagoda/internal/counting/solutions"
	"pagoda/internal/peg"
	"pagoda/internal/peg/reference"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
)

// TestPairs compares every pair of a board with the slow reference; of a pair that is not listed that has none.
func TestPairs(t *testing.T) {
	notAsked(t, &pairsQuestion, nil)
	b := countingtest.Problem(t, "triangle5", "r0c0", "", 0).Board
	s, err := solutions.NewPairs(counting.Params{Board: b})
	if err != nil {
		t.Fatal(err)
	}
	run := puzzletest.Play(t, s, puzzletest.Options{Cached: true, Stored: true})
	a, err := pairsQuestion.Answer(t.Context(), puzzle.Request{Run: puzzle.RunView{Puzzle: s, Results: run}})
	if err != nil {
		t.Fatal(err)
	}
	listed := map[[2]string]string{}
	for _, row := range a.Summary.Tables[0].Rows {
		listed[[2]string{row[0].S, row[1].S}] = row[2].N.String()
	}
	for start := range uint8(b.Size()) {
		layers := reference.Play(b, peg.Pair{Start: start}.Problem(b).Start, -1)
		for goal := range uint8(b.Size()) {
			want := reference.Solutions(layers, peg.Pair{Start: start, Goal: goal}.Problem(b).Goal)
			got, ok := listed[[2]string{b.HoleName(int(start)), b.HoleName(int(goal))}]
			if !ok {
				got = new(big.Int).String()
			}
			if got != want.String() {
				t.Errorf("%d to %d: %s solutions, want %s", start, goal, got, want)
			}
		}
	}
	if n := len(a.Figures[0].Board.Cells); n != b.Size() {
		t.Errorf("the picture has %d holes", n)
	}
}
