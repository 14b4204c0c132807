package proofs_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
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
	for _, c := range right {
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
		if err != nil || p.Board.Size() > 12 {
			return
		}
		if err := c.Check(); err != nil {
			if !errors.Is(err, proofs.ErrForm) && !errors.Is(err, proofs.ErrProof) {
				t.Fatal(err)
			}
			return
		}
		solvable := hasGame(p)
		if c.Claim == proofs.Infeasible && solvable || c.Claim == proofs.Feasible && !solvable {
			t.Fatalf("accepted as %s, but the truth is %v: %s", c.Claim, solvable, data)
		}
	})
}

// hasGame tries all games.
func hasGame(p peg.Problem) bool {
	seen := map[peg.Position]bool{}
	var visit func(q peg.Position) bool
	visit = func(q peg.Position) bool {
		if q == p.Goal {
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
