package simulate_test

import (
	"math"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/simulate"
)

// TestAudits: the real coordinator has its share of windows computed a second time, by another worker or by itself.
func TestAudits(t *testing.T) {
	p := &enginetest.Pascal{Depth: 20, Slots: 101, Window: 10}
	run := func(workers int, share float64) simulate.Outcome {
		f := simulate.Defaults
		f.Workers, f.Concurrency, f.Audits = workers, 2, share
		got, err := simulate.Run(t.Context(), p, second, f)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	for _, workers := range []int{1, 2, 5} {
		none, some, all := run(workers, 0), run(workers, 0.1), run(workers, 1)
		if none.Audited != 0 || none.Auditing != 0 {
			t.Errorf("%d workers without audits: %+v", workers, none)
		}
		// The first of each worker come on top of the share.
		if n := float64(some.Windows); float64(some.Audited) < 0.06*n || float64(some.Audited) > 0.15*n+4*float64(workers) {
			t.Errorf("%d workers: %d of %d windows are audited", workers, some.Audited, some.Windows)
		}
		if all.Audited != all.Windows || all.StoredBytes != none.StoredBytes || all.MovedBytes <= none.MovedBytes {
			t.Errorf("%d workers, everything is audited: %+v; without: %+v", workers, all, none)
		}
		switch {
		case workers == 1 && (all.Auditing != 0 || all.Seconds < float64(all.Windows)):
			t.Errorf("a worker alone audits itself: %+v", all) // the coordinator does, one window after the other
		case workers > 1 && all.Auditing < 0.6*all.Work:
			t.Errorf("%d workers audit for %v s of %v", workers, all.Auditing, all.Work)
		}
		used := all.Work + all.Auditing + all.Fetching + all.Idle
		if cores := float64(2 * workers); math.Abs(used-cores*all.Seconds) > 1e-6*used {
			t.Errorf("%d workers: the cores' time does not add up: %v of %v s", workers, used, cores*all.Seconds)
		}
	}
}

// TestSizes: when Fleet.Size gives the size of windows, it decides the bytes that are stored and moved.
func TestSizes(t *testing.T) {
	p := &enginetest.Pascal{Depth: 8, Slots: 301, Window: 50}
	f := simulate.Defaults
	f.Workers = 3
	predicted, err := simulate.Run(t.Context(), p, second, f)
	if err != nil {
		t.Fatal(err)
	}
	f.Size = func(*puzzle.CellPlan, puzzle.Window) float64 { return 1000 }
	got, err := simulate.Run(t.Context(), p, second, f)
	if err != nil {
		t.Fatal(err)
	}
	if got.StoredBytes != 1000*float64(got.Windows) || math.Mod(got.MovedBytes, 1000) != 0 || got.MovedBytes == 0 {
		t.Errorf("%d windows of 1,000 bytes: %+v", got.Windows, got)
	}
	if predicted.StoredBytes == got.StoredBytes {
		t.Errorf("as predicted: %+v", predicted)
	}
}
