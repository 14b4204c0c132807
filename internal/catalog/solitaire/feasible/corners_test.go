package feasible

import (
	"testing"

	"pagoda/internal/peg"
)

// TestCornerGroups compares the corner groups of all boards with those that are found by trying all sets of corners: no
// jump that goes over another class leads into the largest one, or out of it.
func TestCornerGroups(t *testing.T) {
	found := 0
	for _, name := range peg.Names() {
		b, err := peg.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		over := peg.Position(0)
		for _, j := range b.Jumps {
			over |= 1 << j.Over
		}
		groups := cornerGroups(b)
		for class, m := range b.ClassMasks() {
			corners := b.Full() &^ over &^ m
			if corners.Pegs() > 16 {
				continue // too many sets
			}
			crosses := func(g peg.Position, j peg.Jump) bool { return g.Has(int(j.From)) != g.Has(int(j.To)) }
			var largest peg.Position // the union of two such sets is one
			for g := corners; g != 0; g = (g - 1) & corners {
				closed := true
				for _, j := range b.Jumps {
					closed = closed && (!crosses(g, j) || m.Has(int(j.Over)))
				}
				if closed {
					largest |= g
				}
			}
			moves := false
			for _, j := range b.Jumps {
				moves = moves || crosses(largest, j)
			}
			var want, got peg.Position
			if moves {
				want = largest
				found++
			}
			for _, g := range groups {
				if g.class == class {
					got |= g.corners
				}
			}
			if got != want {
				t.Errorf("%s, class %d: %s, want %s", name, class, peg.FormatLine(b, got), peg.FormatLine(b, want))
			}
		}
	}
	if found == 0 {
		t.Error("no board has a corner group")
	}
}
