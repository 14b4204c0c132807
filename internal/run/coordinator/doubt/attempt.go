package doubt

import (
	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator/attempt"
	"pagoda/internal/run/protocol"
)

// A report counts when it is due: its worker has the task. The coordinator marks every window of a task with an
// attempt, and a report carries the mark back, see package attempt.

// Mark marks the windows of a task that other processes may see.
func (d *Doubt) Mark(t *protocol.Task, serial uint64) {
	for i := range t.Windows {
		w := &t.Windows[i]
		a := attempt.Attempt{Epoch: d.epoch, Serial: serial, Directed: t.To != "", Audit: w.Audit}
		w.Attempt = d.Marker.Mark(a, w.ID(), t.To)
		// Also of one that has been computed since: a worker may have an old copy.
		w.Fresh = w.Fresh || d.Suspect(w.ID()) && !w.Audit
	}
}

// Due returns the attempt that a report of a window belongs to; ok is false when it belongs to none that may still be
// reported.
func (d *Doubt) Due(worker, mark string, id puzzle.WindowID) (a attempt.Attempt, ok bool) {
	a, ok = d.Marker.Read(mark, id, worker)
	if !ok || a.Epoch > d.epoch {
		return a, false
	}
	// An attempt that began before the window was forgotten may have read wrong rows.
	if epoch, suspect := d.suspects[id]; suspect && a.Epoch <= epoch {
		return a, false
	}
	return a, true
}
