package countingtest

import (
	"math/big"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/counting"
	"pagoda/internal/peg"
	"pagoda/internal/peg/reference"
)

// DrawGoals draws a board, a start and several goals of every kind that people state, but for the extremes.
func DrawGoals(t *rapid.T) counting.Params {
	p := Draw(t)
	p.HasGoal = false
	b := p.Board
	drawn := peg.Pattern{Fixed: peg.Position(rapid.Uint64().Draw(t, "fixed")) & b.Full()}
	drawn.Pegs = p.Goal & drawn.Fixed
	k := strconv.Itoa(rapid.IntRange(1, b.Size()).Draw(t, "pegs"))
	text := rapid.SampledFrom([]string{"any", "at-most-" + k, "dead", "dead-at-least-" + k, drawn.Format(b),
		"images(" + drawn.Format(b) + ")", "images(" + peg.FormatLine(b, p.Goal|1) + ")"}).Draw(t, "goals")
	g, err := peg.ParseGoals(b, text)
	if err != nil {
		t.Fatal(err)
	}
	p.Goals = &g
	return p
}

// Several reads the parameters of a run with several goals.
func Several(t testing.TB, board, start, goal string) counting.Params {
	t.Helper()
	p := Problem(t, board, start, "", 0)
	g, err := peg.ParseGoals(p.Board, goal)
	if err != nil {
		t.Fatal(err)
	}
	p.Goals = &g
	return p
}

// GoalPaths is the number of paths to the goals that have fewer pegs than the start, and of those that end there.
func GoalPaths(layers []reference.Layer, g peg.Goals) (paths, ended *big.Int) {
	paths, ended = new(big.Int), new(big.Int)
	for _, l := range layers[1:] {
		for q, n := range l.Paths {
			if g.Has(q) {
				paths.Add(paths, n)
			}
		}
		for _, q := range l.Dead {
			if g.Has(q) {
				ended.Add(ended, l.Paths[q])
			}
		}
	}
	return paths, ended
}
