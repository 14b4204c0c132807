package engine_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/plan"
)

// lean is a puzzle whose windows can do with less than they take.
type lean struct{ *enginetest.Pascal }

func (p lean) Layer(n int, known puzzle.Results) ([]puzzle.CellPlan, error) {
	plans, err := p.Pascal.Layer(n, known)
	for i := range plans {
		plans[i].LeastBytes = 10
	}
	return plans, err
}

// TestMemoryOfAudits: windows that a coordinator computes itself, as it audits its only worker, hold no more than its
// budget says.
func TestMemoryOfAudits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		toy := &enginetest.Pascal{Depth: 6, Slots: 101, Window: 40}
		p := wrap(lean{toy})
		var reduced atomic.Int64
		p.source = func(_ puzzle.Window, in puzzle.Source) error {
			if in.MemoryBytes() > 0 { // the worker has no budget
				reduced.Add(1)
			}
			return nil
		}
		pl, err := plan.New(p)
		if err != nil {
			t.Fatal(err)
		}
		y := newCluster(t, p, 1, enginetest.Faults{})
		y.opts.AuditFraction = 1
		y.opts.Budget, _ = pl.Budget(1, 0, 1)
		y.begin()
		y.worker("a", 1)
		if err := y.end(); err != nil {
			t.Fatal(err)
		}
		if reduced.Load() != int64(pl.WindowCount) {
			t.Errorf("%d windows of %d were computed within the budget", reduced.Load(), pl.WindowCount)
		}
		y.p = toy
		y.check()
	})
}
