package feasible

import (
	"context"
	"slices"
	"testing"

	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
)

// checkSpace verifies every certificate and witness of an answer, and every reason by its numbers.
func checkSpace(t *testing.T, p peg.Problem, s *Space) {
	t.Helper()
	claims := map[string]proofs.Claim{
		Lattice: proofs.InLattice, Cone: proofs.InCone, IntegerCone: proofs.InIntegerCone,
	}
	s.Each(func(name string, m *Membership) {
		at := peg.FormatLine(p.Board, p.Start) + " to " + peg.FormatLine(p.Board, p.Goal) + ": " + name
		for _, c := range append(m.Others, m.Certificate) {
			if c == nil {
				continue
			}
			if err := c.Check(); err != nil || c.Claim != proofs.Infeasible || m.Member == nil || *m.Member {
				t.Errorf("%s: member %v, %s: %v", at, m.Member, c.Claim, err)
			}
		}
		if m.Member == nil || !*m.Member {
			if m.Member != nil && m.Certificate == nil || m.Witness != nil {
				t.Errorf("%s: %+v", at, m)
			}
			return
		}
		switch w := m.Witness.(type) {
		case *proofs.Certificate:
			if err := w.Check(); err != nil || w.Claim != claims[name] {
				t.Errorf("%s: %s: %v", at, w.Claim, err)
			}
		case *Reason:
			checkReason(t, at, name == RuleOfThree, p, w)
		default:
			if claims[name] != "" {
				t.Errorf("%s: no witness", at)
			}
		}
	})
}

func checkReason(t *testing.T, at string, parity bool, p peg.Problem, r *Reason) {
	t.Helper()
	for _, f := range r.Functions {
		var start, goal int64
		for i, w := range f.Weights {
			if p.Start.Has(i) {
				start += w
			}
			if p.Goal.Has(i) {
				goal += w
			}
		}
		if start != f.Start || goal != f.Goal || parity && (goal-start)%2 != 0 || !parity && goal > start {
			t.Errorf("%s: %+v, want %d and %d", at, f, start, goal)
		}
	}
	first, last := r.First == "", r.Last == ""
	for _, j := range p.Board.Jumps {
		name := peg.FormatJump(p.Board, j)
		first = first || name == r.First && j.Legal(p.Start)
		last = last || name == r.Last && !p.Goal.Has(int(j.From)) && !p.Goal.Has(int(j.Over)) && p.Goal.Has(int(j.To))
	}
	if !first || !last {
		t.Errorf("%s: first %s, last %s", at, r.First, r.Last)
	}
}

func yes(m Membership) bool { return m.Member != nil && *m.Member }
func no(m Membership) bool  { return m.Member != nil && !*m.Member }

