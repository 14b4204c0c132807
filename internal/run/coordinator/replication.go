package coordinator

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator/assignment"
	"pagoda/internal/run/coordinator/membership"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
)

// Further workers should hold some windows: those of a run that prefers disk to computing again, and those that only
// workers hold that are about to end. Copies are best effort: a copy that fails is forgotten.

const (
	// maxCopyRecord is the size of a record that a task has room for; windows with larger tallies are not copied.
	maxCopyRecord = protocol.MaxTaskBytes / 2
	// replicationTimeout is how long a run that is otherwise finished waits for copies.
	replicationTimeout = 10 * time.Second
)

// requestReplica notes that a window should be held by more workers, if it should.
func (c *Coordinator) requestReplica(cell *plan.Cell, w *plan.Window, id puzzle.WindowID) {
	if c.lacksCopy(cell, w) {
		c.account.Copies.Want(id)
	}
}

// lacksCopy reports whether more workers should hold a window. A worker that is about to end counts as none, and is a
// source of its windows. With an archive it uploads them instead.
func (c *Coordinator) lacksCopy(cell *plan.Cell, w *plan.Window) bool {
	if w.Replicas == 0 || !c.plan.Retains(c.o.Retention, cell) {
		return false
	}
	stay, drains := 0, false
	for _, name := range c.plan.ReplicaNames(w) {
		switch m := c.members.Get(name); {
		case !m.Ends():
			stay++
		case m.Draining:
			drains = true
		}
	}
	if stay == 0 && drains && c.fleet.Archive == nil {
		return true
	}
	return w.Rows > 0 && stay > 0 && stay < c.fleet.Replication
}

// replicationTasks asks workers for copies.
func (c *Coordinator) replicationTasks() (tasks []protocol.Task) {
	c.account.Copies.Ask(func(id puzzle.WindowID) string {
		cell, w, err := c.plan.Window(id)
		if err != nil || !c.lacksCopy(cell, w) {
			return ""
		}
		to := assignment.LeastLoaded(c.plan, w, c.members.Working())
		if to == "" {
			return "" // no worker is there for it; a worker that joins brings it up again
		}
		e, found, err := c.ledger.Entry(id)
		if err != nil || !found {
			return ""
		}
		lw := &protocol.LocatedWindow{Record: e.Record, Holders: c.plan.ReplicaSets.Peers(w.Replicas), Loss: int(w.Losses)}
		if b, err := json.Marshal(lw); err != nil || len(b) > maxCopyRecord {
			return ""
		}
		t, _ := c.account.Make(c.run, c.o.Epoch, to, protocol.TaskWindow{Window: lw.Record.Window, Copy: lw})
		tasks = append(tasks, t)
		call(c.o.Events.Assigned, Assigned{t.Windows, to})
		return to
	})
	return tasks
}

// handOver has others copy the windows of a worker that is about to end.
func (c *Coordinator) handOver(ctx context.Context, m *membership.Member) error {
	if !c.running() {
		return nil
	}
	c.account.Copies.TakeBack(m.Name)
	c.replicate()
	if err := c.submitCopies(ctx); err != nil {
		return err
	}
	call(c.o.Events.WorkerDrains, WorkerDrains{
		Worker: m.Name, ToCopy: c.toCopy(m), Alone: len(c.members.Working()) == 0, Archive: c.fleet.Archive != nil,
	})
	return nil
}

// toCopy counts the windows of a worker that others are still to copy before it ends.
func (c *Coordinator) toCopy(m *membership.Member) int {
	if !m.Draining || c.fleet.Archive != nil {
		return 0
	}
	// Windows that need no copy, or of which a copy has failed, are counted until no copy is left to be made.
	alone := c.plan.HeldByOnly(m.Name, func(name string) bool { return c.members.Get(name).Ends() })
	return min(alone, c.account.Copies.Due()+c.account.Copies.Out())
}

// replicate asks for copies of everything that has too few: workers have come, or are about to end. The windows of the
// last layers come first: they have the most before them that would have to be computed again.
func (c *Coordinator) replicate() {
	drains := func(m *membership.Member) bool { return m.Draining }
	if c.fleet.Replication < 2 && !c.members.Any(drains) {
		return
	}
	c.account.Copies.WantNone()
	for _, l := range slices.Backward(c.plan.PlannedLayers) {
		for i := range l.Plans {
			cell := c.plan.Index[l.Plans[i].Cell]
			for part := range cell.Parts {
				if w := &cell.Parts[part]; w.Committed && w.Replicas != 0 {
					c.requestReplica(cell, w, cell.WindowID(part))
				}
			}
		}
	}
}

// submitCopies asks for the copies that are due.
func (c *Coordinator) submitCopies(ctx context.Context) error {
	if c.account.Copies.Due() == 0 {
		return nil
	}
	tasks := c.replicationTasks()
	if len(tasks) == 0 {
		return nil
	}
	return c.submit(ctx, tasks)
}

// awaitCopies reports whether a run that is otherwise finished should wait for copies.
func (c *Coordinator) awaitCopies() bool {
	if c.account.Copies.Due()+c.account.Copies.Out() == 0 {
		return false
	}
	if c.times.copies.IsZero() {
		c.times.copies = c.o.Now()
	}
	return c.o.Now().Sub(c.times.copies) < replicationTimeout
}
