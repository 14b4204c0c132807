package tiles

import (
	"errors"
	"testing"

	"pagoda/internal/puzzle/uint128"

	"pgregory.net/rapid"
)

// TestCensusAgainstEnumeration counts the grids of small shapes one by one, and walks through the ranks.
func TestCensusAgainstEnumeration(t *testing.T) {
	for _, s := range []Shape{{2, 2, 5}, {2, 3, 5}, {3, 2, 5}, {3, 3, 5}, {3, 4, 5}, {4, 3, 5}, {2, 6, 5}, {4, 4, 5},
		{2, 2, 6}, {3, 3, 6}, {2, 5, 6}} {
		c := mustCensus(t, s)
		var raw, up uint64
		w := newWalk(s, c.unrank(uint128.Uint128{}))
		more := true
		naive(s, func(g *cells) {
			raw++
			var names renaming
			for i := range s.Cells() {
				if names.of(g[i]) != g[i] {
					return
				}
			}
			// naive comes in lexicographic order, so the up-th such grid has rank up.
			if !more || w.grid != *g {
				t.Fatalf("%v: rank %d is walked as %s, want %s", s, up, s.write(&w.grid, plainLetters), s.write(g, plainLetters))
			}
			if got := c.rank(g); got != uint128.From(up) {
				t.Fatalf("%v: %s has rank %v, want %d", s, s.write(g, plainLetters), got, up)
			}
			if got := c.unrank(uint128.From(up)); got != *g {
				t.Fatalf("%v: rank %d is %s, want %s", s, up, s.write(&got, plainLetters), s.write(g, plainLetters))
			}
			up++
			more = w.next()
		})
		if more || c.Raw() != uint128.From(raw) || c.UpToColours() != uint128.From(up) {
			t.Errorf("%v: %v raw, %v up to colours, want %d and %d", s, c.Raw(), c.UpToColours(), raw, up)
		}
	}
}

// TestRankOfLargeShapes checks the bijection where nothing can be enumerated.
func TestRankOfLargeShapes(t *testing.T) {
	for _, s := range []Shape{{5, 5, 5}, {8, 8, 5}, {7, 8, 5}, {6, 5, 6}} {
		c := mustCensus(t, s)
		rapid.Check(t, func(t *rapid.T) {
			g := drawGrid(t, c)
			rank := c.rank(&g)
			if got := c.unrank(rank); got != g {
				t.Fatalf("%v: rank %v is %s, want %s", s, rank, s.write(&got, plainLetters), s.write(&g, plainLetters))
			}
			w := newWalk(s, g)
			if next, _ := rank.Add(uint128.From(1)); w.next() && c.rank(&w.grid) != next {
				t.Fatalf("%v: rank %v is followed by %v", s, rank, c.rank(&w.grid))
			}
		})
	}
}

func TestCensusTransposed(t *testing.T) {
	for m := MinSide; m <= 6; m++ {
		for n := m; n <= 7; n++ {
			a, b := mustCensus(t, Shape{m, n, 5}), mustCensus(t, Shape{n, m, 5})
			if a.Raw() != b.Raw() || a.UpToColours() != b.UpToColours() {
				t.Errorf("%dx%d: %v and %v raw, %v and %v up to colours", m, n, a.Raw(), b.Raw(), a.UpToColours(),
					b.UpToColours())
			}
		}
	}
}

func TestShapeRefused(t *testing.T) {
	for _, s := range []Shape{{1, 4, 5}, {4, 9, 5}, {0, 0, 5}, {4, 4, 4}, {4, 4, 7}, {-2, 3, 5}} {
		if _, err := NewCensus(s); !errors.Is(err, ErrShape) {
			t.Errorf("%v: error %v", s, err)
		}
		if _, err := newSolver(s); !errors.Is(err, ErrShape) {
			t.Errorf("%v: error %v", s, err)
		}
	}
	if _, err := New(Params{Rows: 8, Cols: 8, Colours: 6}); !errors.Is(err, ErrShape) {
		t.Errorf("a survey of 8x8 with 6 colours is planned: %v", err)
	}
}

// TestCanonical checks the canonical form against all images of a grid, and that classes fill the shape.
func TestCanonical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := shapes(36).Draw(t, "shape")
		c, err := NewCensus(s)
		if err != nil {
			t.Fatal(err)
		}
		g := drawGrid(t, c)
		syms := s.symmetries()
		form := canonicalForm(syms, &g)
		stabiliser, ok := canonical(syms, &form)
		if !ok || stabiliser < 1 || len(syms)%stabiliser != 0 {
			t.Fatalf("%s is not canonical (%d)", s.write(&form, plainLetters), stabiliser)
		}
		images := map[cells]bool{}
		perm := rapid.Permutation([]uint8{0, 1, 2, 3, 4, 5}[:s.Colours]).Draw(t, "colours")
		for _, p := range syms {
			h := p.image(&g)
			images[h] = true
			if _, ok := canonical(syms, &h); ok != (h == form) {
				t.Fatalf("%s is canonical: %v", s.write(&h, plainLetters), ok)
			}
			for i := range s.Cells() {
				h[i] = perm[h[i]]
			}
			if canonicalForm(syms, &h) != form {
				t.Fatalf("an image of %s has another form", s.write(&g, plainLetters))
			}
		}
		if len(images)*stabiliser != len(syms) {
			t.Fatalf("%s has %d images and a stabiliser of %d", s.write(&g, plainLetters), len(images), stabiliser)
		}
	})
}
