package simulate_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/simulate"
)

// free is a fleet whose messages and commits take no time.
func free(workers, concurrency int) simulate.Fleet {
	return simulate.Fleet{Workers: workers, Concurrency: concurrency}
}

func second(*puzzle.CellPlan, puzzle.Window) float64 { return 1 }

// TestByHand: the layers of Pascal's triangle, of 1, 2, 3, 4, 5 and 5 windows of a second each. One core takes a second
// for each, and as many cores as windows take one for each layer.
func TestByHand(t *testing.T) {
	p := &enginetest.Pascal{Depth: 5, Slots: 10}
	for _, test := range []struct {
		fleet   simulate.Fleet
		seconds float64
	}{
		{free(1, 1), 20},
		{free(1, 6), 6},
		{free(2, 3), 6},
		{free(6, 1), 6},
	} {
		got, err := simulate.Run(t.Context(), p, second, test.fleet)
		if err != nil {
			t.Fatal(err)
		}
		if got.Seconds != test.seconds || got.Work != 20 || got.CriticalPath != 6 || got.Windows != 20 {
			t.Errorf("%+v: %+v, want %v s", test.fleet, got, test.seconds)
		}
		if test.fleet.Workers == 1 && (got.MovedBytes != 0 || got.Fetching != 0) {
			t.Errorf("one worker fetches: %+v", got)
		}
	}
	// Every window of the chain pays for two messages (task and report), a commit and a report's computing. The answer and
	// the last sync come after the chain.
	f := free(1, 6)
	f.Latency, f.Commit = time.Millisecond, 10*time.Millisecond
	f.Sync, f.PerReport = 5*time.Millisecond, 2*time.Millisecond
	got, err := simulate.Run(t.Context(), p, second, f)
	if err != nil {
		t.Fatal(err)
	}
	if least := 6 * (1 + 0.001 + 0.010 + 0.001 + 0.002); got.Seconds < least-1e-9 || got.Seconds > least+0.2 {
		t.Errorf("%v s with latencies, want at least %v", got.Seconds, least)
	}
}

// TestBounds: no fleet beats the longest chain, or its cores; a transfer at half the bandwidth takes no less; no worker
// fetches a window twice; and a simulation repeats itself to the last bit.
func TestBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		window := rapid.Uint64Range(20, 400).Draw(t, "window")
		p := []puzzle.Puzzle{
			&enginetest.Pascal{Depth: 8, Slots: 301, Window: window},
			&enginetest.Labels{Tokens: 12, Ring: 20, Window: window},
			&enginetest.Survey{Slots: 3000, Window: window},
		}[rapid.IntRange(0, 2).Draw(t, "puzzle")]
		f := simulate.Defaults
		f.Workers = rapid.IntRange(1, 40).Draw(t, "workers")
		f.Concurrency = rapid.IntRange(1, 8).Draw(t, "concurrency")
		f.Bandwidth = rapid.SampledFrom([]float64{0, 1e3, 1e5, 1e8}).Draw(t, "bandwidth")
		f.Retention = rapid.SampledFrom([]plan.Retention{plan.RetainAll, plan.RetainLast}).Draw(t, "retention")
		seed := rapid.Uint64().Draw(t, "seed")
		cost := func(_ *puzzle.CellPlan, w puzzle.Window) float64 {
			x := (seed ^ uint64(w.Layer)*0x9e3779b97f4a7c15 ^ w.First*0xbf58476d1ce4e5b9) >> 40
			return 1e-4 * float64(1+x%1000)
		}
		run := func(f simulate.Fleet) simulate.Outcome {
			got, err := simulate.Run(t.Context(), p, cost, f)
			if err != nil {
				t.Fatal(err)
			}
			got.CoordinatorCPU = 0 // measured
			return got
		}
		got := run(f)
		if again := run(f); again != got {
			t.Fatalf("%+v, and once more %+v", got, again)
		}
		cores := float64(f.Workers * f.Concurrency)
		if got.Seconds < got.CriticalPath || got.Seconds < got.Work/cores || !(got.Efficiency <= 1) {
			t.Fatalf("faster than possible: %+v", got)
		}
		if most := float64(f.Workers-1) * got.StoredBytes; got.MovedBytes > most*1.001 {
			t.Fatalf("moved %v bytes, at most %v", got.MovedBytes, most)
		}
		used := got.Work + got.Fetching + got.Idle
		if math.Abs(used-cores*got.Seconds) > 1e-6*used+1e-6 && got.Idle > 0 {
			t.Fatalf("the cores' time does not add up: %v of %v s", used, cores*got.Seconds)
		}
	})
}

// TestUndecidedLayersAreLeftOut: a search learns its layers on the way, and a simulation does not search.
func TestUndecidedLayersAreLeftOut(t *testing.T) {
	got, err := simulate.Run(t.Context(), &enginetest.BFS{Nodes: 400, Window: 50}, second, free(3, 1))
	if err != nil || !got.Partial || got.Windows != 8 {
		t.Fatalf("%+v, %v", got, err)
	}
}

func TestRefused(t *testing.T) {
	p := &enginetest.Pascal{Depth: 2, Slots: 10}
	for _, f := range []simulate.Fleet{
		{}, free(0, 1), free(1, 0), free(1<<20, 1), {Workers: 1, Concurrency: 1, Bandwidth: math.NaN()},
		{Workers: 1, Concurrency: 1, Bandwidth: -1}, {Workers: 1, Concurrency: 1, Latency: -1},
		{Workers: 1, Concurrency: 1, Audits: 1.1},
	} {
		if _, err := simulate.Run(t.Context(), p, second, f); err == nil {
			t.Errorf("%+v is taken", f)
		}
	}
}
