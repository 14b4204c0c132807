package coordinator

import (
	"context"
	"testing"
	"time"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/plan/plantest"
	"pagoda/internal/run/protocol"
)

const paperRun = "0123456789ab"

// board is a coordinator without a ledger.
type board struct{ *Coordinator }

func newBoard(t *testing.T, p puzzle.Puzzle, slots map[string]int) *board {
	t.Helper()
	pl, err := plan.NewPartitioned(p, plan.DefaultPartitions)
	if err != nil {
		t.Fatal(err)
	}
	b := &board{New(paperRun, pl, nil, noQueue{}, Options{Fleet: FleetOptions{Locality: true}})}
	for name, n := range slots {
		m, _ := b.members.Name(name, "")
		m.Peer, m.Concurrency = protocol.Peer{Name: name}, n
	}
	pl.WantAll(plan.RetainAll)
	return b
}

// noQueue drops every task.
type noQueue struct{}

func (noQueue) Submit(context.Context, []protocol.Task) error { return nil }
func (noQueue) Serve(context.Context, func(context.Context, protocol.Report) protocol.Reply) error {
	return nil
}
func (noQueue) Pending(context.Context) (int, error) { return 0, nil }

// TestTakenBackGoesToNoNewcomer: a window taken back from a newcomer goes to workers that have reported some.
func TestTakenBackGoesToNoNewcomer(t *testing.T) {
	b := newBoard(t, plantest.Grid(4), map[string]int{"a": 1, "b": 1, "new1": 1, "new2": 1})
	b.members.Reported("a", time.Now())
	b.members.Reported("b", time.Now())
	cell := b.plan.Index[b.plan.Cells(1)[0].Cell]
	h := b.failures.Of(cell.WindowID(0))
	h.Exclude("new1")
	if to := b.restricted(cell, &cell.Parts[0], h); to != "a" && to != "b" {
		t.Errorf("a window that was taken back goes to %q", to)
	}
}

// TestAllAreGivenTasks: with locality each worker is given windows of its own part, and without it any worker may take
// them; the slots of all count.
func TestAllAreGivenTasks(t *testing.T) {
	for _, locality := range []bool{true, false} {
		o := Options{TaskTime: 1, Fleet: FleetOptions{Locality: locality}}
		l := lead(t, plantest.Wide{Depth: 1, Windows: 100}, o, "a", "b", "c")
		alone := lead(t, plantest.Wide{Depth: 1, Windows: 100}, o, "a")
		to := make(map[string]int)
		for _, task := range l.tasks {
			to[task.To]++
		}
		if want := map[bool]int{true: 3, false: 1}[locality]; len(to) != want || len(l.tasks) <= len(alone.tasks) {
			t.Errorf("locality %t: tasks for %v, for one worker %d", locality, to, len(alone.tasks))
		}
	}
}

// TestTasksHaveWorkers: where workers have parts of the layers, every task is for one of them, also a task of a window
// that has failed before. The worker that takes a task for any is not known.
func TestTasksHaveWorkers(t *testing.T) {
	b := newBoard(t, plantest.Grid(4), map[string]int{"a": 1, "b": 1})
	b.failures.Of(b.plan.Index[b.plan.Cells(0)[0].Cell].WindowID(0))
	if err := b.dispatch(t.Context()); err != nil {
		t.Fatal(err)
	}
	if all, anyone := b.account.Tasks(), b.account.Load("").Tasks; all == 0 || anyone > 0 {
		t.Errorf("%d of %d tasks are for any worker", anyone, all)
	}
}
