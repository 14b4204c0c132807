package coordinator

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"pagoda/internal/plan"
	"pagoda/internal/protocol"
	"pagoda/internal/puzzle"
)

// replication are the windows that further workers should hold. They are best effort, for a run that prefers disk to
// computing again: a copy that fails is forgotten.
type replication struct {
	due      []puzzle.WindowID
	inflight map[puzzle.WindowID]string // the worker that was asked
	failed   int
	settled  int
	since    time.Time // when nothing but copies was left
}

const (
	// maxCopies is how many copies may be under way.
	maxCopies = 64
	// maxCopyRecord is the size of a record that a task has room for; windows with larger tallies are not copied.
	maxCopyRecord = protocol.MaxTaskBytes / 2
	// replicationTimeout is how long a run that is otherwise finished waits for copies.
	replicationTimeout = 10 * time.Second
)

// requestReplica notes that a window should be held by more workers, if it should.
func (c *Coordinator) requestReplica(cell *plan.Cell, w *plan.Window, id puzzle.WindowID) {
	if c.members.o.Replication < 2 || w.Rows == 0 || w.Replicas == 0 {
		return
	}
	if len(c.plan.ReplicaNames(w)) < c.members.o.Replication && c.plan.Retains(c.o.Retention, cell) {
		c.members.replication.due = append(c.members.replication.due, id)
	}
}

// replicationTasks asks workers for copies.
func (c *Coordinator) replicationTasks() (tasks []protocol.Task) {
	s := &c.members.replication
	if s.inflight == nil {
		s.inflight = make(map[puzzle.WindowID]string)
	}
	n := 0
	for ; n < len(s.due) && len(s.inflight) < maxCopies; n++ {
		id := s.due[n]
		cell, w, err := c.plan.Window(id)
		if err != nil || w.Replicas == 0 || s.inflight[id] != "" || !c.plan.Retains(c.o.Retention, cell) {
			continue
		}
		to := c.leastLoaded(w)
		if to == "" {
			continue // nobody is there for it; a worker that joins brings it up again
		}
		e, found, err := c.ledger.Entry(id)
		if err != nil || !found {
			continue
		}
		lw := &protocol.LocatedWindow{Record: e.Record, Holders: c.plan.ReplicaSets.Peers(w.Replicas), Loss: int(w.Losses)}
		if b, err := json.Marshal(lw); err != nil || len(b) > maxCopyRecord {
			continue
		}
		s.inflight[id] = to
		tasks = append(tasks, c.inflight.plain(c.run, c.o.Epoch, to, protocol.TaskWindow{Window: lw.Record.Window, Copy: lw}))
	}
	s.due = slices.Delete(s.due, 0, n)
	return tasks
}

// leastLoaded names the worker that should take a further copy of a window: the one that holds fewest windows.
func (c *Coordinator) leastLoaded(w *plan.Window) string {
	has := c.plan.ReplicaNames(w)
	best, least := "", 0
	for _, name := range c.members.names() {
		if slices.Contains(has, name) {
			continue
		}
		if n := c.plan.HeldBy(name); best == "" || n < least {
			best, least = name, n
		}
	}
	return best
}

// complete notes that a copy was made or not. It reports whether that worker was asked for it.
func (s *replication) complete(id puzzle.WindowID, worker string, made bool) bool {
	if to, ok := s.inflight[id]; !ok || to != worker {
		return false
	}
	delete(s.inflight, id)
	if made {
		s.settled++
	} else {
		s.failed++
	}
	return true
}

// removeWorker notes that a worker is gone.
func (s *replication) removeWorker(worker string) {
	for id, to := range s.inflight {
		if to == worker {
			delete(s.inflight, id)
			s.due = append(s.due, id)
		}
	}
}

// reset forgets who was asked.
func (s *replication) reset() {
	for id := range s.inflight {
		s.due = append(s.due, id)
	}
	clear(s.inflight)
}

// replicate asks for copies of everything that has too few: workers have come.
func (c *Coordinator) replicate() {
	if c.members.o.Replication < 2 {
		return
	}
	c.members.replication.due = c.members.replication.due[:0]
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
	if len(c.members.replication.due) == 0 {
		return nil
	}
	tasks := c.replicationTasks()
	if len(tasks) == 0 {
		return nil
	}
	return c.submit(ctx, tasks)
}

// replicating reports whether a run that is otherwise finished should wait for copies.
func (c *Coordinator) replicating() bool {
	s := &c.members.replication
	if len(s.due)+len(s.inflight) == 0 {
		return false
	}
	if s.since.IsZero() {
		s.since = c.o.Now()
	}
	return c.o.Now().Sub(s.since) < replicationTimeout
}
