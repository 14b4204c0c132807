package plan

import (
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
)

// TestAhead adds up what is left of a diamond by hand, from its beginning to its end. Its rows are predicted to take
// 20, 10, 30 and 40 bytes; each committed window takes 7.
func TestAhead(t *testing.T) {
	p := diamond(t)
	for cell, bytes := range map[puzzle.Cell]float64{cellA: 20, cellB: 10, cellC: 30, cellD: 40} {
		p.Index[cell].RowBytes = bytes
	}
	p.WantAll(RetainAll)
	check := func(when string, want map[Retention]ahead, twice ahead) {
		t.Helper()
		for keep, want := range want {
			if got := p.ahead(keep, 1); got != want {
				t.Errorf("%s, %s: %+v, want %+v", when, keep, got, want)
			}
		}
		if got := p.ahead(RetainLast, 2); got != twice {
			t.Errorf("%s, two replicas: %+v, want %+v", when, got, twice)
		}
	}
	all, dropped := ahead{0, 100, 100}, ahead{0, 100, 80} // a is dropped before d is computed
	check("nothing is there", map[Retention]ahead{"": all, RetainAll: all, RetainLast: dropped, RetainSummary: dropped},
		ahead{0, 200, 160})
	p.Decided = false
	check("layers may follow", map[Retention]ahead{RetainAll: all, RetainLast: all, RetainSummary: all},
		ahead{0, 200, 200})
	p.Decided = true
	if got, want := p.DiskAhead(RetainAll, 1, 1), 100+kv.DatabaseDisk(6)-kv.DatabaseDisk(0); got != want {
		t.Errorf("%d bytes ahead, want %d", got, want)
	}
	if got, want := p.DiskAhead(RetainLast, 2, 4), 4*(200/4+kv.DatabaseDisk(3)-kv.DatabaseDisk(0)); got != want {
		t.Errorf("%d bytes ahead on four stores, want %d", got, want) // segments are too large to be free before the end
	}
	hold(t, p, "x", cellA)
	check("a is there",
		map[Retention]ahead{RetainAll: {14, 80, 94}, RetainLast: {14, 80, 80}, RetainSummary: {14, 80, 80}},
		ahead{14, 174, 160})
	hold(t, p, "x", cellB, cellC)
	check("a can be dropped", map[Retention]ahead{RetainAll: {28, 40, 68}, RetainLast: {14, 40, 54}}, ahead{14, 94, 108})
	first := holdPart(t, p, "x", cellD, 0)
	check("half of d is there", map[Retention]ahead{RetainAll: {35, 20, 55}, RetainLast: {21, 20, 41}}, ahead{21, 61, 82})
	holdPart(t, p, "x", cellD, 1)
	check("all is there", map[Retention]ahead{RetainAll: {42, 0, 42}, RetainLast: {14, 0, 14}, RetainSummary: {}},
		ahead{14, 14, 28})
	if got := p.DiskAhead(RetainLast, 1, 3); got != 0 {
		t.Errorf("%d bytes ahead at the end", got)
	}
	if _, err := p.DropReplicas(first); err != nil {
		t.Fatal(err)
	}
	p.WantAll(RetainLast)
	check("one is lost", map[Retention]ahead{RetainAll: {35, 7, 42}, RetainLast: {21, 7, 28}}, ahead{21, 35, 56})
}
