package peg_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
)

// checkGroup checks that group is a group of permutations in lexicographic order.
func checkGroup(t rapid.TB, size int, group []peg.Perm) {
	t.Helper()
	if len(group) == 0 {
		t.Fatal("the group is empty")
	}
	for i, to := range group[0] {
		if int(to) != i {
			t.Fatalf("the first element %v is not the identity", group[0])
		}
	}
	has := func(g peg.Perm) bool {
		return slices.ContainsFunc(group, func(h peg.Perm) bool { return slices.Equal(g, h) })
	}
	for i, g := range group {
		if len(g) != size {
			t.Fatalf("%v does not permute %d holes", g, size)
		}
		if i > 0 && slices.Compare(group[i-1], g) >= 0 {
			t.Fatalf("%v comes before %v", group[i-1], g)
		}
		if !has(g.Inverse()) || slices.Compare(g.Compose(g.Inverse()), group[0]) != 0 {
			t.Fatalf("the inverse of %v is wrong or lacking", g)
		}
		for _, h := range group {
			if !has(g.Compose(h)) {
				t.Fatalf("%v after %v is lacking", g, h)
			}
		}
	}
}

func TestSymmetriesOfNamedBoards(t *testing.T) {
	for _, name := range peg.Names() {
		b := pegtest.Named(t, name)
		group := b.Symmetries()
		checkGroup(t, b.Size(), group)
		if center, ok := b.Center(); ok && len(peg.Stabiliser(group, 1<<center)) != len(group) {
			t.Errorf("%s: a symmetry moves the centre", name)
		}
	}
}

// TestSymmetries compares with a slow search for all permutations of a random board that keep every distance, and of
// them all jumps. A connected board has two neighbours, so such a permutation takes the lattice to itself.
func TestSymmetries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := pegtest.Board(3, 14).Draw(t, "board")
		group := b.Symmetries()
		checkGroup(t, b.Size(), group)
		var want []peg.Perm
		extend(b, nil, &want)
		want = slices.DeleteFunc(want, func(g peg.Perm) bool {
			return slices.ContainsFunc(b.Jumps, func(j peg.Jump) bool { return !slices.Contains(b.Jumps, g.Jump(j)) })
		})
		if !slices.EqualFunc(group, want, func(g, h peg.Perm) bool { return slices.Equal(g, h) }) {
			t.Fatalf("got %v, want %v on\n%s", group, want, peg.FormatPosition(b, 0))
		}
	})
}

// extend appends to all, in lexicographic order, the isometries of b that begin with g.
func extend(b *peg.Board, g peg.Perm, all *[]peg.Perm) {
	n := len(g)
	if n == b.Size() {
		*all = append(*all, slices.Clone(g))
		return
	}
	for to := range b.Size() {
		if slices.Contains(g, uint8(to)) {
			continue
		}
		keeps := true
		for i := range g {
			keeps = keeps && distance(b, i, n) == distance(b, int(g[i]), to)
		}
		if keeps {
			extend(b, append(slices.Clone(g), uint8(to)), all)
		}
	}
}

// TestPerms checks that symmetries take jumps to jumps, act on positions as a group does, and that orbits and
// stabilisers fit.
func TestPerms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.OneOf(
			pegtest.Board(3, 20),
			rapid.Map(rapid.SampledFrom(peg.Names()), func(n string) *peg.Board { b, _ := peg.Named(n); return b }),
		).Draw(t, "board")
		p := pegtest.Position(b).Draw(t, "position")
		group := b.Symmetries()
		g := rapid.SampledFrom(group).Draw(t, "g")
		h := rapid.SampledFrom(group).Draw(t, "h")
		if g.Compose(h).Apply(p) != g.Apply(h.Apply(p)) || g.Inverse().Apply(g.Apply(p)) != p {
			t.Fatalf("%v and %v do not act on %s as a group", g, h, peg.Hex(p))
		}
		if g.Apply(p).Pegs() != p.Pegs() || g.Apply(b.Full()) != b.Full() {
			t.Fatalf("%v loses pegs of %s", g, peg.Hex(p))
		}
		for _, j := range b.Jumps {
			if !slices.Contains(b.Jumps, g.Jump(j)) {
				t.Fatalf("%v takes jump %v to no jump", g, j)
			}
			if j.Legal(p) && g.Apply(j.Play(p)) != g.Jump(j).Play(g.Apply(p)) {
				t.Fatalf("%v and jump %v do not commute on %s", g, j, peg.Hex(p))
			}
		}
		fix := peg.Stabiliser(group, p)
		checkGroup(t, b.Size(), fix)
		orbit := map[peg.Position]bool{}
		least := p
		for _, g := range group {
			orbit[g.Apply(p)] = true
			least = min(least, g.Apply(p))
		}
		canonical, fixed := peg.Canonical(group, p)
		if fixed != len(fix) || fixed*len(orbit) != len(group) || canonical != least {
			t.Fatalf("orbit of %d, stabiliser of %d and %d, group of %d", len(orbit), fixed, len(fix), len(group))
		}
		if c, _ := peg.Canonical(group, g.Apply(p)); c != canonical {
			t.Fatalf("the canonical form of %s is not constant on its orbit", peg.Hex(p))
		}
	})
}
