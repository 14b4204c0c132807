package coordinator

import (
	"context"
	"encoding/json"
	"time"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator/assignment"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
)

// Further workers should hold some windows. Their copies are best effort, for a run that prefers disk to computing
// again: a copy that fails is forgotten.

const (
	// maxCopyRecord is the size of a record that a task has room for; windows with larger tallies are not copied.
	maxCopyRecord = protocol.MaxTaskBytes / 2
	// replicationTimeout is how long a run that is otherwise finished waits for copies.
	replicationTimeout = 10 * time.Second
)

// requestReplica notes that a window should be held by more workers, if it should.
func (c *Coordinator) requestReplica(cell *plan.Cell, w *plan.Window, id puzzle.WindowID) {
	if c.fleet.Replication < 2 || w.Rows == 0 || w.Replicas == 0 {
		return
	}
	if len(c.plan.ReplicaNames(w)) < c.fleet.Replication && c.plan.Retains(c.o.Retention, cell) {
		c.account.Copies.Want(id)
	}
}

// replicationTasks asks workers for copies.
func (c *Coordinator) replicationTasks() (tasks []protocol.Task) {
	c.account.Copies.Ask(func(id puzzle.WindowID) string {
		cell, w, err := c.plan.Window(id)
		if err != nil || w.Replicas == 0 || !c.plan.Retains(c.o.Retention, cell) {
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

// replicate asks for copies of everything that has too few: workers have come.
func (c *Coordinator) replicate() {
	if c.fleet.Replication < 2 {
		return
	}
	c.account.Copies.WantNone()
	for _, l := range c.plan.PlannedLayers {
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
