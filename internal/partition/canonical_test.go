package partition

import (
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
)

// checkCanonical compares Locate and its parts with the definitions, on one position.
func checkCanonical(t fatal, s *Space, p peg.Position) {
	t.Helper()
	v, canonical, orbit := s.Locate(p)
	wantV, want, wantOrbit, _ := slowLocate(s, p)
	if v != wantV || canonical != want || orbit != wantOrbit {
		t.Fatalf("position %s: cell %s, canonical %#x, orbit %d, want %s, %#x, %d", peg.Hex(p), v.Key(), canonical, orbit,
			wantV.Key(), want, wantOrbit)
	}
	rep := s.Position(canonical)
	inOrbit := false
	for i, g := range s.Group {
		q := g.Apply(p)
		inOrbit = inOrbit || q == rep
		if v2, c2, o2 := s.Locate(q); v2 != v || c2 != canonical || o2 != orbit {
			t.Fatalf("position %s and its image %s have different canonical forms", peg.Hex(p), peg.Hex(q))
		}
		if got := s.Image(i, s.Vector(p)); got != slowVector(s.Board, q) {
			t.Fatalf("position %s: image %d has vector %s, want %s", peg.Hex(p), i, got.Key(), slowVector(s.Board, q).Key())
		}
		x, y := slowOrdered(s, p), slowOrdered(s, q)
		if s.Ordered(p) != x || s.Position(x) != p {
			t.Fatalf("position %s: ordered %#x, want %#x", peg.Hex(p), s.Ordered(p), x)
		}
		if s.PrefixImage(i, s.Prefix.Of(x)) != s.Prefix.Of(y) || s.MidImage(i, s.Mid.Of(x)) != s.Mid.Of(y) ||
			s.LowImage(i, s.Low.Of(x)) != s.Low.Of(y) {
			t.Fatalf("position %s: image %d field by field is not %s", peg.Hex(p), i, peg.Hex(q))
		}
		if m := s.MidImages(i); m != nil && uint64(m[s.Mid.Of(x)]) != s.Mid.Of(y) {
			t.Fatalf("position %s: the table gives mid image %#x, want %#x", peg.Hex(p), m[s.Mid.Of(x)], s.Mid.Of(y))
		}
	}
	if !inOrbit {
		t.Fatalf("the canonical form %s of %s is not in its orbit", peg.Hex(rep), peg.Hex(p))
	}
	if v2, again, _ := s.Locate(rep); again != canonical || v2 != v || s.Vector(rep) != v {
		t.Fatalf("the canonical form %s of %s has canonical form %#x", peg.Hex(rep), peg.Hex(p), again)
	}
}

// checkBest looks for a symmetry the way the kernels do: the table names an element that makes the prefix of p
// the canonical one, whatever image of p it is asked for.
func checkBest(t fatal, s *Space, p peg.Position) {
	t.Helper()
	v, canonical, _ := s.Locate(p)
	rep, coset := s.Canonical(s.Vector(p))
	g := s.BestElement(coset)[s.Prefix.Of(s.Ordered(p))]
	q := s.Group[g].Apply(p)
	if rep != v || s.Vector(q) != v || s.Prefix.Of(s.Ordered(q)) != s.Prefix.Of(canonical) {
		t.Fatalf("position %s: element %d takes it to %s, whose prefix is not that of %s", peg.Hex(p), g, peg.Hex(q),
			peg.Hex(s.Position(canonical)))
	}
	if want := len(s.Group); s.OrbitSize(v)*len(elements(s, v)) != want {
		t.Fatalf("vector %s: orbit of %d, fixed by %d of %d elements", v.Key(), s.OrbitSize(v), len(elements(s, v)), want)
	}
}

// elements lists the group elements that map v to itself.
func elements(s *Space, v Vector) (fixing []int) {
	for g := range s.Group {
		if s.Image(g, v) == v {
			fixing = append(fixing, g)
		}
	}
	return fixing
}

func TestCanonicalForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSymmetric(t, 60)
		if rapid.Bool().Draw(t, "no symmetry") {
			s = drawSpace(t, rapid.SampledFrom([]int{3, 10, 20}).Draw(t, "least"), 30)
		}
		for range 10 {
			p := pegtest.Position(s.Board).Draw(t, "position")
			checkCanonical(t, s, p)
			checkBest(t, s, p)
		}
	})
}

// TestGroupOrder refuses groups that a set of elements in one word cannot hold.
func TestGroupOrder(t *testing.T) {
	b := mustBoard(t, "triangle4")
	group := make([]peg.Perm, 65)
	for i := range group {
		group[i] = b.Symmetries()[0]
	}
	if _, err := NewSpace(b, group, b.Full()); err == nil {
		t.Fatal("a group of 65 elements was taken")
	}
}
