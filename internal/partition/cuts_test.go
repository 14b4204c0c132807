package partition

import (
	"testing"

	"pgregory.net/rapid"
)

// runStarts lists the first address of every run of a cell, and the end.
func runStarts(l *Layout) []uint64 {
	var starts []uint64
	for i := range l.Leads() {
		lead := &l.Leads()[i]
		for _, r := range l.Runs(l.Node(lead)) {
			starts = append(starts, lead.Base+r.Off)
		}
	}
	return append(starts, l.Addresses())
}

// TestCuts checks that windows begin at runs, cover the cell in order, hold at most limit addresses unless they are one
// run of more, and could not have taken the next run as well.
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
	cuts, starts := l.Space.Cuts(l.Vector, limit), runStarts(l)
	if cuts[0] != 0 {
		t.Fatalf("the first window begins at %d", cuts[0])
	}
	run := 0
	for i, first := range cuts {
		end := l.Addresses()
		if i+1 < len(cuts) {
			end = cuts[i+1]
		}
		if starts[run] != first || end <= first {
			t.Fatalf("window %d..%d does not begin at run %d, at %d", first, end, run, starts[run])
		}
		runs := 0
		for ; starts[run] < end; run++ {
			runs++
		}
		if starts[run] != end {
			t.Fatalf("window %d..%d ends inside a run", first, end)
		}
		if end-first > limit && runs > 1 {
			t.Fatalf("window %d..%d holds %d addresses in %d runs, the limit is %d", first, end, end-first, runs, limit)
		}
		if run+1 < len(starts) && starts[run+1]-first <= limit {
			t.Fatalf("window %d..%d leaves out a run that fits the limit %d", first, end, limit)
		}
		if runs == 1 && end-first > uint64(l.Space.MaxLow()) {
			t.Fatalf("run %d..%d is longer than MaxLow %d", first, end, l.Space.MaxLow())
		}
	}
}
