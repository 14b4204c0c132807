package simulate_test

import (
	"testing"

	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/plan/plantest"
	"pagoda/internal/run/simulate"
)

// TestRoom: six slots whose worker has memory for so many windows at a time compute as many, and wait for the rest.
func TestRoom(t *testing.T) {
	p := &enginetest.Pascal{Depth: 5, Slots: 10}
	pl, err := plan.New(p)
	if err != nil {
		t.Fatal(err)
	}
	for windows, seconds := range map[uint64]float64{1: 20, 2: 1 + 19./2 + 0.5, 6: 6} {
		f := free(1, 6)
		f.Budget, _ = pl.Budget(1, 0, 6) // the least: of one window
		f.Budget.Bytes *= windows
		got, err := simulate.Run(t.Context(), p, second, f)
		if err != nil {
			t.Fatal(err)
		}
		if got.Seconds != seconds || (got.Room > 0) != (windows < 6) || got.Room > got.Fetching {
			t.Errorf("memory for %d windows: %+v, want %v s", windows, got, seconds)
		}
	}
}

// TestFetchedBytes: a worker keeps no more fetched windows than it may, and fetches the others again.
func TestFetchedBytes(t *testing.T) {
	f := simulate.Defaults
	f.Workers, f.Concurrency = 4, 2
	p := &whole{plantest.Wide{Depth: 4, Windows: 16}}
	run := func(limit uint64) simulate.Outcome {
		f.FetchedBytes = limit
		got, err := simulate.Run(t.Context(), p, second, f)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	const window = 1e6 / 16 // bytes
	all, enough, little := run(0), run(1e9), run(4*window)
	if all.CoordinatorCPU, enough.CoordinatorCPU = 0, 0; all != enough {
		t.Errorf("with enough memory %+v, without a limit %+v", enough, all)
	}
	if little.PeakFetched > 4*window || all.PeakFetched < 8*window || little.MovedBytes < 1.5*all.MovedBytes {
		t.Errorf("with little memory %+v, without a limit %+v", little, all)
	}
	f.FetchedDisk = 1e9
	kept := run(4 * window)
	if kept.PeakFetched > 4*window || kept.PeakShelf < 4*window || kept.MovedBytes > 1.1*all.MovedBytes {
		t.Errorf("with little memory and enough disk %+v, without a limit %+v", kept, all)
	}
	f.FetchedDisk = 6 * window
	if some := run(4 * window); some.PeakShelf > 6*window || some.MovedBytes < kept.MovedBytes ||
		some.MovedBytes > little.MovedBytes {
		t.Errorf("with little memory and some disk %+v, without %+v", some, little)
	}
}

// TestDisk: a run waits for a disk that takes four times as long to read a window as the worker to compute it. The disk
// reads own windows and windows that do not fit into memory.
func TestDisk(t *testing.T) {
	f := simulate.Defaults
	f.Workers, f.Concurrency, f.Bandwidth = 1, 2, 0
	const window, windows, depth = 1e6 / 16, 16, 4 // bytes of a window
	p := &columns{whole{plantest.Wide{Depth: depth, Windows: windows}}}
	run := func() simulate.Outcome {
		got, err := simulate.Run(t.Context(), p, second, f)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	fast := run()
	f.Disk = window / 4 // bytes a second
	slow := run()
	if slow.Work != fast.Work || slow.ReadBytes <= 0 || slow.Seconds < 4*slow.ReadBytes/window || fast.ReadBytes != 0 {
		t.Errorf("with a slow disk %+v, with a fast one %+v", slow, fast)
	}
	if slow.ReadBytes > slow.StoredBytes {
		t.Errorf("%v bytes read of %v: every window is read once", slow.ReadBytes, slow.StoredBytes)
	}
}
