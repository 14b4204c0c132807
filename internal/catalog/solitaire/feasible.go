package solitaire

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/catalog/solitaire/solve"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
)

var feasibleQuestion = puzzle.Question{
	Name:  "feasible",
	Short: "decide by proof whether a game leads from a start to a goal",
	Long: `Decide whether a game leads from START to GOAL: the criteria are applied, the cheapest first, and a search where
they leave the problem open. The answer is infeasible or feasible, with a certificate, or unknown.

GOAL may be several goals: any (single peg), at-most-3 pegs, images(POSITION) under the symmetries of the board, a
drawing with ? where a hole may have a peg or not, dead (a position without a jump) or dead-at-least-20 pegs. The answer
is infeasible where none of them can be reached. fewest-pegs and most-pegs are the extremes of all games.

A board of more than 64 holes, up to 1,024, takes one position or a drawing with ? as GOAL.

The JSON document has verdict, criterion, certificate, and what was tried before. coordinator peg check verifies it.
docs/theory.md explains the criteria and the form of certificates.`,
	Examples: []string{
		"center center --board french",
		"center center --output json --out verdict.json",
		"oooooo.. o.o.o... --board oooooooo",
		"center any --board french",
		"center images(r0c2)",
		"center center --board rectangle11x11",
	},
	Decides: "a game",
	Args:    goalsArgs,
	Flags:   append(slices.Clip(problemFlags), memoryFlag),
	Outputs: []puzzle.Output{puzzle.Pictures},
	Answer:  answerFeasible,
}

// decisions are verdicts as exit codes tell them apart.
var decisions = map[string]puzzle.Decision{
	feasible.Feasible: puzzle.Yes, feasible.Infeasible: puzzle.No, feasible.Unknown: puzzle.Undecided,
}

func answerFeasible(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	layout, err := askedLayout(r.Flags)
	if err != nil {
		return nil, err
	}
	b, ok := layout.Small()
	if !ok {
		return feasibleLarge(ctx, r, layout)
	}
	start, several, err := goalsOn(b, r.Args)
	if err != nil {
		return nil, err
	}
	goal, ok := several.Only()
	if !ok {
		return feasibleGoals(ctx, r, start, several)
	}
	p := peg.Problem{Board: b, Start: start, Goal: goal}
	v, err := solve.Decide(ctx, p, solve.Options{Bytes: askedMemory(r)})
	if err != nil {
		return nil, argError(argStart, err)
	}
	if v.Tried == nil {
		v.Tried = []feasible.Attempt{}
	}
	a := &puzzle.Answer{Decision: decisions[v.Verdict], Document: v, Figures: []figure.Figure{
		{Name: "start", Title: "start", Board: drawing(p.Board, p.Start)},
		{Name: "goal", Title: "goal", Board: drawing(p.Board, p.Goal)},
	}}
	a.Summary.Problem = understood(p)
	addVerdict(a, b.Laid(), v)
	return a, nil
}

// addVerdict adds the text of a verdict, and the weights of its proof as a figure.
func addVerdict(a *puzzle.Answer, b *peg.Layout, v *feasible.Verdict) {
	var text strings.Builder
	text.WriteString(triedText(v.Tried))
	fmt.Fprintf(&text, "verdict    %s\n", v.Verdict)
	if v.Certificate != nil {
		proof := v.Certificate.Proof
		fmt.Fprintf(&text, "criterion  %s\nproof      %s\n", v.Criterion, proof.Kind)
		if proof.Modulus > 0 {
			fmt.Fprintf(&text, "modulus    %d\n", proof.Modulus)
		}
		if len(proof.Jumps) > 0 {
			fmt.Fprintf(&text, "jumps      %s\n", strings.Join(proof.Jumps, " "))
		}
		if len(proof.Weights) > 0 {
			a.Figures = append(a.Figures, figure.Figure{Name: "weights", Title: "weights", Board: weighted(b, proof.Weights)})
		}
	}
	a.Text, a.Drawn = text.String(), true
}

// triedText is the attempts that did not decide, a line for each.
func triedText(tried []feasible.Attempt) string {
	var text strings.Builder
	for _, t := range tried {
		note := t.Note
		if t.Certificate != nil {
			note = cmp.Or(note, string(t.Certificate.Claim)+", with proof")
		}
		fmt.Fprintf(&text, "tried      %-18s%s\n", t.Criterion, strings.TrimSuffix(t.Outcome+": "+note, ": "))
	}
	return text.String()
}

// weighted is a board with the weights of its holes.
func weighted(g peg.Grid, weights []int64) *figure.Board {
	b, board := g.Laid(), &figure.Board{}
	for h := range b.Holes {
		c := hole(b, h)
		c.Label = fmt.Sprint(weights[h])
		c.Detail = b.Label(h) + ": " + c.Label
		board.Cells = append(board.Cells, c)
	}
	return board
}
