package coordinator

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator/assignment"
	"pagoda/internal/run/coordinator/attempt"
	"pagoda/internal/run/coordinator/failures"
	"pagoda/internal/run/coordinator/intake"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
)

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

// desk takes reports in, by the present state of the run.
func (c *Coordinator) desk() *intake.Desk {
	return &intake.Desk{
		Run: c.run, Plan: c.plan, Doubt: c.doubt, Fleet: facts{c}, Entry: c.ledger.Entry,
		Decides: c.o.Recompute != nil, Closed: c.fleet.Closed,
	}
}

// facts implements intake.Fleet.
type facts struct{ c *Coordinator }

func (f facts) Owns(worker string) bool             { return f.c.owns(worker) }
func (f facts) Kin(workers []string) []string       { return f.c.members.Kin(workers) }
func (f facts) Copies(id puzzle.WindowID) string    { return f.c.account.Copies.With(id) }
func (f facts) Audits(r *kv.Record, by string) bool { return f.c.audits(r, by) }

func (f facts) Current(a attempt.Attempt, id puzzle.WindowID) bool {
	serial, ok := f.c.account.Serial(id)
	return ok && a.Epoch == f.c.o.Epoch && serial == a.Serial
}

// owns reports whether a worker is the one in the coordinator's process, which is the coordinator's own word.
func (c *Coordinator) owns(worker string) bool {
	return c.fleet.Closed || worker == protocol.OwnWorker
}

// write appends entries to the ledger, synced.
func (c *Coordinator) write(entries []kv.Entry, audits []kv.Audit, s *intake.Sifted) error {
	if len(entries) == 0 {
		return nil
	}
	err := c.ledger.Append(entries, audits...)
	var conflict *kv.ConflictError
	if errors.As(err, &conflict) {
		e, _, err := c.ledger.Entry(conflict.Got.ID())
		return errors.Join(s.Blame(conflict, e.Holders), err)
	}
	return err
}

// apply brings the plan up to date with reports. It returns the events to tell once the ledger is synced.
func (c *Coordinator) apply(s *intake.Sifted) (news []Committed, err error) {
	for i := range s.Reports {
		r := &s.Reports[i]
		for j := range r.Done {
			n, err := c.committed(r.Worker, &r.Done[j])
			if err != nil {
				return nil, err
			}
			if n != nil {
				news = append(news, *n)
			}
		}
		if c.members.Get(r.Worker).ReportedBefore(r.Report) {
			continue
		}
		for j := range r.Failures {
			if err := c.failed(r.Worker, &r.Failures[j]); err != nil {
				return nil, err
			}
		}
	}
	return news, nil
}

// committed records a window that was committed: in the plan, then in the account of tasks, then in the rates. It
// returns nil for a second delivery.
func (c *Coordinator) committed(worker string, d *intake.Done) (*Committed, error) {
	id := d.Record.ID()
	cell, w, err := c.plan.Window(id)
	if err != nil {
		return nil, err
	}
	again, wasHeld := w.Committed, w.Replicas != 0
	took := c.took(worker, id, d.Nanos)
	if d.Due {
		c.members.Reported(worker, c.o.Now())
	}
	if err := c.enter(cell, w, worker, d); err != nil {
		return nil, err
	}
	c.settle(cell, w, id, again)
	c.account.Copies.Complete(id, worker, true)
	c.requestReplica(cell, w, id)
	if again && wasHeld {
		return nil, nil
	}
	if !d.Reused && took > 0 {
		c.account.Rates.Learn(worker, took.Nanoseconds(), cell.WorkPerWindow())
	}
	moved := assignment.FetchEstimate(c.plan, cell, worker)
	c.counts.movedBytes += moved
	c.times.report = c.o.Now()
	return &Committed{
		Effort: cell.Effort(),
		Window: d.Record.Window, Rows: d.Record.Rows, Bytes: d.Record.Bytes,
		Took: took, Worker: worker, Reused: d.Reused, Again: again, Moved: moved,
		Done: c.plan.CommittedCount, Total: c.plan.WindowCount,
	}, nil
}

// enter enters a window in the plan: its record, the workers that have reported it, its audit, its holder.
func (c *Coordinator) enter(cell *plan.Cell, w *plan.Window, worker string, d *intake.Done) error {
	id, again := d.Record.ID(), w.Committed
	var flow *plan.FlowError
	if err := c.plan.CommitRecord(&d.Record); err != nil && !errors.As(err, &flow) {
		return err
	}
	if d.Due {
		c.plan.NoteReporters(w, worker)
	}
	switch {
	case w.Audit && d.Audit && !c.doubt.Disputed(id):
		w.Audit = false
		c.counts.audits++
	case !again && d.Drawn:
		if err := c.plan.RequestAudit(cell, id.Part); err != nil {
			return err
		}
	}
	if err := c.hold(id, worker); err != nil {
		return err
	}
	// A worker has lied, or the kernel is wrong.
	if flow != nil && !c.suspectEdge(flow) {
		return flow
	}
	return nil
}

// settle settles the task of a window that was committed, and its failures.
func (c *Coordinator) settle(cell *plan.Cell, w *plan.Window, id puzzle.WindowID, again bool) {
	if !again {
		c.blameFailures(id)
	}
	if !w.Audit || !again { // not when it is the first computation that is reported twice
		c.account.Complete(id)
		c.failures.Forget(id)
	}
	if w.Audit && !again {
		c.plan.Requeue(cell, id.Part)
	}
	if cell.Pending == 0 && cell.Done == len(cell.Parts) {
		c.queueDrop(cell)
		c.announceUnread(cell)
	}
}

// took returns the time of a window by its worker's word, and no more than the time since the window was given. For a
// window that no worker has been given, or not any more, it is 0: that teaches nothing.
func (c *Coordinator) took(worker string, id puzzle.WindowID, nanos int64) time.Duration {
	if c.owns(worker) {
		return time.Duration(nanos)
	}
	since, ok := c.account.Since(id)
	if !ok {
		return 0
	}
	return min(time.Duration(nanos), c.o.Now().Sub(since))
}

// failed records a window that could not be computed.
func (c *Coordinator) failed(worker string, f *protocol.Failure) error {
	id := f.Window.ID()
	cell, w, err := c.plan.Window(id)
	if err != nil {
		return fmt.Errorf("worker %s: %w", worker, err)
	}
	if c.account.Copies.Complete(id, worker, false) || f.Kind == protocol.FailCopy {
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
