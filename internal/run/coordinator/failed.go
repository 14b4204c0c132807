package coordinator

import (
	"fmt"
	"slices"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator/failures"
	"pagoda/internal/run/coordinator/membership"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
)

// Quarantined is a window without which the run goes on.
type Quarantined = failures.Quarantined

// QuarantineError ends a run when nothing else is left.
type QuarantineError = failures.QuarantineError

// A WindowError is a computation or a commit that failed, as its worker told it. errors.Is finds puzzle.ErrOverflow and
// kv.ErrDiskFull in it where they apply.
type WindowError struct {
	Window puzzle.WindowID
	Worker string
	Kind   string // FailError, FailForeign, FailOverflow, FailDiskFull
	Text   string
}

func (e *WindowError) Error() string {
	return fmt.Sprintf("window %s on worker %s: %s", e.Window, e.Worker, e.Text)
}

// Unwrap returns the sentinel that belongs to the kind of failure.
func (e *WindowError) Unwrap() error {
	switch e.Kind {
	case protocol.FailForeign:
		return puzzle.ErrForeign
	case protocol.FailOverflow:
		return puzzle.ErrOverflow
	case protocol.FailDiskFull:
		return kv.ErrDiskFull
	}
	return nil
}

// failed records a window that could not be computed.
func (c *Coordinator) failed(worker string, f *protocol.Failure) error {
	id := f.Window.ID()
	cell, w, err := c.plan.Window(id)
	if err != nil {
		return fmt.Errorf("worker %s: %w", worker, err)
	}
	if c.desk().Copying(worker, f) {
		c.account.Copies.Complete(id, worker, false)
		return nil // a copy that is not wanted any more may be reported too, and one may be reported twice
	}
	late := c.late(worker, id)
	c.account.Complete(id)
	if w.State != plan.WindowQueued && w.State != plan.WindowAssigned {
		return nil // another worker has computed it meanwhile
	}
	if f.Kind == protocol.FailMissing {
		return c.parentMissing(worker, f, cell, late)
	}
	failure := &WindowError{Window: id, Worker: worker, Kind: f.Kind, Text: f.Text}
	if f.Kind == protocol.FailDiskFull {
		// That worker ends; others have disks of their own.
		call(c.o.Events.Retry, Retry{Window: id, Worker: worker, Err: failure})
		c.failures.Retry(id, c.o.Now())
		return nil
	}
	if f.Kind != protocol.FailError {
		return failure
	}
	return c.attemptFailed(cell, failure)
}

// parentMissing records a window one of whose parents could not be read. The run has waited for it so long in vain.
func (c *Coordinator) parentMissing(worker string, f *protocol.Failure, cell *plan.Cell, waited time.Duration) error {
	id := f.Window.ID()
	if !c.owns(worker) {
		if c.o.Check != nil {
			c.accuse(failures.Accusation{Worker: worker, Failure: *f, Waited: waited}, cell)
			return nil
		}
		// A worker that cannot read its parents is not asked again, if there is another.
		c.failures.Of(id).Exclude(worker)
	}
	if !f.Unreachable {
		if err := c.lost(worker, f, true); err != nil {
			return err
		}
		c.plan.Requeue(cell, id.Part)
		return nil
	}
	if slices.Contains(f.Holders, protocol.ArchiveName) {
		// Only the coordinator's own worker is taken at its word here.
		if f.Holders = c.archiveAway(f.Holders); len(f.Holders) == 0 {
			c.plan.Requeue(cell, id.Part)
			return nil
		}
	}
	alive := c.members.Alive(f.Holders, c.o.Now())
	if len(alive) == 0 && c.waitForHolders(id, f.Holders) {
		return nil
	}
	if h := c.failures.Of(id); h.Unreached(1, alive) {
		h.Prefer("")
		if err := c.lost(worker, f, false); err != nil {
			return err
		}
	}
	c.failures.Retry(id, c.o.Now())
	return nil
}

// lost records a window that could not be read. damage says that it is not where it should be.
func (c *Coordinator) lost(worker string, f *protocol.Failure, damage bool) error {
	p := c.plan
	id := f.Missing.ID()
	cell, w, err := p.Window(id)
	if err != nil {
		return fmt.Errorf("worker %s: %w", worker, err)
	}
	news, gone := p.Lose(cell, id.Part, f, damage)
	if !news {
		return nil
	}
	if err := c.ledger.SetHolders(id, p.ReplicaNames(w)); err != nil {
		return err
	}
	if !gone {
		return nil
	}
	call(c.o.Events.Lost, Lost{Window: id, Worker: worker, Cause: f.Text})
	// Another worker should compute it: its disk may be better.
	c.failures.Of(id).Withhold(f.Holders...)
	if c.o.MaxLosses > 0 && int(w.Losses) > c.o.MaxLosses {
		return &DamagedError{Window: id, Losses: int(w.Losses), Worker: worker, Text: f.Text}
	}
	return nil
}

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
