package solitaire

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/catalog/solitaire/solve"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/plural"
)

// Bounds of the work of space.
const (
	spaceNodes  = 1500     // of branch and bound
	spaceMemory = 16 << 20 // bytes of the positions of the search for a game
)

var spaceQuestion = puzzle.Question{
	Name:  "space",
	Short: "ask all criteria about a problem: rule of three, lattice, cone, integer cone, classes, corners",
	Long: `Ask all criteria but the search whether they allow a game from START to GOAL, side by side. Each answers yes,
no, or undecided where it reached its limit. For no there is a certificate, for yes of the lattice, the cone and the
integer cone the vector: how often each jump is taken, in integers, fractions of 0 and more, and integers of 0 and more.

coordinator peg check verifies the JSON document. docs/theory.md explains the criteria.`,
	Examples: []string{
		"ooooooo o.o.o.o --board ooooooo",
		"center center --board french --output json --out space.json",
	},
	Args:    problemArgs,
	Flags:   problemFlags,
	Outputs: []puzzle.Output{puzzle.Pictures},
	Answer:  answerSpace,
}

func answerSpace(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	p, err := askedProblem(r)
	if err != nil {
		return nil, err
	}
	s, err := feasible.New(p.Board).Space(ctx, p, feasible.Limits{Nodes: spaceNodes})
	if err != nil {
		return nil, argError(argStart, err)
	}
	if s.IntegerCone.Member == nil {
		if err := addGame(ctx, p, &s.IntegerCone); err != nil {
			return nil, err
		}
	}
	a := &puzzle.Answer{Summary: puzzle.Summary{Problem: understood(p)}, Document: s, Drawn: true,
		Figures: []figure.Figure{
			{Name: "start", Title: "start", Board: drawing(p.Board, p.Start)},
			{Name: "goal", Title: "goal", Board: drawing(p.Board, p.Goal)},
		}}
	var text strings.Builder
	s.Each(func(name string, m *feasible.Membership) {
		fmt.Fprintf(&text, "%-18s%s\n", name, strings.TrimSuffix(saidMember(m)+"  "+proofLine(m), "  "))
		if c := m.Certificate; c != nil && len(c.Proof.Weights) > 0 {
			a.Figures = append(a.Figures, figure.Figure{Name: strings.ReplaceAll(name, " ", "-"), Title: name + ": weights",
				Board: weighted(p.Board, c.Proof.Weights)})
		}
	})
	a.Text = text.String()
	return a, nil
}

// addGame looks for a game: its jumps sum to P'-P, which is then in EC.
func addGame(ctx context.Context, p peg.Problem, m *feasible.Membership) error {
	result, err := solve.Solve(ctx, p, solve.Options{Bytes: spaceMemory, Feasible: feasible.Limits{Nodes: 1}})
	if errors.Is(err, solve.ErrGaveUp) || err == nil && !result.Solvable {
		return nil
	}
	if err != nil {
		return err
	}
	times, member := map[peg.Jump]int{}, true
	for _, j := range result.Jumps {
		times[j]++
	}
	proof := proofs.Proof{Kind: proofs.Combination}
	for _, j := range p.Board.Jumps {
		if n := times[j]; n > 0 {
			proof.Multipliers = append(proof.Multipliers,
				proofs.Multiplier{Jump: peg.FormatJump(p.Board, j), Times: fmt.Sprint(n)})
		}
	}
	*m = feasible.Membership{Member: &member, Witness: proofs.New(p, proofs.InIntegerCone, proof),
		Note: "the jumps of a game"}
	return nil
}

func saidMember(m *feasible.Membership) string {
	switch {
	case m.Member == nil:
		return "undecided"
	case *m.Member:
		return "yes"
	}
	return "no"
}

// proofLine is the witness or the certificate for people, in one line.
func proofLine(m *feasible.Membership) string {
	if c := m.Certificate; c != nil {
		text := string(c.Proof.Kind)
		if c.Proof.Modulus > 0 {
			text = fmt.Sprintf("%s %d", text, c.Proof.Modulus)
		}
		for _, o := range m.Others {
			text += ", " + string(o.Proof.Kind)
		}
		return text
	}
	switch w := m.Witness.(type) {
	case *proofs.Certificate:
		terms := make([]string, 0, len(w.Proof.Multipliers))
		for _, t := range w.Proof.Multipliers {
			terms = append(terms, t.Times+" "+t.Jump)
		}
		return plural.Of(len(terms), "jump") + ": " + strings.Join(terms, ", ")
	case *feasible.Reason:
		if w.First != "" {
			return fmt.Sprintf("%s can be played first, %s can be the last", w.First, w.Last)
		}
		terms := make([]string, 0, len(w.Functions))
		for _, f := range w.Functions {
			terms = append(terms, fmt.Sprintf("%d to %d", f.Start, f.Goal))
		}
		return strings.Join(terms, ", ")
	}
	return m.Note
}
