package baseball

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestReflect: a set of configurations is reflected as each of them is.
func TestReflect(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := newOrder(rapid.IntRange(2, MaxBases-1).Draw(t, "bases"))
		hole := rapid.IntRange(0, o.bases-1).Draw(t, "hole")
		ways := o.pairs(nil, all(o.bases))
		if hole == 0 {
			ways = o.singles(nil, all(o.bases))
		}
		w := rapid.SampledFrom(ways).Draw(t, "way")
		src, want := newField(w.at, w.size), map[uint64]bool{}
		var first, last uint64
		for _, at := range rapid.SliceOfN(rapid.Uint64Range(0, w.size-1), 0, 50).Draw(t, "ranks") {
			src.set(w.at + at)
			f := o.unrank(w.at+at, hole)
			g := o.mirror(&f)
			rank := o.rank(&g, (o.bases-hole)%o.bases)
			want[rank] = true
			if len(want) == 1 {
				first, last = rank, rank
			}
			first, last = min(first, rank), max(last, rank)
		}
		dst := newField(first, last-first+1)
		r := reflector{order: o, known: map[uint32][]tail{}}
		for range 2 { // the second time tails are known
			if err := r.reflect(t.Context(), dst, src, w, hole); err != nil {
				t.Fatal(err)
			}
		}
		got := 0
		dst.each(first, last-first+1, func(rank uint64) {
			if got++; !want[rank] {
				t.Fatalf("%d bases, base %d free: rank %d is no reflection", o.bases, hole, rank)
			}
		})
		if got != len(want) {
			t.Fatalf("%d bases, base %d free: %d reflections, want %d", o.bases, hole, got, len(want))
		}
	})
}

// TestReflectNineBases: the same of one way of the largest ring, whose field is kept by region.
func TestReflectNineBases(t *testing.T) {
	const hole = 4
	o := newOrder(MaxBases)
	w := o.pairs(nil, all(MaxBases))[9]
	src := newField(w.at, w.size)
	var want []uint64
	for i := range uint64(1000) {
		rank := w.at + i*i*i*i%w.size
		src.set(rank)
		f := o.unrank(rank, hole)
		g := o.mirror(&f)
		want = append(want, o.rank(&g, MaxBases-hole))
	}
	slices.Sort(want)
	want = slices.Compact(want)
	dst := newField(want[0], want[len(want)-1]-want[0]+1)
	if dst.size <= cachedRanks {
		t.Fatalf("a field of %d ranks is not kept by region", dst.size)
	}
	r := reflector{order: o, known: map[uint32][]tail{}}
	if err := r.reflect(t.Context(), dst, src, w, hole); err != nil {
		t.Fatal(err)
	}
	var got []uint64
	dst.each(dst.first, dst.size, func(rank uint64) { got = append(got, rank) })
	if !slices.Equal(got, want) {
		t.Errorf("%d reflections, want %d, or others", len(got), len(want))
	}
}

// TestScatter: ranks that are kept by region are set in the end, and some before.
func TestScatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := newField(77, 2*regionRanks+5)
		s := scatter{to: f, kept: make([]uint32, 3*3), each: 3, n: make([]int, 3)}
		want := map[uint64]bool{}
		for _, at := range rapid.SliceOfN(rapid.Uint64Range(0, f.size-1), 10, 40).Draw(t, "ranks") {
			s.set(f.first + at)
			want[f.first+at] = true
		}
		if f.count() == 0 {
			t.Fatal("ten ranks, and three regions of three each: none is set")
		}
		s.flushAll()
		for rank := range want {
			if !f.has(rank) {
				t.Fatalf("rank %d is not set", rank)
			}
		}
		if f.count() != uint64(len(want)) {
			t.Fatalf("%d ranks are set, want %d", f.count(), len(want))
		}
	})
}
