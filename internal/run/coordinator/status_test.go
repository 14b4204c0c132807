package coordinator

import (
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/plan/plantest"
)

// TestStatusAgain: a status counts the committed windows whose rows are lost and wanted, until a worker has them.
func TestStatusAgain(t *testing.T) {
	b := newBoard(t, plantest.Grid(3), map[string]int{"a": 1})
	cell := b.plan.Index[b.plan.PlannedLayers[0].Plans[0].Cell]
	if _, err := b.plan.Account(&kv.Record{Window: cell.Window(0)}); err != nil {
		t.Fatal(err)
	}
	b.plan.WantAll(plan.RetainAll)
	if s := b.state(); s.Again != 1 || s.Pending <= 1 {
		t.Errorf("%d of %d pending windows again, want the one that is committed", s.Again, s.Pending)
	}
	if err := b.plan.AddReplica(cell.WindowID(0), "a"); err != nil {
		t.Fatal(err)
	}
	if s := b.state(); s.Again != 0 {
		t.Errorf("%d windows again, and somebody holds the only one", s.Again)
	}
}
