package baseball

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// TestRankIsBijective: the ranks of each free base number all its configurations, once each.
func TestRankIsBijective(t *testing.T) {
	for n := 2; n <= 5; n++ {
		o := newOrder(n)
		seen := map[Configuration]bool{}
		for hole := range n {
			for rank := range o.ranks() {
				f := o.unrank(rank, hole)
				c := o.configuration(&f, hole)
				if seen[c] {
					t.Fatalf("%d bases: %v has two ranks", n, c)
				}
				seen[c] = true
				if p, err := Parse(c.String()); err != nil || p != c {
					t.Fatalf("%d bases, rank %d with base %d free: %v, %v", n, rank, hole, c, err)
				}
				if back := o.rank(&f, hole); back != rank {
					t.Fatalf("%v: rank %d, want %d", c, back, rank)
				}
			}
		}
		all := reference(n, Ring)
		if len(seen) != len(all) {
			t.Errorf("%d bases: %d configurations have ranks, of %d", n, len(seen), len(all))
		}
		for c := range all {
			if !seen[c] {
				t.Errorf("%v has no rank", c)
			}
		}
	}
}

func TestRankOfLargeOrders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := newOrder(rapid.IntRange(2, MaxBases).Draw(t, "bases"))
		hole := rapid.IntRange(0, o.bases-1).Draw(t, "hole")
		rank := rapid.Uint64Range(0, o.ranks()-1).Draw(t, "rank")
		f := o.unrank(rank, hole)
		c := o.configuration(&f, hole)
		if p, err := Parse(c.String()); err != nil || p != c {
			t.Fatalf("%v: %v", c, err)
		}
		if back := o.rank(&f, hole); back != rank {
			t.Fatalf("%v: rank %d, want %d", c, back, rank)
		}
	})
}

// TestPlaceAfterMove: a move on the line changes the place of a configuration as its rank says.
func TestPlaceAfterMove(t *testing.T) {
	for n := 2; n <= MaxBases; n++ {
		o := newOrder(n)
		tables := costs{Search: &Search{order: o}, ranks: o.ranks()}
		place := func(c *Configuration) uint64 {
			f := o.filling(c)
			return uint64(c.hole)*o.ranks() + o.rank(&f, int(c.hole))
		}
		c := Goal(n)
		for i := range 2000 {
			moves := c.Moves(Line)
			for _, m := range moves {
				after, at := tables.after(&c, place(&c), m)
				if after != c.After(m) || at != place(&after) {
					t.Fatalf("%v after %v: %v at %d, want %v at %d", c, m, after, at, c.After(m), place(&after))
				}
			}
			c = c.After(moves[i*i%len(moves)])
		}
	}
}

// TestRanksAddUpToConfigurations: n bases have as many ranks as the source's recurrence, which counts in another way.
func TestRanksAddUpToConfigurations(t *testing.T) {
	for n := 2; n <= MaxBases; n++ {
		got := new(big.Int).SetUint64(newOrder(n).ranks())
		got.Mul(got, big.NewInt(int64(n)))
		if want := Configurations(n); got.Cmp(want) != 0 {
			t.Errorf("%d bases: %v ranks, %v configurations", n, got, want)
		}
	}
}

// TestWaysAreInOrder: the ways to fill a base come in order of rank without a gap.
func TestWaysAreInOrder(t *testing.T) {
	for n := 2; n <= 6; n++ {
		o := newOrder(n)
		var check func(r rest)
		check = func(r rest) {
			odd := r.one.count()%2 == 1 // then a base is free, and any of them may be the one that is filled first
			for _, ways := range [][]way{o.singles(nil, r), o.pairs(nil, r)} {
				if len(ways) == 0 || ways[0].b == free && !odd {
					continue
				}
				next := uint64(0)
				for _, w := range ways {
					if w.at != next {
						t.Fatalf("%d bases, %+v: starts at %d, want %d", n, w, w.at, next)
					}
					next += w.size
				}
				if next != o.left(r) {
					t.Fatalf("%d bases, %+v: %d ways, want %d", n, r, next, o.left(r))
				}
			}
			for _, w := range o.pairs(nil, r) {
				check(w.rest)
			}
		}
		check(all(n))
	}
}

func TestConfigurations(t *testing.T) {
	want := []int64{1, 4, 33, 480, 11010, 367560, 16854390, 1016930880, 78124095000}
	for i, w := range want {
		if got := Configurations(i + 1); got.Int64() != w || !got.IsInt64() {
			t.Errorf("C(%d) = %v, want %d", i+1, got, w)
		}
	}
	// The source: C(36) is about 4.2e82.
	lead := new(big.Int).Quo(Configurations(36), new(big.Int).Exp(big.NewInt(10), big.NewInt(81), nil))
	if lead.Int64() != 41 && lead.Int64() != 42 {
		t.Errorf("C(36) begins with %v, want 42 or nearly", lead)
	}
}
