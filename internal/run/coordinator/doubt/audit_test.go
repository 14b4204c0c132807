package doubt

import (
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/plan/plantest"
)

// TestDrawn: a window is audited with the share that was asked for. The share is larger where its layer has few
// windows, and where its sums are much larger than the mean.
func TestDrawn(t *testing.T) {
	paper := plantest.Wide{Depth: 2, Windows: 400}
	tally := func(v uint64) (t puzzle.Tally) {
		t.Sums = []puzzle.Scalar{{Name: "ways", Value: uint128.From(v)}}
		return t
	}
	for name, c := range map[string]struct {
		windows                int
		fraction, times, share float64
	}{
		"a large layer":          {400, 0.01, 1, 0.01},
		"a layer of few windows": {20, 0.01, 1, 0.1},
		"a layer of two":         {2, 0.01, 1, 1},
		"sums of a tenth":        {400, 0.01, 0.1, 0.01},
		"sums as large as that":  {400, 0.01, largeTimes, 0.01},
		"sums ten times that":    {400, 0.01, 10 * largeTimes, 0.1},
	} {
		paper.Windows = c.windows
		p, err := plan.New(paper)
		if err != nil {
			t.Fatal(err)
		}
		d := New(5)
		first := p.Index[puzzle.Cell{Layer: 0, Key: "a"}]
		sampled := 0
		for part := range first.Parts {
			rec := kv.Record{Window: first.Window(part)}
			rec.Tally = tally(100)
			if err := p.CommitRecord(&rec); err != nil {
				t.Fatal(err)
			}
			rec.Tally = tally(uint64(100 * c.times))
			want := d.Marker.Sample("audit", rec.ID()) < c.share
			if got := d.Drawn(p, &rec, c.fraction); got != want {
				t.Errorf("%s: window %s is audited: %t, want %t", name, rec.ID(), got, want)
			}
			if want {
				sampled++
			}
		}
		t.Logf("%s: %d of %d windows", name, sampled, c.windows)
	}
}
