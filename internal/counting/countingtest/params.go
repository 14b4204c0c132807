// Package countingtest makes parameters for the tests of the puzzles that count.
package countingtest

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/counting"
	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
	"pagoda/internal/puzzle/puzzletest"
)

// Draw draws a board, a start and mostly a goal: a position of a random game, or any.
func Draw(t *rapid.T) counting.Params {
	var p counting.Params
	if rapid.Bool().Draw(t, "symmetric") {
		p.Board = pegtest.SymmetricBoard(rapid.SampledFrom([]int{12, 16, 20}).Draw(t, "most")).Draw(t, "board")
		p.Start = pegtest.SymmetricStart(p.Board).Draw(t, "start")
	} else {
		p.Board = pegtest.Board(rapid.SampledFrom([]int{3, 10, 14}).Draw(t, "least"), 18).Draw(t, "board")
		p.Start = pegtest.Start(p.Board).Draw(t, "start")
	}
	p.HasGoal = rapid.IntRange(0, 4).Draw(t, "goal") > 0
	if p.HasGoal {
		p.Goal = rapid.SampledFrom(pegtest.Play(t, p.Board, p.Start, p.Board.Size())).Draw(t, "position of a game")
		if rapid.IntRange(0, 3).Draw(t, "any goal") == 0 {
			p.Goal = pegtest.Position(p.Board).Draw(t, "any position")
		}
	}
	t.Logf("board %s, start %s, goal %s", peg.FormatLine(p.Board, p.Board.Full()), peg.FormatLine(p.Board, p.Start),
		peg.Hex(p.Goal))
	return p
}

// Params has the board of a name and a start as people write it.
func Params(t puzzletest.TB, board, start string) counting.Params {
	t.Helper()
	b, err := peg.Named(board)
	if err != nil {
		t.Fatal(err)
	}
	p, err := peg.ParseStart(b, start)
	if err != nil {
		t.Fatal(err)
	}
	return counting.Params{Board: b, Start: p}
}

// Problem reads the parameters of a run; an empty goal is none.
func Problem(t testing.TB, board, start, goal string, windowAddresses uint64) counting.Params {
	t.Helper()
	b, err := peg.Named(board)
	if err != nil {
		t.Fatal(err)
	}
	p := counting.Params{Board: b, WindowAddresses: windowAddresses}
	if p.Start, err = peg.ParseStart(b, start); err != nil {
		t.Fatal(err)
	}
	if goal != "" {
		p.HasGoal = true
		if p.Goal, err = peg.ParseGoal(b, goal); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// Times is the count of a start times n.
func Times(e *counting.Enumeration, n *big.Int) *big.Int { return new(big.Int).Mul(e.Unit.Big(), n) }