// TestSpaceKnown pins the two problems that the literature names.
func TestSpaceKnown(t *testing.T) {
	line, french := pegtest.Drawn(t, peg.Square, "ooooooo"), pegtest.Named(t, "french")
	center := peg.Position(1) << 18
	for _, test := range []struct {
		p       peg.Problem
		members [4]bool // rule of three, L, C, EC
	}{
		{peg.Problem{Board: line, Start: 0x7f, Goal: 0x55}, [4]bool{true, true, true, false}},
		{peg.Problem{Board: french, Start: french.Full() &^ center, Goal: center}, [4]bool{false, false, true, false}},
		{peg.Problem{Board: line, Start: 0x7f, Goal: 0x7f}, [4]bool{true, true, true, true}},
	} {
		s, err := New(test.p.Board).Space(context.Background(), test.p, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		checkSpace(t, test.p, s)
		for i, m := range []Membership{s.RuleOfThree, s.Lattice, s.Cone, s.IntegerCone} {
			if yes(m) != test.members[i] || no(m) == test.members[i] {
				t.Errorf("%s: %d is %+v", test.p.Board.Name, i, m)
			}
		}
	}
}

// TestSpaceAgainstBruteForce compares the answers with all pairs of positions of small boards. The sums of jumps are
// enumerated for EC; those of EC are in L and C, and a problem with a game is allowed by all.
func TestSpaceAgainstBruteForce(t *testing.T) {
	for _, test := range []struct {
		lattice peg.Lattice
		drawing string
	}{
		{peg.Square, "ooo"}, {peg.Square, "ooooo"}, {peg.Square, "ooo/o--/o--"}, {peg.Square, "-o-/ooo/-o-"},
		{peg.Triangular, "o/oo/ooo"}, {peg.Triangular, "ooo/-oo"}, {peg.Square, "oooooo"},
	} {
		b := pegtest.Drawn(t, test.lattice, test.drawing)
		f := New(b)
		full := b.Full()
		for start := peg.Position(0); start <= full; start++ {
			games, sums := reachable(b, start), sumsFrom(b, start)
			for goal := peg.Position(0); goal <= full; goal++ {
				p := peg.Problem{Board: b, Start: start, Goal: goal}
				s, err := f.Space(context.Background(), p, Limits{})
				if err != nil {
					t.Fatal(err)
				}
				if int(start+goal)%7 == 0 {
					checkSpace(t, p, s)
				}
				s.Each(func(name string, m *Membership) {
					if games[goal] && !yes(*m) {
						t.Errorf("%s: %b to %b can be played, and %s says %+v", test.drawing, start, goal, name, m)
					}
				})
				if m := s.IntegerCone; yes(m) != sums[goal] || no(m) == sums[goal] {
					t.Errorf("%s: %b to %b: EC is %v, and integer cone says %+v", test.drawing, start, goal, sums[goal], m)
				}
				linear := yes(s.RuleOfThree) && yes(s.Classes) && yes(s.Corners)
				if sums[goal] && (!yes(s.Lattice) || !yes(s.Cone) || !linear) {
					t.Errorf("%s: %b to %b is in EC: %+v", test.drawing, start, goal, s)
				}
				if yes(s.Lattice) && !yes(s.RuleOfThree) || yes(s.Cone) && (no(s.Classes) || no(s.Corners)) {
					t.Errorf("%s: %b to %b: %+v", test.drawing, start, goal, s)
				}
			}
		}
	}
}

// TestSpaceTrivial compares the trivial criteria with the numbers of pegs and the jumps of all pairs of positions: each
// one that forbids the problem has a certificate of its own.
func TestSpaceTrivial(t *testing.T) {
	b := pegtest.Drawn(t, peg.Square, "ooooo/o----/o----")
	f := New(b)
	forbidding := [4]int{} // pairs, by how many criteria forbid them
	for start := peg.Position(0); start <= b.Full(); start++ {
		for goal := peg.Position(0); goal <= b.Full(); goal++ {
			var want []proofs.Kind
			if goal.Pegs() >= start.Pegs() {
				want = append(want, proofs.Pegs)
			}
			first, last := false, false
			for _, j := range b.Jumps {
				from, over, to := int(j.From), int(j.Over), int(j.To)
				first = first || start.Has(from) && start.Has(over) && !start.Has(to)
				last = last || !goal.Has(from) && !goal.Has(over) && goal.Has(to)
			}
			if !first {
				want = append(want, proofs.NoJump)
			}
			if !last {
				want = append(want, proofs.NoUndo)
			}
			if start == goal {
				want = nil // no jump is needed
			}
			forbidding[len(want)]++
			m := f.trivial(peg.Problem{Board: b, Start: start, Goal: goal})
			var got []proofs.Kind
			for _, c := range append([]*proofs.Certificate{m.Certificate}, m.Others...) {
				if c != nil {
					got = append(got, c.Proof.Kind)
				}
			}
			if !slices.Equal(got, want) || yes(m) != (want == nil) || no(m) == (want == nil) {
				t.Fatalf("%b to %b: trivial is %+v with %q, want %q", start, goal, m, got, want)
			}
		}
	}
	if slices.Contains(forbidding[:], 0) {
		t.Errorf("pairs that so many criteria forbid: %v", forbidding)
	}
}

// reachable is every position that games lead to.
func reachable(b *peg.Board, start peg.Position) map[peg.Position]bool {
	seen := map[peg.Position]bool{start: true}
	for list := []peg.Position{start}; len(list) > 0; list = list[1:] {
		for _, j := range b.Jumps {
			if q := list[0]; j.Legal(q) && !seen[j.Play(q)] {
				seen[j.Play(q)] = true
				list = append(list, j.Play(q))
			}
		}
	}
	return seen
}

// sumsFrom is every position that start and a sum of jumps, in no order, make: each jump takes one peg, so there are as
// many jumps as pegs at most, and all vectors on the way are enumerated.
func sumsFrom(b *peg.Board, start peg.Position) map[peg.Position]bool {
	type vector [8]int8
	var v vector
	for i := range b.Size() {
		if start.Has(i) {
			v[i] = 1
		}
	}
	sums := map[peg.Position]bool{}
	layer := map[vector]bool{v: true}
	for range start.Pegs() + 1 {
		next := map[vector]bool{}
		for v := range layer {
			q, is := peg.Position(0), true
			for i, n := range v[:b.Size()] {
				if is = is && (n == 0 || n == 1); n == 1 {
					q |= 1 << i
				}
			}
			if is {
				sums[q] = true
			}
			for _, j := range b.Jumps {
				w := v
				w[j.From]--
				w[j.Over]--
				w[j.To]++
				next[w] = true
			}
		}
		layer = next
	}
	return sums
}
