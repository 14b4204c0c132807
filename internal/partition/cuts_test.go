package partition

import (
	"testing"

	"pgregory.net/rapid"
)

// stretchStarts lists the first address of every stretch of a cell, and the end.
func stretchStarts(l *Layout) []uint64 {
	var starts []uint64
	for i := range l.Prefixes() {
		prefix := &l.Prefixes()[i]
		for _, r := range l.Stretches(l.Node(prefix)) {
			starts = append(starts, prefix.Base+r.Off)
		}
	}
	return append(starts, l.Addresses())
}

// TestCuts checks that windows begin at stretches, cover the cell in order, and hold at most limit addresses unless
// they are one longer stretch. No window could have taken the next stretch as well.
func TestCuts(t *testing.T) {
	spaces := []*Space{
		spaceOf(t, "english", "center"), spaceOf(t, "triangle6", "r0c0"), spaceOf(t, "square6", "r0c0"),
		spaceOf(t, "hexagon19", "center"), spaceOf(t, "square7", "r0c3"),
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(spaces).Draw(t, "space")
		if rapid.Bool().Draw(t, "a random board") {
			s = drawSymmetric(t, 28)
		}
		var v Vector
		for k, n := range s.ClassSize {
			v[k] = rapid.Uint8Range(0, min(n, 4)).Draw(t, "count")
		}
		v, _ = s.Canonical(v)
		l := s.Layout(v)
		if l.Addresses() == 0 {
			t.Skip("no position of this vector has the invariants")
		}
		least := 1 + l.Addresses()/500 // not too many windows
		limit := rapid.OneOf(rapid.Uint64Range(least, least+2*uint64(s.MaxLow())), rapid.Uint64Range(least, l.Addresses()+1)).
			Draw(t, "limit")
		checkCuts(t, l, limit)
		if whole := l.Space.Cuts(l.Vector, 0); len(whole) != 1 || whole[0] != 0 {
			t.Fatalf("without a limit the cell %s is cut at %v", v.Key(), whole)
		}
	})
}

func checkCuts(t fatal, l *Layout, limit uint64) {
	t.Helper()
	cuts, starts := l.Space.Cuts(l.Vector, limit), stretchStarts(l)
	if cuts[0] != 0 {
		t.Fatalf("the first window begins at %d", cuts[0])
	}
	stretch := 0
	for i, first := range cuts {
		end := l.Addresses()
		if i+1 < len(cuts) {
			end = cuts[i+1]
		}
		if starts[stretch] != first || end <= first {
			t.Fatalf("window %d..%d does not begin at stretch %d, at %d", first, end, stretch, starts[stretch])
		}
		stretches := 0
		for ; starts[stretch] < end; stretch++ {
			stretches++
		}
		if starts[stretch] != end {
			t.Fatalf("window %d..%d ends inside a stretch", first, end)
		}
		if end-first > limit && stretches > 1 {
			t.Fatalf(
				"window %d..%d holds %d addresses in %d stretches, the limit is %d",
				first,
				end,
				end-first,
				stretches,
				limit,
			)
		}
		if stretch+1 < len(starts) && starts[stretch+1]-first <= limit {
			t.Fatalf("window %d..%d leaves out a stretch that fits the limit %d", first, end, limit)
		}
		if stretches == 1 && end-first > uint64(l.Space.MaxLow()) {
			t.Fatalf("stretch %d..%d is longer than MaxLow %d", first, end, l.Space.MaxLow())
		}
	}
}
