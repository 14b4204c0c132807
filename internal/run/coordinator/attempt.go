package coordinator

import (
	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator/attempt"
	"pagoda/internal/run/protocol"
)

// A report counts when it is due: its worker has the task. The coordinator marks every window of a task with an
// attempt, and a report carries the mark back, see package attempt.

// markTask marks the windows of a task that other processes may see.
func (c *Coordinator) markTask(t *protocol.Task, serial uint64) {
	for i := range t.Windows {
		w := &t.Windows[i]
		a := attempt.Attempt{Epoch: c.o.Epoch, Serial: serial, Directed: t.To != "", Audit: w.Audit}
		w.Attempt = c.marker.Mark(a, w.ID(), t.To)
		// Also of one that has been computed since: a worker may have an old copy.
		if _, suspect := c.suspects[w.ID()]; suspect && !w.Audit {
			w.Fresh = true
		}
	}
}

// due returns the attempt that a report of a window belongs to; ok is false when it belongs to none that may still be
// reported.
func (c *Coordinator) due(worker, mark string, id puzzle.WindowID) (a attempt.Attempt, ok bool) {
	a, ok = c.marker.Read(mark, id, worker)
	if !ok || a.Epoch > c.o.Epoch {
		return a, false
	}
	// An attempt that began before the window was forgotten may have read wrong rows.
	if epoch, suspect := c.suspects[id]; suspect && a.Epoch <= epoch {
		return a, false
	}
	return a, true
}

// current reports whether an attempt is the one that is under way.
func (c *Coordinator) current(a attempt.Attempt, id puzzle.WindowID) bool {
	serial, ok := c.account.Serial(id)
	return ok && a.Epoch == c.o.Epoch && serial == a.Serial
}
