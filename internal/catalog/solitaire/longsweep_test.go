package solitaire

import (
	"context"
	"testing"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/peg"
)

// hasSweep reports whether the peg in a hole can make so many jumps in a row.
func hasSweep(b *peg.Board, p peg.Position, hole uint16, jumps int) bool {
	if jumps == 0 {
		return true
	}
	for _, j := range b.Jumps {
		if j.From == hole && j.Legal(p) && hasSweep(b, j.Play(p), j.To, jumps-1) {
			return true
		}
	}
	return false
}

// TestSweepOfSixteenJumps proves that no game of the English board from a single vacancy, to any goal, has a sweep of
// 16 jumps, although the board has such sweeps. The jumps of a sweep go over different holes between holes of its peg's
// class. Only the class of 12 holes has 16 such holes, those of two other classes. So all pegs of these are there and
// the rest of the 12 holes is empty. No jump can have led to any of the positions that are left.
func TestSweepOfSixteenJumps(t *testing.T) {
	const longest = 16
	b, err := peg.Named("english")
	if err != nil {
		t.Fatal(err)
	}
	over := map[uint8]peg.Position{} // by class, the holes that its pegs jump over
	pairs := map[uint8]int{}         // and from how many holes to how many others, both ways
	for _, j := range b.Jumps {
		class := b.Class[j.From]
		over[class] |= 1 << j.Over
		pairs[class]++
	}
	var wide uint8
	for class, holes := range over {
		switch n := holes.Pegs(); {
		case n >= longest:
			wide = class
			if n != longest || pairs[class] != 2*longest {
				t.Fatalf("pegs of class %d jump over %d holes, in %d ways", class, n, pairs[class])
			}
		case pairs[class] >= 2*longest:
			t.Fatalf("pegs of class %d have %d jumps over %d holes", class, pairs[class], n)
		}
	}
	masks := b.ClassMasks()
	rest := b.Full() &^ over[wide] &^ masks[wide]
	if masks[wide].Pegs() != 12 || rest.Pegs() != 5 {
		t.Fatalf("classes of %d and %d holes", masks[wide].Pegs(), rest.Pegs())
	}
	prover, before := feasible.New(b), 0
	for hole := range uint16(b.Size()) {
		if !masks[wide].Has(int(hole)) {
			continue
		}
		for others := rest; ; others = (others - 1) & rest {
			p := over[wide] | 1<<hole | others
			if !hasSweep(b, p, hole, longest) || hasSweep(b, p, hole, longest+1) {
				t.Fatalf("%s: the peg in %s has no longest sweep of %d jumps", peg.FormatLine(b, p), b.Label(int(hole)),
					longest)
			}
			before++
			for _, vacancy := range []int{0, 1, 4, 7, 8, 9, 16} { // one of each class of holes
				problem := peg.Problem{Board: b, Start: b.Complement(1 << vacancy), Goal: p}
				v, err := prover.Decide(context.Background(), problem, feasible.Limits{})
				if err != nil || v.Verdict != feasible.Infeasible || v.Criterion != feasible.Unreachable {
					t.Fatalf("%s from a vacancy in %s: %+v, %v", peg.FormatLine(b, p), b.Label(vacancy), v, err)
				}
				if err := v.Certificate.Check(); err != nil {
					t.Fatal(err)
				}
			}
			if others == 0 {
				break
			}
		}
	}
	if before != 12*32 {
		t.Errorf("%d positions, want %d", before, 12*32)
	}
	orbits := map[int]bool{}
	for _, hole := range []int{0, 1, 4, 7, 8, 9, 16} {
		for _, g := range b.Symmetries() {
			orbits[int(g[hole])] = true
		}
	}
	if len(orbits) != b.Size() {
		t.Errorf("the vacancies stand for %d holes", len(orbits))
	}
}
