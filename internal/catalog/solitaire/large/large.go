// Package large decides problems of peg solitaire on boards of more holes than a machine word has bits.
//
// It applies the criteria of package feasible that hold at this size, and looks for a game with a beam. It answers that
// there is a game or none only with a certificate, which package proofs has verified; otherwise the answer is unknown.
//
// The usual way in:
//
//	p := feasible.Open{Board: layout, Start: start, Pegs: pegs, Free: free}
//	result, err := large.Decide(ctx, p, large.Options{})
//
// The package is pure, and equal arguments give equal results; the context alone can cut a search short.
package large

import (
	"context"
	"fmt"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle/plural"
)

// Options bound the search. 0 stands for the default.
type Options struct {
	// Bytes is about how much memory the positions may take; default 512 MiB.
	Bytes int64
}

// A Result is a verdict with its game.
type Result struct {
	feasible.Verdict
	// Jumps lead from the start to a goal where the verdict is feasible.
	Jumps []peg.Jump
	// End is where they end.
	End peg.Set
}

// widths are the positions of a layer that beams keep, round by round. The cone stands between the second and the
// third: a narrow beam often finds a game in less time than the linear program takes.
var widths = []int{10, 100, 300}

const quickWidths = 2

// Decide decides p. The error is that of the context when it ends first, or says that an answer of this package is
// wrong: it is a fault of the program.
func Decide(ctx context.Context, p feasible.Open, o Options) (*Result, error) {
	r := &Result{Verdict: feasible.Verdict{Verdict: feasible.Unknown, Tried: []feasible.Attempt{}}}
	allowed := func(criterion, note string) {
		a := feasible.Attempt{Criterion: criterion, Outcome: "allows", Note: note}
		if note != "" {
			a.Outcome = "gave up"
		}
		r.Tried = append(r.Tried, a)
	}
	if proof, criterion := p.Trivial(); criterion != "" {
		return r.decided(p, criterion, proof)
	}
	for _, name := range []string{feasible.Counts, feasible.Dead, feasible.Unreachable} {
		allowed(name, "")
	}
	for _, c := range []struct {
		name  string
		apply func() (proofs.Proof, bool, string)
	}{{feasible.RuleOfThree, p.RuleOfThree}, {feasible.Golden, p.Golden}, {feasible.Lattice, p.Lattice}} {
		proof, forbidden, note := c.apply()
		if forbidden {
			return r.decided(p, c.name, proof)
		}
		allowed(c.name, note)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	s := newSearch(&p, o.Bytes)
	for i, width := range widths {
		if i == quickWidths {
			proof, forbidden, note := p.Cone(ctx)
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if forbidden {
				return r.decided(p, feasible.Cone, proof)
			}
			allowed(feasible.Cone, note)
		}
		jumps, err := s.round(ctx, width)
		if err != nil {
			return nil, err
		}
		if jumps != nil {
			r.Jumps = jumps
			return r.decided(p, feasible.Search, proofs.Proof{Kind: proofs.Game, Jumps: texts(p.Board, jumps)})
		}
	}
	r.Tried = append(r.Tried, feasible.Attempt{Criterion: feasible.Search, Outcome: "gave up",
		Note: fmt.Sprintf("%s in %s", plural.Of(s.kept, "position"), plural.Of(s.rounds, "round"))})
	return r, nil
}

// decided gives the verdict of a proof, which is verified first: a game is replayed by code that did not find it.
func (r *Result) decided(p feasible.Open, criterion string, proof proofs.Proof) (*Result, error) {
	r.Verdict.Verdict, r.Criterion = feasible.Infeasible, criterion
	claim := proofs.Infeasible
	if proof.Kind == proofs.Game {
		r.Verdict.Verdict, claim = feasible.Feasible, proofs.Feasible
	}
	r.Certificate = p.Certificate(claim, proof)
	if err := r.Certificate.Check(); err != nil {
		return nil, fmt.Errorf("criterion %s: %w", criterion, err)
	}
	r.End = p.Start
	for _, j := range r.Jumps {
		r.End.Play(j)
	}
	return r, nil
}

// texts writes jumps one by one.
func texts(b *peg.Layout, jumps []peg.Jump) []string {
	list := make([]string, len(jumps))
	for i, j := range jumps {
		list[i] = peg.FormatJump(b, j)
	}
	return list
}
