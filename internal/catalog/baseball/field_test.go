package baseball

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func (f *field) has(rank uint64) bool { return f.words[(rank-f.first)/64]>>((rank-f.first)%64)&1 != 0 }

// drawField draws a field with the ranks that it has.
func drawField(t *rapid.T, label string) (*field, map[uint64]bool) {
	first, size := rapid.Uint64Range(0, 200).Draw(t, label), rapid.Uint64Range(1, 400).Draw(t, label)
	f, has := newField(first, size), map[uint64]bool{}
	for _, i := range rapid.SliceOfN(rapid.Uint64Range(0, size-1), 0, 60).Draw(t, label) {
		f.set(first + i)
		has[first+i] = true
	}
	return f, has
}

func checkField(t *rapid.T, f *field, want map[uint64]bool) {
	for rank := f.first; rank < f.end(); rank++ {
		if f.has(rank) != want[rank] {
			t.Fatalf("rank %d: %v, want %v", rank, f.has(rank), want[rank])
		}
	}
	n := uint64(0)
	for _, ok := range want {
		if ok {
			n++
		}
	}
	if f.count() != n {
		t.Fatalf("%d ranks, want %d: bits past the end", f.count(), n)
	}
}

func TestField(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, has := drawField(t, "f")
		g, other := drawField(t, "g")
		from := rapid.Uint64Range(g.first, g.end()-1).Draw(t, "from")
		to := rapid.Uint64Range(f.first, f.end()-1).Draw(t, "to")
		n := rapid.Uint64Range(1, min(g.end()-from, f.end()-to)).Draw(t, "n")
		var listed []uint64
		g.each(from, n, func(rank uint64) { listed = append(listed, rank) })
		var want []uint64
		for i := range n {
			if other[from+i] {
				want = append(want, from+i)
				has[to+i] = true
			}
		}
		if !slices.Equal(listed, want) {
			t.Fatalf("ranks %v of %d from %d, want %v", listed, n, from, want)
		}
		next, ok := g.next(from, from+n)
		if ok != (len(want) > 0) || ok && next != want[0] {
			t.Fatalf("the next of %d ranks from %d is %d, %v, want %v", n, from, next, ok, want)
		}
		f.or(to, g, from, n)
		checkField(t, f, has)
	})
}

func TestFieldDrop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, other := drawField(t, "g")
		first := rapid.Uint64Range(g.first, g.end()-1).Draw(t, "first")
		f, want := newField(first, rapid.Uint64Range(1, g.end()-first).Draw(t, "size")), map[uint64]bool{}
		for rank := f.first; rank < f.end(); rank++ {
			if rapid.Bool().Draw(t, "has") {
				f.set(rank)
				want[rank] = !other[rank]
			}
		}
		f.drop(g)
		checkField(t, f, want)
	})
}
