package solitaire

import (
	"errors"
	"fmt"
	"strings"

	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/setting"
)

// Arguments of the questions about a problem.
const (
	argStart = "START"
	argGoal  = "GOAL"
)

// problemArgs are the two positions of a problem.
var problemArgs = []puzzle.Argument{
	{Name: argStart, Doc: "center, r0c2 or hole 1 to n (the full board without that peg), a drawing, or hex",
		Completions: []string{"center"}},
	{Name: argGoal, Doc: "center, r0c2 or hole 1 to n (that peg alone), a drawing, or hex",
		Completions: []string{"center"}},
}

// problemFlags say on which board a problem is.
var problemFlags = []setting.Setting{
	{Name: "board", Default: "english",
		Doc: "board by name (" + strings.Join(peg.Names(), ", ") + "), a rectangle such as rectangle4x6, or a " +
			"drawing in one line: ooo/ooo/ooo"},
	{Name: "lattice", Kind: setting.Choice, Default: peg.Square.String(),
		Choices: []string{peg.Square.String(), peg.Triangular.String()},
		Doc:     "lattice of a drawing; a board by name has its own"},
	{Name: "rule", Doc: ruleDoc},
}

// latticeFlags are the flags of a question with the board as its argument.
var latticeFlags = problemFlags[1:]

// memoryFlag bounds the memory of a search.
var memoryFlag = setting.Setting{Name: "memory", Kind: setting.Integer, Default: "512", Min: 16, Max: 1 << 20,
	Doc: "MiB that the positions of the search may take, about; the process takes up to twice as much"}

// askedMemory is the value of memoryFlag in bytes, or a server's limit when that is less.
func askedMemory(r puzzle.Request) int64 {
	bytes := int64(r.Flags.Uint("memory")) << 20
	if r.Memory > 0 {
		bytes = min(bytes, r.Memory)
	}
	return bytes
}

// titled is a problem in a few words: from 44 to 44.
func titled(b *peg.Board, start, goal peg.Position) string {
	to := plural.Of(goal.Pegs(), "peg")
	if h, ok := goal.Only(); ok {
		to = b.Label(h)
	}
	return titledFrom(b, start, to)
}

// titledFrom is a start and a goal in a few words.
func titledFrom(b *peg.Board, start peg.Position, goal string) string {
	return fmt.Sprintf("from %s to %s", startInWords(b, start), goal)
}

// startInWords is a start in a few words: its only empty hole, or its pegs.
func startInWords(b *peg.Board, start peg.Position) string {
	if h, ok := b.Complement(start).Only(); ok {
		return b.Label(h)
	}
	return plural.Of(start.Pegs(), "peg")
}

// askedProblem reads the board and the two positions of a question.
func askedProblem(r puzzle.Request) (peg.Problem, error) {
	b, err := askedBoard(r.Flags)
	if err != nil {
		return peg.Problem{}, err
	}
	return problemOn(b, r.Args[0], r.Args[1])
}

// problemOn reads the two positions of a problem.
func problemOn(b *peg.Board, start, goal string) (p peg.Problem, err error) {
	p.Board = b
	if p.Start, err = peg.ParseStart(b, start); err != nil {
		return p, &setting.Error{Setting: argStart, Err: err}
	}
	if p.Goal, err = oneGoal(b, goal); err != nil {
		return p, &setting.Error{Setting: argGoal, Err: err}
	}
	return p, nil
}

// argError is an error about an argument when it is about positions, which were read from one; others are passed on.
func argError(name string, err error) error {
	if errors.Is(err, peg.ErrPosition) {
		return &setting.Error{Setting: name, Err: err}
	}
	return err
}

// gameFigures are the boards of a game, one before the first jump and one after each. There the holes have rings that
// the peg has left and reached.
func gameFigures(b *peg.Board, p peg.Position, jumps []peg.Jump) []figure.Figure {
	list := []figure.Figure{{Name: "start", Title: "start", Board: drawing(b, p)}}
	for i, j := range jumps {
		p = j.Play(p)
		board := drawing(b, p)
		board.Cells[j.From].Ring, board.Cells[j.To].Ring = figure.Orange, figure.Orange
		list = append(list, figure.Figure{Name: fmt.Sprintf("jump-%d", i+1),
			Title: fmt.Sprintf("%d  %s", i+1, peg.FormatJump(b, j)), Board: board})
	}
	return list
}
