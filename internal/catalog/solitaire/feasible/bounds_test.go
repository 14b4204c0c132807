package feasible

import (
	"context"
	"slices"
	"testing"

	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
)

// single is every jump as its own orbit.
func single(b *peg.Board) (orbits [][]int) {
	for i := range b.Jumps {
		orbits = append(orbits, []int{i})
	}
	return orbits
}

// times calls fn with every list of how often jumps are taken, n in all, whose sum is want.
func times(b *peg.Board, want []int64, n int, fn func(x []int64)) {
	x := make([]int64, len(b.Jumps))
	left := append([]int64(nil), want...)
	var search func(i, n int)
	search = func(i, n int) {
		if i == len(b.Jumps) {
			if n == 0 {
				for _, v := range left {
					if v != 0 {
						return
					}
				}
				fn(x)
			}
			return
		}
		j := b.Jumps[i]
		for k := 0; k <= n; k++ {
			search(i+1, n-k)
			left[j.From]++
			left[j.Over]++
			left[j.To]--
			x[i]++
		}
		left[j.From] -= x[i]
		left[j.Over] -= x[i]
		left[j.To] += x[i]
		x[i] = 0
	}
	search(0, n)
}

// TestBoundsAgainstBruteForce compares the bounds of the integer cone with all lists of jumps on small boards, for all
// pairs of positions, and verifies every certificate. With a least number of times it does the same.
func TestBoundsAgainstBruteForce(t *testing.T) {
	bounded, empty := 0, 0
	for _, test := range []struct {
		lattice peg.Lattice
		drawing string
	}{
		{peg.Square, "ooo"}, {peg.Square, "ooooo"}, {peg.Square, "ooo/o--/o--"}, {peg.Square, "-o-/ooo/-o-"},
		{peg.Triangular, "ooo/-oo"}, {peg.Triangular, "oooo/-oo-"},
	} {
		b := pegtest.Drawn(t, test.lattice, test.drawing)
		f := New(b)
		for start := peg.Position(1); start <= b.Full(); start++ {
			for goal := peg.Position(1); goal <= b.Full(); goal++ {
				p := peg.Problem{Board: b, Start: start, Goal: goal}
				if p.Jumps() < 1 || p.Jumps() > 4 {
					continue
				}
				var given []proofs.Bound
				need := int(start+goal) % len(b.Jumps)
				if (start^goal)%3 == 0 {
					given = []proofs.Bound{{Jump: peg.FormatJump(b, b.Jumps[need]), AtLeast: 1}}
				}
				least, greatest := make([]int64, len(b.Jumps)), make([]int64, len(b.Jumps))
				found := false
				times(b, f.difference(p), p.Jumps(), func(x []int64) {
					if given != nil && x[need] < 1 {
						return
					}
					for i, n := range x {
						if !found || n < least[i] {
							least[i] = n
						}
						greatest[i] = max(greatest[i], n)
					}
					found = true
				})
				got, err := f.Bounds(context.Background(), p, given, single(b), 100, 10_000)
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range got.Certificates {
					if err := c.Check(); err != nil {
						t.Errorf("%s: %b to %b, %v: %v", test.drawing, start, goal, c.Bounds, err)
					}
				}
				if found != (len(got.Jumps) > 0) {
					t.Errorf("%s: %b to %b, given %v: found %v, and %+v", test.drawing, start, goal, given, found, got)
				}
				if empty++; !found {
					continue
				}
				bounded++
				for i, j := range got.Jumps {
					if *j.IntegerCone != greatest[i] || *j.IntegerConeLeast != least[i] || *j.Cone < greatest[i] ||
						*j.ConeLeast > least[i] {
						t.Errorf("%s: %b to %b, %s: %d to %d, and cone %d to %d, integer cone %d to %d", test.drawing, start, goal,
							j.Jump, least[i], greatest[i], *j.ConeLeast, *j.Cone, *j.IntegerConeLeast, *j.IntegerCone)
					}
				}
			}
		}
	}
	if bounded < 100 {
		t.Errorf("%d of %d problems have bounds", bounded, empty)
	}
}

// TestBoundsKeepThoseGiven asks for every jump of the English centre game that it is played once at least. Its lower
// bound is then one, also where the first vector of the cone plays the jump more often.
func TestBoundsKeepThoseGiven(t *testing.T) {
	b, err := peg.Named("english")
	if err != nil {
		t.Fatal(err)
	}
	center := peg.Position(1) << 16
	p := peg.Problem{Board: b, Start: b.Full() &^ center, Goal: center}
	f := New(b)
	for i, j := range b.Jumps {
		given := []proofs.Bound{{Jump: peg.FormatJump(b, j), AtLeast: 1}}
		got, err := f.Bounds(context.Background(), p, given, [][]int{{i}}, 300, 300)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Jumps) == 0 {
			t.Errorf("%s: no solution plays it", given[0].Jump)
			continue
		}
		if k := got.Jumps[i]; *k.ConeLeast != 1 {
			t.Errorf("%s is played %d times at least by the cone, want once", k.Jump, *k.ConeLeast)
		}
	}
}

// TestBoundsUpToSymmetry compares the bounds of the English centre game with those of every jump alone.
func TestBoundsUpToSymmetry(t *testing.T) {
	b, err := peg.Named("english")
	if err != nil {
		t.Fatal(err)
	}
	center := peg.Position(1) << 16
	p := peg.Problem{Board: b, Start: b.Full() &^ center, Goal: center}
	place := map[peg.Jump]int{}
	for i, j := range b.Jumps {
		place[j] = i
	}
	var orbits [][]int
	seen := map[int]bool{}
	for i, j := range b.Jumps {
		var orbit []int
		for _, g := range b.Symmetries() {
			if k := place[g.Jump(j)]; !seen[k] {
				seen[k] = true
				orbit = append(orbit, k)
			}
		}
		if slices.Contains(orbit, i) {
			orbits = append(orbits, orbit)
		}
	}
	got, err := New(b).Bounds(context.Background(), p, nil, orbits, 300, 3000)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := New(b).Bounds(context.Background(), p, nil, single(b), 20, 400)
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, c := range slices.Concat(got.Certificates, alone.Certificates) {
		if err := c.Check(); err != nil || c.Claim != proofs.OutOfBounds {
			t.Errorf("%v: %s: %v", c.Bounds, c.Claim, err)
		}
		checked++
	}
	if checked < len(b.Jumps) {
		t.Errorf("%d certificates for %d jumps", checked, len(b.Jumps))
	}
	most := map[int64]int{}
	for i, j := range got.Jumps {
		k := alone.Jumps[i]
		if *j.Cone != *k.Cone || *j.ConeLeast != *k.ConeLeast || *j.IntegerConeLeast != 0 ||
			k.IntegerCone != nil && *j.IntegerCone != *k.IntegerCone {
			t.Errorf("%+v, and alone %+v", j, k)
		}
		most[*j.IntegerCone]++
	}
	if most[1] != 32 || most[2] != 12 || most[3] != 16 || most[4] != 16 {
		t.Errorf("greatest numbers %v", most)
	}
}
