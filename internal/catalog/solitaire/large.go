package solitaire

import (
	"context"
	"fmt"
	"strings"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/catalog/solitaire/large"
	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/setting"
)

// askedOpen reads the start and the goal of a question about a large board.
func askedOpen(b *peg.Layout, args []string) (p feasible.Open, err error) {
	p.Board = b
	if p.Start, err = b.StartSet(args[0]); err != nil {
		return p, &setting.Error{Setting: argStart, Err: err}
	}
	if p.Pegs, p.Free, err = b.PatternSets(args[1]); err != nil {
		return p, &setting.Error{Setting: argGoal, Err: err, Hint: fmt.Sprintf("on a board of more than %d holes a goal is "+
			"one position, or a drawing with ? where a hole may have a peg or not", peg.MaxHoles)}
	}
	if p.Free != (peg.Set{}) && p.Start == (peg.Set{}) {
		return p, &setting.Error{Setting: argStart, Err: noPeg(args[0])}
	}
	return p, nil
}

// addPattern adds the goals of a large board to a problem.
func addPattern(p *puzzle.Problem, b *peg.Layout, pegs, free peg.Set) {
	if free == (peg.Set{}) {
		addGoal(p, b, &pegs)
		return
	}
	s := puzzle.Summary{Facts: p.Facts}
	s.AddText("goal", b.PatternLine(pegs, free), "where a solution ends: in any of several positions")
	p.Facts = s.Facts
	p.Add("goal", b.PatternLine(pegs, free)+", "+plural.Of(free.Pegs(), "hole")+" with a peg or not")
}

// decideLarge decides a problem on a large board, and says how it was understood.
func decideLarge(ctx context.Context, r puzzle.Request, b *peg.Layout) (
	p feasible.Open, result *large.Result, a *puzzle.Answer, err error,
) {
	if p, err = askedOpen(b, r.Args); err != nil {
		return p, nil, nil, err
	}
	if result, err = large.Decide(ctx, p, large.Options{Bytes: askedMemory(r)}); err != nil {
		return p, nil, nil, err
	}
	a = &puzzle.Answer{Decision: decisions[result.Verdict.Verdict], Figures: []figure.Figure{
		{Name: "start", Title: "start", Board: drawing(b, &p.Start)}}}
	if result.Verdict.Verdict == feasible.Feasible {
		a.Figures = append(a.Figures, figure.Figure{Name: "end", Title: "end", Board: drawing(b, &result.End)})
	}
	a.Summary.Problem = understoodBoard(b)
	addStart(&a.Summary.Problem, b, &p.Start)
	addPattern(&a.Summary.Problem, b, p.Pegs, p.Free)
	return p, result, a, nil
}

// feasibleLarge answers feasible for a large board.
func feasibleLarge(ctx context.Context, r puzzle.Request, b *peg.Layout) (*puzzle.Answer, error) {
	_, result, a, err := decideLarge(ctx, r, b)
	if err != nil {
		return nil, err
	}
	a.Document = &result.Verdict
	addVerdict(a, b, &result.Verdict)
	return a, nil
}

// solveLarge answers solve for a large board.
func solveLarge(ctx context.Context, r puzzle.Request, b *peg.Layout) (*puzzle.Answer, error) {
	if r.Flags.Bool("fewest") {
		return nil, &setting.Error{Setting: "fewest", Hint: "remove it",
			Err: fmt.Errorf("the fewest sweeps are found on boards of at most %d holes, and this has %d", peg.MaxHoles,
				b.Size())}
	}
	p, result, a, err := decideLarge(ctx, r, b)
	if err != nil {
		return nil, err
	}
	a.Summary.Problem = withoutJumps(a.Summary.Problem)
	s := struct {
		solution
		End         string              `json:"end,omitempty"`
		Certificate *proofs.Certificate `json:"certificate"`
	}{solution{Verdict: result.Verdict.Verdict, Criterion: result.Criterion, Start: b.Line(&p.Start),
		Goal: b.PatternLine(p.Pegs, p.Free), Jumps: []string{}, Sweeps: []string{}}, "", result.Certificate}
	if s.Verdict != feasible.Feasible {
		text := "unknown: no solution found"
		if s.Verdict == feasible.Infeasible {
			text = "there is no solution: " + s.Criterion
		}
		a.Document, a.Text = s, triedText(result.Tried)+text+"\n"
		return a, nil
	}
	sweeps, moves := peg.FormatSweeps(b, result.Jumps)
	s.Jumps, s.Moves = append(s.Jumps, strings.Fields(peg.FormatJumps(b, result.Jumps))...), moves
	s.Criterion, s.Sweeps, s.End = "", append([]string{}, strings.Fields(sweeps)...), b.Line(&result.End)
	if a.Document = s; r.Flags.Bool("moves") {
		a.Summary.Problem.Lines, a.Text = nil, sweeps+"\n"
		return a, nil
	}
	a.Drawn = true
	a.Summary.AddText("jumps", strings.Join(s.Jumps, " "), "the jumps")
	a.Summary.AddText("sweeps", sweeps+" ("+plural.Of(moves, "move")+")", "the moves, and how many")
	a.Summary.AddText("end", s.End, "where they end")
	return a, nil
}
