package solitaire

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/setting"
)

// argText is the argument of read.
const argText = "TEXT"

var readQuestion = puzzle.Question{
	Name:  "read",
	Short: "read a position or a game in any notation, and write it in all of them",
	Long: `Read TEXT, a position or a game, and write the position, or the one in which the game ends, as a drawing, its
holes and a hexadecimal number; of a game the jumps and the sweeps, too. docs/cli.md has the notations that are read.
A game begins at --start, and every jump must be possible. With --goal the answer has the address at which coordinator
explore shows it on a board.`,
	Examples: []string{
		"46x44 65x45 57x55",
		"d6-d4 f5-d5 --output json",
		"4-1 6-4 --board triangle5 --start 1",
		"x1fffeffff",
	},
	Args: []puzzle.Argument{{Name: argText, Doc: "jumps or sweeps, a drawing, a hole, or hex", Repeated: true,
		Completions: []string{"center"}}},
	Flags: append(slices.Clip(problemFlags),
		setting.Setting{Name: "start", Default: defaultStart, Doc: "position in which a game begins"},
		setting.Setting{Name: "goal", Doc: "goal of the problem; empty: none"}),
	Outputs: []puzzle.Output{puzzle.Pictures},
	Answer:  answerRead,
}

// A reading is the answer of read.
type reading struct {
	Kind     string   `json:"kind"` // position or game
	Start    string   `json:"start"`
	Goal     string   `json:"goal,omitempty"`
	Position string   `json:"position"` // where the game ends
	Hex      string   `json:"hex"`
	Pegs     []string `json:"pegs"`  // labels of the holes with a peg
	Empty    []string `json:"empty"` // and of those without
	Jumps    []string `json:"jumps"`
	Sweeps   []string `json:"sweeps"`
}

func answerRead(_ context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	b, err := askedBoard(r.Flags)
	if err != nil {
		return nil, err
	}
	p := peg.Problem{Board: b}
	if p.Start, err = readStart(b, r.Flags.Text("start")); err != nil {
		return nil, err
	}
	if p.Goal, err = readGoal(b, r.Flags.Text("goal")); err != nil {
		return nil, err
	}
	words := strings.Join(r.Args, " ")
	var jumps []peg.Jump
	at := p.Start
	kind := "position"
	if peg.IsGame(words) {
		kind = "game"
		jumps, err = peg.ParseGame(b, p.Start, words)
	} else {
		at, err = peg.ParseStart(b, words)
	}
	if err != nil {
		return nil, &setting.Error{Setting: argText, Err: err,
			Hint: "write a position, such as " + b.HoleText(0) + " or a drawing, or the jumps of a game"}
	}
	link := ""
	if p.Goal != 0 {
		link = boardLink(p, at, jumps)
	}
	for _, j := range jumps {
		at = j.Play(at)
	}
	sweeps, _ := peg.FormatSweeps(b, jumps)
	doc := reading{Kind: kind, Start: peg.FormatLine(b, p.Start), Position: peg.FormatLine(b, at), Hex: b.Hex(at),
		Pegs: b.Labels(at), Empty: b.Labels(b.Complement(at)), Jumps: strings.Fields(peg.FormatJumps(b, jumps)),
		Sweeps: strings.Fields(sweeps)}
	if p.Goal != 0 {
		doc.Goal = peg.FormatLine(b, p.Goal)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "position  %s\nhex       %s\npegs      %d: %s\nempty     %d: %s\n", doc.Position, doc.Hex,
		len(doc.Pegs), strings.Join(doc.Pegs, " "), len(doc.Empty), strings.Join(doc.Empty, " "))
	if len(jumps) > 0 {
		fmt.Fprintf(&text, "jumps     %s\nsweeps    %s (%s)\n", strings.Join(doc.Jumps, " "), sweeps,
			plural.Of(len(doc.Sweeps), "move"))
	}
	return &puzzle.Answer{Summary: puzzle.Summary{Problem: withoutJumps(understoodBoard(b))}, Document: doc, Drawn: true,
		Text: text.String(), Link: link,
		Figures: []figure.Figure{{Name: "position", Title: doc.Position, Board: drawing(b, at)}}}, nil
}

// readStart reads --start. A board without a hole in its middle has no default; a position needs none.
func readStart(b *peg.Board, text string) (peg.Position, error) {
	if _, ok := b.Center(); !ok && text == defaultStart {
		return b.Full(), nil
	}
	p, err := peg.ParseStart(b, text)
	if err != nil {
		return 0, &setting.Error{Setting: "start", Err: err}
	}
	return p, nil
}

// readGoal reads --goal; 0 stands for none.
func readGoal(b *peg.Board, text string) (peg.Position, error) {
	if text == "" {
		return 0, nil
	}
	p, err := oneGoal(b, text)
	if err != nil {
		return 0, &setting.Error{Setting: "goal", Err: err}
	}
	return p, nil
}
