package coordinator

import (
	"testing"
	"time"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator/failures"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/plan/plantest"
)

// TestIdle: it is an error that nothing can be assigned, unless something is under way that changes it.
func TestIdle(t *testing.T) {
	id := puzzle.WindowID{Cell: puzzle.Cell{Layer: 0, Key: "a0"}}
	for name, change := range map[string]func(b *board){
		"nothing":                  nil,
		"a check that waits":       func(b *board) { b.failures.Accuse(failures.Accusation{}) },
		"a check":                  func(b *board) { b.failures.Accuse(failures.Accusation{}); b.failures.Check() },
		"a retry":                  func(b *board) { b.failures.Retry(id, time.Now()) },
		"the coordinator computes": func(b *board) { b.own.pending[id] = true },
		"holders may come":         func(b *board) { b.plan.AwaitedCount = 1 },
	} {
		b := newBoard(t, plantest.Grid(3), nil)
		if change != nil {
			change(b)
		}
		if err := b.idle(); (err == nil) != (change != nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRejoinGrace: windows whose holders are on record are awaited for the grace time, and computed again after it.
func TestRejoinGrace(t *testing.T) {
	l := lead(t, plantest.Grid(3), Options{Fleet: FleetOptions{RejoinGrace: 7 * time.Second}}, "a")
	cell := l.c.plan.Index[puzzle.Cell{Layer: 0, Key: "a0"}]
	tw := l.take("a").Windows[0]
	rec := record(tw.Window)
	if err := l.c.plan.CommitRecord(&rec); err != nil {
		t.Fatal(err)
	}
	if err := l.c.hold(rec.ID(), "gone"); err != nil {
		t.Fatal(err)
	}
	l.c.plan.RemoveWorker("gone", nil)
	if err := l.c.plan.Await(rec.ID()); err != nil {
		t.Fatal(err)
	}
	if l.wait(7 * time.Second); l.c.plan.AwaitedCount != 1 || cell.Parts[0].State != plan.WindowAwaited {
		t.Errorf("within the grace time the window is %s", cell.Parts[0].State)
	}
	if l.wait(tickInterval); l.c.plan.AwaitedCount != 0 || cell.Pending != 1 {
		t.Errorf("after the grace time the window is %s", cell.Parts[0].State)
	}
}
