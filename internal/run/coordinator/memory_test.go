package coordinator

import (
	"fmt"
	"runtime"
	"testing"

	"pagoda/internal/run/plan"
	"pagoda/internal/run/plan/plantest"
)

// coordinatorBytes is the memory of a coordinator's plan of so many windows, all of them held by one of a hundred
// workers, or to be computed.
func coordinatorBytes(tb testing.TB, windows int, held bool) float64 {
	const layers = 10
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	wide, err := plan.New(plantest.Wide{Depth: layers, Windows: windows / layers})
	if err != nil {
		tb.Fatal(err)
	}
	c := New("run", wide, nil, nil, Options{})
	wide.WantAll(plan.RetainAll)
	if held {
		for _, cell := range wide.Index {
			for i := range cell.Parts {
				if err := wide.AddReplica(cell.WindowID(i), fmt.Sprintf("worker-%d", i%100)); err != nil {
					tb.Fatal(err)
				}
			}
		}
	}
	after := heap()
	runtime.KeepAlive(c)
	return float64(after-before) / float64(windows)
}

// TestMemoryIsLinear sees that a window costs the coordinator the same memory in small plans and in large ones.
func TestMemoryIsLinear(t *testing.T) {
	for _, held := range []bool{false, true} {
		small, large := coordinatorBytes(t, 30_000, held), coordinatorBytes(t, 300_000, held)
		t.Logf("held %t: %.1f bytes a window of 30,000, %.1f of 300,000", held, small, large)
		if large > 1.3*small || large > 200 {
			t.Errorf("held %t: %.1f bytes a window of 30,000, %.1f of 300,000", held, small, large)
		}
	}
}

func BenchmarkCoordinatorMemory(b *testing.B) {
	for b.Loop() {
		b.ReportMetric(coordinatorBytes(b, 1_000_000, true), "MB/million-windows")
	}
}
