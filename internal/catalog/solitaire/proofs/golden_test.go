package proofs_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/peg"
)

// TestGolden reads certificates as they are written, so that the form does not change unnoticed.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no certificates in testdata", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c, err := proofs.Parse(data)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if err := c.Check(); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if again, err := json.MarshalIndent(c, "", "  "); err != nil || string(again)+"\n" != string(data) {
			t.Errorf("%s is written as %s, %v", file, again, err)
		}
	}
}

// FuzzCheck: any certificate that parses is checked without a panic. On a small board no game contradicts an accepted
// certificate of infeasibility, and some game confirms an accepted one of feasibility.
func FuzzCheck(f *testing.F) {
	for _, c := range rightOnes() {
		data, err := json.Marshal(c())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := proofs.Parse(data)
		if err != nil {
			if !errors.Is(err, proofs.ErrForm) {
				t.Fatal(err)
			}
			return
		}
		p, err := c.Problem()
		if errors.Is(err, peg.ErrLarge) {
			_ = c.CheckWithin(context.Background(), 1000)
		}
		if err != nil || p.Board.Size() > 12 {
			return
		}
		if err := c.Check(); err != nil {
			if !errors.Is(err, proofs.ErrForm) && !errors.Is(err, proofs.ErrProof) {
				t.Fatal(err)
			}
			return
		}
		solvable := hasGame(p, c.Goals)
		if c.Claim == proofs.Infeasible && solvable || c.Claim == proofs.Feasible && !solvable {
			t.Fatalf("accepted as %s, but the truth is %v: %s", c.Claim, solvable, data)
		}
	})
}

// fits reports whether a position is one of several goals.
func fits(p peg.Problem, q peg.Position, g *proofs.Goals) bool {
	return q.Pegs() >= g.Least && q.Pegs() <= g.Most && (!g.Dead || p.Board.Dead(q)) && (g.Patterns == nil ||
		slices.ContainsFunc(g.Patterns, func(s string) bool {
			pegs, free, _ := p.Board.PatternSets(s) // read before, by the checker
			return p.Board.PatternLine(q.Set(), free) == p.Board.PatternLine(pegs, free)
		}))
}

// hasGame tries all games.
func hasGame(p peg.Problem, g *proofs.Goals) bool {
	seen := map[peg.Position]bool{}
	var visit func(q peg.Position) bool
	visit = func(q peg.Position) bool {
		if g == nil && q == p.Goal || g != nil && fits(p, q, g) {
			return true
		}
		if seen[q] {
			return false
		}
		seen[q] = true
		for _, j := range p.Board.Jumps {
			if j.Legal(q) && visit(j.Play(q)) {
				return true
			}
		}
		return false
	}
	return visit(p.Start)
}

// TestOpen changes every weight and every sign of a goal with open holes, together with every hole of the start.
// Whatever is accepted must be true of all games.
func TestOpen(t *testing.T) {
	for name, c := range opened {
		accepted, refused := 0, 0
		for weight := -1; weight < len(c().Proof.Weights); weight++ {
			for hole := range c().Start {
				for _, sign := range "o.?" {
					for toggled := -1; toggled < len(c().Start); toggled++ {
						x := c()
						if weight >= 0 {
							x.Proof.Weights[weight]--
						}
						goal := []rune(x.Goals.Patterns[0])
						goal[hole] = sign
						x.Goals.Patterns[0] = string(goal)
						if start := []byte(x.Start); toggled >= 0 {
							start[toggled] ^= 'o' ^ '.'
							x.Start = string(start)
						}
						err := x.Check()
						if err != nil {
							refused++
							continue
						}
						accepted++
						p, err := x.Problem()
						if err != nil {
							t.Fatal(err)
						}
						if hasGame(p, x.Goals) != (x.Claim == proofs.Feasible) {
							t.Fatalf("%s: accepted, and not so: %+v, goal %s", name, x, x.Goals.Patterns[0])
						}
					}
				}
			}
		}
		if accepted == 0 || refused == 0 {
			t.Errorf("%s: %d accepted, %d refused", name, accepted, refused)
		}
	}
}
