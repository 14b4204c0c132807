package coordinator

import (
	"context"
	"fmt"
	"slices"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator/doubt"
	"pagoda/internal/run/coordinator/failures"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
)

// Where workers contradict each other, or the flows of two cells do, the coordinator computes the windows itself. That
// takes one window in memory, its parents read from their holders, and needs no worker's word for the result. The
// coordinator also computes a part of the audits, because two workers may be one person's, and all of them when there
// is no other worker to ask.

// ownWork is the state of the windows that the coordinator computes itself.
type ownWork struct {
	waiting  []puzzle.WindowID
	pending  map[puzzle.WindowID]bool      // waiting or being computed
	busy     map[puzzle.WindowID]time.Time // being computed, since when
	failures map[puzzle.WindowID]int       // of the coordinator
	done     int                           // windows
	// begin, if not nil, is called instead of Options.Recompute, and Stepper.Recomputed takes the result.
	begin func(puzzle.Window)
}

func newOwnWork() ownWork {
	return ownWork{
		pending: make(map[puzzle.WindowID]bool), busy: make(map[puzzle.WindowID]time.Time),
		failures: make(map[puzzle.WindowID]int),
	}
}

// dispute makes the coordinator compute a window about which it cannot take a worker's word.
func (c *Coordinator) dispute(id puzzle.WindowID, q doubt.Claim) {
	c.doubt.Claim(id, q)
	c.askSelf(id)
}

// askSelf queues a window that the coordinator is to compute itself, when its parents are there.
func (c *Coordinator) askSelf(ids ...puzzle.WindowID) {
	for _, id := range ids {
		cell, w, err := c.plan.Window(id)
		if err != nil || c.own.pending[id] {
			continue
		}
		c.account.Complete(id)
		if w.Committed {
			_ = c.plan.RequestAudit(cell, id.Part) // which fails for none that is committed
		}
		c.plan.Requeue(cell, id.Part)
	}
}

// pursueClaims has the windows in dispute computed that were committed since.
func (c *Coordinator) pursueClaims() { c.askSelf(c.doubt.Claims()...) }

// suspectEdge has all windows of two cells whose flows contradict each other computed by the coordinator, but those
// that it has computed already. It reports false when there is none: then no worker has lied, and the kernel is wrong.
func (c *Coordinator) suspectEdge(e *plan.FlowError) bool {
	if c.o.Recompute == nil {
		return false
	}
	ids := c.doubt.Edge(c.plan, e)
	if len(ids) == 0 {
		return false
	}
	c.askSelf(ids...)
	c.plan.WantAll(c.o.Retention)
	return true
}

// keepForSelf takes a window that has just been assigned out of the hands of workers. It reports whether it did.
func (c *Coordinator) keepForSelf(w *plan.Window, id puzzle.WindowID) bool {
	if c.o.Recompute == nil {
		return false
	}
	if c.own.pending[id] {
		return true
	}
	self := c.doubt.Disputed(id)
	if !self && w.Audit && !c.fleet.Closed {
		self = c.o.AuditAlone || c.doubt.DrawnForSelf(id) || len(c.auditors(w, id)) == 0
	}
	if self {
		c.own.pending[id] = true
		c.own.waiting = append(c.own.waiting, id)
	}
	return self
}

// auditors names the workers that may compute a window a second time. A worker in reserve is not waited for.
func (c *Coordinator) auditors(w *plan.Window, id puzzle.WindowID) []string {
	not := c.members.Kin(c.plan.ReporterNames(w))
	if h := c.failures.Find(id); h != nil {
		not = slices.Concat(not, h.Unfit())
	}
	return slices.DeleteFunc(c.members.Candidates(not), c.members.InReserve)
}

// startOwn computes the next windows, each in a goroutine of its own: Options.Recomputers at a time.
func (c *Coordinator) startOwn() {
	o := &c.own
	ctx := c.ctx
	for len(o.busy) < c.o.Recomputers && len(o.waiting) > 0 && c.running() {
		id := o.waiting[0]
		o.waiting = slices.Delete(o.waiting, 0, 1)
		cell, _, err := c.plan.Window(id)
		if err != nil || !cell.ParentsHeld() {
			delete(o.pending, id)
			c.plan.Requeue(cell, id.Part) // until they are
			continue
		}
		o.busy[id] = c.o.Now()
		own := protocol.TaskWindow{Window: cell.Window(id.Part), Audit: true}
		call(c.o.Events.Assigned, Assigned{[]protocol.TaskWindow{own}, protocol.OwnWorker})
		if o.begin != nil {
			o.begin(cell.Window(id.Part))
			continue
		}
		c.helpers.Go(func() {
			rec, failure := c.o.Recompute(ctx, cell.Window(id.Part), c)
			c.do(ctx, func() { c.endOwn(ctx, id, &rec, failure) })
		})
	}
}

// endOwn takes the result of a window that startOwn has begun.
func (c *Coordinator) endOwn(ctx context.Context, id puzzle.WindowID, rec *kv.Record, f *protocol.Failure) {
	begun := c.own.busy[id]
	delete(c.own.busy, id)
	if c.running() {
		c.stopOn(c.recomputed(ctx, id, rec, f, c.o.Now().Sub(begun)))
	}
}

