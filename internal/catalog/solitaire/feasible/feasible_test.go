package feasible_test

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
)

// decide returns the verdict, all of whose certificates have been checked.
func decide(t rapid.TB, f *feasible.Prover, p peg.Problem, limits feasible.Limits) *feasible.Verdict {
	t.Helper()
	v, err := f.Decide(context.Background(), p, limits)
	if err != nil {
		t.Fatal(err)
	}
	check := func(c *proofs.Certificate) {
		if err := c.Check(); err != nil {
			t.Fatalf("%s to %s: %v", peg.FormatLine(f.Board(), p.Start), peg.FormatLine(f.Board(), p.Goal), err)
		}
	}
	if v.Certificate != nil {
		check(v.Certificate)
	}
	if (v.Certificate == nil) != (v.Verdict == feasible.Unknown) {
		t.Fatalf("verdict %s with certificate %v", v.Verdict, v.Certificate)
	}
	members := map[string]proofs.Claim{
		feasible.Lattice: proofs.InLattice, feasible.Cone: proofs.InCone,
		feasible.IntegerCone: proofs.InIntegerCone,
	}
	for _, a := range v.Tried {
		if a.Certificate != nil {
			check(a.Certificate)
		}
		if want := members[a.Criterion]; want != "" && a.Outcome == "allows" &&
			(a.Certificate == nil || a.Certificate.Claim != want) {
			t.Fatalf("criterion %s allows the problem without a proof of %q: %+v", a.Criterion, want, a.Certificate)
		}
	}
	return v
}

// TestSourceFacet: the facet that the source draws for the English board, and the problem that it forbids.
func TestSourceFacet(t *testing.T) {
	b := pegtest.Named(t, "english")
	weights := []int64{
		11, 8, 3, 7, 5, 2, 4, 0, 4, 3, 1, 2, -1, 3, 0, 3, 2, 1, 1, 0, 1, 0, 1, 1, 0, 1, -1, 2, 1, 1, -1, 0, -1,
	}
	goal := peg.Position(0b1_0000_1111)
	p := peg.Problem{Board: b, Start: b.Complement(goal), Goal: goal}
	proof := proofs.Proof{Kind: proofs.Pagoda, Weights: weights}
	if err := proofs.New(p, proofs.Infeasible, proof).Check(); err != nil {
		t.Fatal(err)
	}
	f := feasible.New(b)
	if c, ok := f.LatticeMember(p); !ok || c.Check() != nil {
		t.Error("the problem must be in the lattice")
	}
	if v := decide(t, f, p, feasible.Limits{}); v.Criterion != feasible.Cone {
		t.Errorf("got %s by %s, want infeasible by the cone", v.Verdict, v.Criterion)
	}
}

// TestFrenchCentre: centre to centre on the French board is not in L, but inside the cone.
func TestFrenchCentre(t *testing.T) {
	b := pegtest.Named(t, "french")
	f := feasible.New(b)
	p := pegtest.Problem(t, b, "center", "center")
	if _, ok := f.LatticeMember(p); ok {
		t.Error("it must not be in the lattice")
	}
	c, ok := f.ConeMember(p)
	if !ok {
		t.Fatal("it must be in the cone")
	}
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	if v := decide(t, f, p, feasible.Limits{}); v.Verdict != feasible.Infeasible || v.Criterion != feasible.RuleOfThree {
		t.Errorf("got %s by %s", v.Verdict, v.Criterion)
	}
}

// TestSevenHoles: the problem of the source that is in the lattice and in the cone, but not in the integer cone.
func TestSevenHoles(t *testing.T) {
	b := pegtest.Drawn(t, peg.Square, "ooooooo")
	f := feasible.New(b)
	p := peg.Problem{Board: b, Start: b.Full(), Goal: 0b1010101}
	if _, ok := f.LatticeMember(p); !ok {
		t.Error("it must be in the lattice")
	}
	if _, ok := f.ConeMember(p); !ok {
		t.Error("it must be in the cone")
	}
	// No jump is possible on the full board, so a trivial criterion decides first; the integer cone does as well.
	if v := decide(t, f, p, feasible.Limits{}); v.Criterion != feasible.Dead {
		t.Errorf("got %s by %s", v.Verdict, v.Criterion)
	}
	c, note := f.IntegerCone(context.Background(), p, feasible.Limits{})
	if c == nil || c.Claim != proofs.Infeasible || c.Proof.Kind != proofs.Tree {
		t.Fatalf("got %v, %s; want a tree", c, note)
	}
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
}

// TestIntegerConeDecides: branch and bound decides the problems of one vacancy and one peg in the same hole, where the
// lattice allows them. Each answer is proved, on boards up to 45 holes.
func TestIntegerConeDecides(t *testing.T) {
	for _, name := range []string{"english", "diamond", "wiegleb", "square6", "triangle8"} {
		b := pegtest.Named(t, name)
		f := feasible.New(b)
		decided := 0
		for _, pair := range peg.CompatiblePairs(b)[:12] {
			p := pair.Problem(b)
			c, note := f.IntegerCone(context.Background(), p, feasible.Limits{})
			if c == nil {
				t.Errorf("%s, %v: %s", name, pair, note)
				continue
			}
			if err := c.Check(); err != nil {
				t.Errorf("%s, %v: %v", name, pair, err)
			}
			decided++
		}
		t.Logf("%s: %d decided", name, decided)
	}
}
