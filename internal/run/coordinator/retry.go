package coordinator

import (
	"fmt"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator/failures"
	"pagoda/internal/run/coordinator/membership"
	"pagoda/internal/run/plan"
)

// Quarantined is a window without which the run goes on.
type Quarantined = failures.Quarantined

// QuarantineError ends a run when nothing else is left.
type QuarantineError = failures.QuarantineError

// attemptFailed deals with the failure of a computation.
func (c *Coordinator) attemptFailed(cell *plan.Cell, failure *WindowError) error {
	id := failure.Window
	h := c.failures.Of(id)
	h.Fail(failure.Worker, failure,
		!c.members.InReserve(failure.Worker) || len(c.members.Trusted()) == len(c.members.Working()))
	attempts, next := h.Attempts(), h.Decide(failures.Rules{
		Now: c.o.Now(), MaxAttempts: c.o.MaxAttempts, Decides: c.o.Recompute != nil && !c.fleet.Closed,
		Others: len(c.members.Candidates(h.Failed())) > 0, Patience: nobodyLeft,
	})
	switch next {
	case failures.Aside:
		return c.setAside(cell, failures.Quarantined{Window: id, Attempts: attempts, Err: failure})
	case failures.Later:
		c.failures.Retry(id, c.o.Now())
		return nil
	case failures.Here:
		c.doubt.Question(id)
	case failures.Blame:
		c.blameFailures(id)
	case failures.Again:
	}
	call(c.o.Events.Retry, Retry{Window: id, Attempt: attempts, Worker: failure.Worker, Err: failure})
	c.plan.Requeue(cell, id.Part)
	return nil
}

// computedAfterFailures notes that the coordinator has computed a window at which workers have failed, and whose rows
// are still to be computed by one. It reports whether the window is one.
func (c *Coordinator) computedAfterFailures(id puzzle.WindowID) bool {
	if !c.failures.Find(id).Computed() {
		return false
	}
	c.doubt.Unquestion(id)
	delete(c.own.failures, id)
	c.blameFailures(id)
	return true
}

// blameFailures blames the workers that have failed at a window which can be computed.
func (c *Coordinator) blameFailures(id puzzle.WindowID) {
	h := c.failures.Find(id)
	for _, name := range h.ToBlame() {
		c.fault(name, h.Err())
	}
}

// fault takes a fault off the budget of a worker.
func (c *Coordinator) fault(worker string, err error) {
	if c.owns(worker) {
		return
	}
	before := c.members.InReserve(worker)
	c.members.Costs.Tasks(worker).Take(membership.LeastCost)
	c.noteReserve(worker, before, err)
}

// setAside puts a window into quarantine: the run goes on without it, as far as it can.
func (c *Coordinator) setAside(cell *plan.Cell, q Quarantined) error {
	if err := c.plan.Quarantine(cell, q.Window.Part); err != nil {
		return err
	}
	c.failures.SetAside(q)
	call(c.o.Events.Quarantined, q)
	return nil
}

// hold notes that a worker holds a window. That ends the window's quarantine, unless it is its audit that failed: a
// worker has computed it after all.
func (c *Coordinator) hold(id puzzle.WindowID, worker string) error {
	if err := c.plan.AddReplica(id, worker); err != nil {
		return err
	}
	if _, w, err := c.plan.Window(id); err != nil || w.State == plan.WindowQuarantined {
		return err
	}
	c.failures.TakeBack(id)
	return nil
}

// A DamagedError says that a window cannot be read however often it is computed again.
type DamagedError struct {
	Window puzzle.WindowID
	Losses int
	Worker string
	Text   string
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("window %s was lost %d times (is the disk of worker %s in order?), last: %s",
		e.Window, e.Losses, e.Worker, e.Text)
}