// recomputed takes the result of a window that the coordinator has computed itself.
func (c *Coordinator) recomputed(
	ctx context.Context, id puzzle.WindowID, rec *kv.Record, f *protocol.Failure, took time.Duration,
) error {
	delete(c.own.pending, id)
	cell, w, err := c.plan.Window(id)
	if err != nil {
		return err
	}
	if f != nil {
		return c.recomputeFailed(ctx, cell, f, took)
	}
	if took > 0 {
		c.account.Rates.Here.Learn(took.Nanoseconds(), cell.WorkPerWindow())
	}
	var entry *kv.Entry
	if e, found, err := c.ledger.Entry(id); err != nil {
		return err
	} else if found {
		entry = &e
	}
	v, err := c.doubt.Judge(id, entry, rec)
	switch {
	case err != nil:
		return err
	case v.Wrong:
		return c.refuse(v.Guilty, []puzzle.WindowID{id})
	case len(v.Guilty) > 0:
		return c.refuse(v.Guilty, nil)
	case entry != nil:
		return c.confirmed(ctx, cell, w, entry.Record, took)
	case c.computedAfterFailures(id) || !c.doubt.Claimed(id):
		c.plan.Requeue(cell, id.Part)
	default:
		// Its sums are right and cannot be added to those of the others: then one of those may be wrong.
		if err := c.suspectLargest(id); err != nil {
			return err
		}
	}
	return c.advance(ctx)
}

// suspectLargest has the coordinator compute the window with the largest numbers of a layer, of those that it has not
// computed yet. The error says that there is none: then the sums of the run are too large.
func (c *Coordinator) suspectLargest(id puzzle.WindowID) error {
	largest, found, err := c.doubt.Largest(c.plan, id.Layer, func(id puzzle.WindowID) (*puzzle.Tally, error) {
		e, _, err := c.ledger.Entry(id)
		return &e.Record.Tally, err
	})
	if err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("window %s: its sums cannot be added to those of the run: %w", id, puzzle.ErrOverflow)
	}
	c.askSelf(largest)
	return nil
}

// confirmed notes that the coordinator has computed a window with the result that is in the ledger.
func (c *Coordinator) confirmed(
	ctx context.Context, cell *plan.Cell, w *plan.Window, rec kv.Record, took time.Duration,
) error {
	p, id := c.plan, rec.ID()
	c.doubt.Settle(id)
	delete(c.own.failures, id)
	c.blameFailures(id)
	c.failures.Forget(id)
	entry := kv.Entry{Record: rec, By: []string{protocol.OwnWorker}}
	if err := c.ledger.Append([]kv.Entry{entry}, kv.Audit{Window: id, Done: true}); err != nil {
		return err
	}
	p.NoteReporters(w, protocol.OwnWorker)
	c.own.done++
	c.counts.audits++
	call(c.o.Events.Audited, Audited{id, protocol.OwnWorker, took, false})
	switch {
	case !w.Audit:
		p.Requeue(cell, id.Part) // its rows are wanted
	case w.State == plan.WindowQueued || w.State == plan.WindowAssigned:
		if err := p.Confirm(cell, id.Part); err != nil {
			return err
		}
		if w.Replicas == 0 && p.Retains(c.o.Retention, cell) {
			p.WantLayer(c.o.Retention, cell.Layer)
		}
	}
	if err := c.doubt.Contradiction(p); err != nil {
		return err
	}
	c.pursueClaims()
	if cell.Pending == 0 && cell.Done == len(cell.Parts) {
		c.queueDrop(cell)
	}
	return c.proceed(ctx)
}

// recomputeFailed deals with a window that the coordinator could not compute.
func (c *Coordinator) recomputeFailed(
	ctx context.Context, cell *plan.Cell, f *protocol.Failure, took time.Duration,
) error {
	if ctx.Err() != nil {
		return nil //nolint:nilerr // told to stop, the coordinator says nothing of the window
	}
	id := f.Window.ID()
	if f.Kind == protocol.FailMissing {
		found := make(map[string]error)
		for _, name := range f.Holders {
			found[name] = kv.ErrNotFound
			if f.Unreachable {
				found[name] = protocol.ErrUnreachable
			}
		}
		if err := c.noteConduct(ctx, "", 0, found, c.o.Now().Add(-took)); err != nil {
			return err
		}
		if err := c.parentMissing(protocol.OwnWorker, f, cell, 0); err != nil {
			return err
		}
		return c.advance(ctx)
	}
	failure := &WindowError{Window: id, Worker: protocol.OwnWorker, Kind: f.Kind, Text: f.Text}
	n, attempts := c.own.failures[id]+1, c.failures.Find(id).Attempts()
	c.own.failures[id] = n
	switch {
	case f.Kind != protocol.FailError:
		return failure
	case n < c.o.MaxAttempts && attempts == 0:
		c.failures.Retry(id, c.o.Now())
		return nil
	}
	c.doubt.Unquestion(id)
	if err := c.setAside(cell, failures.Quarantined{Window: id, Attempts: n + attempts, Err: failure}); err != nil {
		return err
	}
	return c.advance(ctx)
}
