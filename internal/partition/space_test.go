package partition

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
)

// A fatal is what testing.T and rapid.T have in common here.
type fatal interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func mustBoard(t fatal, name string) *peg.Board {
	t.Helper()
	b, err := peg.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func mustSpace(t fatal, b *peg.Board, group []peg.Perm, start peg.Position) *Space {
	t.Helper()
	s, err := NewSpace(b, group, start)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// spaceOf is the space of a board and a start under all symmetries that fix the start.
func spaceOf(t fatal, board, start string) *Space {
	t.Helper()
	b := mustBoard(t, board)
	p, err := peg.ParseStart(b, start)
	if err != nil {
		t.Fatal(err)
	}
	return mustSpace(t, b, peg.Stabiliser(b.Symmetries(), p), p)
}

// drawGroup draws a group that fixes start: all symmetries that do, the identity alone, or the powers of one symmetry.
func drawGroup(t *rapid.T, b *peg.Board, start peg.Position) []peg.Perm {
	all := peg.Stabiliser(b.Symmetries(), start)
	switch rapid.SampledFrom([]string{"whole", "whole", "cyclic", "trivial"}).Draw(t, "group") {
	case "whole":
		return all
	case "trivial":
		return all[:1]
	}
	generator := rapid.SampledFrom(all).Draw(t, "generator")
	group := all[:1:1]
	for g := generator; g.Apply(start) == start && !isIdentity(g); g = generator.Compose(g) {
		group = append(group, g)
	}
	return group
}

func isIdentity(g peg.Perm) bool {
	for i, to := range g {
		if int(to) != i {
			return false
		}
	}
	return true
}

// drawSpace draws a board of least to most holes, a start and a group that fixes it.
func drawSpace(t *rapid.T, least, most int) *Space {
	b := pegtest.Board(least, most).Draw(t, "board")
	start := pegtest.Start(b).Draw(t, "start")
	return logged(t, mustSpace(t, b, drawGroup(t, b, start), start))
}

// drawSymmetric is drawSpace for boards that have symmetries.
func drawSymmetric(t *rapid.T, most int) *Space {
	b := pegtest.SymmetricBoard(most).Draw(t, "symmetric board")
	start := pegtest.SymmetricStart(b).Draw(t, "symmetric start")
	return logged(t, mustSpace(t, b, drawGroup(t, b, start), start))
}

func logged(t *rapid.T, s *Space) *Space {
	b := s.Board
	t.Logf("board %s, start %s, group of %d, fields %d+%d+%d", peg.FormatLine(b, b.Full()), peg.FormatLine(b, s.Start),
		len(s.Group), s.Prefix.Bits, s.Mid.Bits, s.Low.Bits)
	return s
}

// The slow side of the comparisons: hole by hole, straight from the definitions.

func slowVector(b *peg.Board, p peg.Position) Vector {
	var v Vector
	for h, c := range b.Class {
		if p.Has(h) {
			v[c]++
		}
	}
	return v
}

func slowOrdered(s *Space, p peg.Position) uint64 {
	var x uint64
	for h := range s.Board.Size() {
		if p.Has(h) {
			x |= 1 << s.Bit(uint16(h))
		}
	}
	return x
}

// slowLocate is Locate from the definition: the largest vector among the images of p, and the smallest ordered position
// among the images that have it. atSmallestPrefix says whether p itself has the largest vector, and the smallest prefix
// pattern among the images that have it: whether p has an address, were its invariants those of the start.
func slowLocate(s *Space, p peg.Position) (v Vector, canonical uint64, orbit int, atSmallestPrefix bool) {
	images := make([]peg.Position, 0, 64)
	for _, g := range s.Group {
		if q := g.Apply(p); !slices.Contains(images, q) {
			images = append(images, q)
		}
	}
	for _, q := range images {
		if w := slowVector(s.Board, q); v.before(w) {
			v = w
		}
	}
	canonical = ^uint64(0)
	for _, q := range images {
		if slowVector(s.Board, q) == v {
			canonical = min(canonical, slowOrdered(s, q))
		}
	}
	own := slowVector(s.Board, p) == v && s.Prefix.Of(slowOrdered(s, p)) == s.Prefix.Of(canonical)
	return v, canonical, len(images), own
}

// sameParities reports whether p has the invariants of the start.
func sameParities(s *Space, masks []peg.Position, p peg.Position) bool {
	return peg.Parities(masks, p) == peg.Parities(masks, s.Start)
}

// eachSmall runs fn on the spaces of small named boards: every field layout that a board of at most 19 holes can have.
func eachSmall(t *testing.T, fn func(t *testing.T, s *Space)) {
	for _, c := range []struct{ board, start string }{
		{"triangle4", "r0c0"}, {"triangle4", "r1c0"}, {"triangle4", "r2c1"},
		{"triangle5", "r0c0"}, {"triangle5", "r1c0"}, {"triangle5", "r2c1"}, {"triangle5", "r3c1"},
		{"hexagon19", "center"}, {"hexagon19", "r1c2"},
	} {
		t.Run(c.board+"/"+c.start, func(t *testing.T) { fn(t, spaceOf(t, c.board, c.start)) })
	}
}

// The whole space addresses every position of a board: its vectors have all of them, each as often as its orbit says.
func TestWholeSpace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := pegtest.Board(3, 12).Draw(t, "board")
		if rapid.Bool().Draw(t, "symmetric") {
			b = pegtest.SymmetricBoard(14).Draw(t, "symmetric board")
		}
		s, err := NewWholeSpace(b, b.Symmetries())
		if err != nil {
			t.Fatal(err)
		}
		layers, positions := map[Vector]int{}, uint64(0)
		for n, list := range s.Vectors() {
			for _, v := range list {
				layers[v] = n
				l := s.Layout(v)
				for at := range l.Addresses() {
					x := l.Ordered(at)
					if stands, orbit := l.Class(l.PrefixOf(s.Prefix.Of(x)), x); stands {
						positions += uint64(orbit)
					}
				}
			}
		}
		if want := uint64(1) << b.Size(); positions != want {
			t.Fatalf("%d positions are addressed, want %d", positions, want)
		}
		p := pegtest.Position(b).Draw(t, "position")
		v, x, _ := s.Locate(p)
		if n, ok := layers[v]; !ok || n != b.Size()-p.Pegs() {
			t.Fatalf("position %s: cell %s is not listed among those of its pegs", peg.Hex(p), v.Key())
		}
		if _, ok := s.Layout(v).Address(x); !ok {
			t.Fatalf("position %s has no address", peg.Hex(p))
		}
	})
}
