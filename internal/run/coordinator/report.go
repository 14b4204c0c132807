package coordinator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator/assignment"
	"pagoda/internal/run/coordinator/attempt"
	"pagoda/internal/run/coordinator/intake"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
)

// receive settles reports and answers them.
func (c *Coordinator) receive(ctx context.Context, arrived []pendingReport) {
	var taken []pendingReport
	var reports []*protocol.Report
	for i := range arrived {
		if reply, away := c.rejectReport(&arrived[i].report); away {
			arrived[i].answer <- reply
			continue
		}
		taken = append(taken, arrived[i])
		reports = append(reports, &arrived[i].report)
	}
	if len(taken) == 0 {
		return
	}
	c.countLate(c.o.Now())
	s, err := c.commitReports(ctx, reports)
	c.stopOn(err)
	for i, l := range taken {
		reply := c.reply(&l.report)
		if s != nil && s.Reports[i].Passed > 0 && reply.Error == "" && !reply.Rejoin {
			reply.Refused = fmt.Sprintf("%d windows, the first: %s", s.Reports[i].Passed, s.Reports[i].Why)
		}
		l.answer <- reply
	}
	if c.running() {
		c.stopOn(c.finish(ctx))
	}
}

// rejectReport answers a report that is not to be taken.
func (c *Coordinator) rejectReport(r *protocol.Report) (reply protocol.Reply, away bool) {
	if r.Run != c.run {
		return protocol.Reply{Error: fmt.Sprintf("this is run %s, not %s", c.run, protocol.Clip(r.Run)), Stop: true}, true
	}
	// A worker that has joined in a later epoch is not told how this one has ended.
	if c.succeeded() || r.Epoch > c.o.Epoch {
		return protocol.Reply{Rejoin: true}, true
	}
	if c.err != nil {
		_, text := c.outcome(r.Worker)
		return protocol.Reply{Error: text, Stop: true}, true
	}
	m := c.members.Get(r.Worker)
	if r.Epoch != c.o.Epoch || !m.Is(r.Incarnation) {
		return protocol.Reply{Rejoin: true}, true
	}
	m.Hear(c.o.Now())
	if m.Joining {
		// Its inventory may be older than this report.
		for i := range r.Done {
			if cell, _, err := c.plan.Window(r.Done[i].Record.ID()); err == nil {
				(*plan.WindowSet)(&m.Held).Add(cell.Base + r.Done[i].Record.Part)
			}
		}
	}
	for i := range r.Failures {
		m.DiskFull = m.DiskFull || r.Failures[i].Kind == protocol.FailDiskFull
	}
	return protocol.Reply{}, false
}

// commitReports brings reports to the ledger and to the plan.
//
// While the ledger syncs, the children that have become ready are assigned already, which halves the time that a
// chain of windows waits for disks. Nothing can come of it that the ledger would have to take back: a child's record
// is written after those of its parents, and if this write fails the run stops before any answer.
func (c *Coordinator) commitReports(ctx context.Context, reports []*protocol.Report) (*intake.Sifted, error) {
	s, err := c.desk().Sift(reports)
	if err != nil {
		return nil, err
	}
	for _, r := range s.Reports {
		if r.Passed > 0 {
			call(c.o.Events.ReportRefused, ReportRefused{Worker: r.Worker, Windows: r.Passed, Reason: r.Why})
		}
	}
	for _, d := range s.Disputes {
		c.dispute(d.Window, d.Claim)
	}
	entries, audits := s.Entries(c.plan)
	written := make(chan error, 1)
	go func() { written <- c.write(entries, audits, s) }()
	news, err := c.apply(s)
	if err == nil && c.running() {
		c.pursueClaims()
		err = c.advance(ctx)
	}
	// The ledger's error about a conflict is clearer than the errors that follow from it.
	if err := errors.Join(<-written, err); err != nil {
		return s, err
	}
	for _, n := range news {
		call(c.o.Events.Committed, n)
	}
	if len(s.Guilty) > 0 {
		return s, c.refuse(s.Guilty, nil)
	}
	return s, nil
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
		if slices.ContainsFunc(r.Done, func(d intake.Done) bool { return d.Due }) {
			c.members.Waited(r.Worker, r.WaitMillis)
			c.members.Reported(r.Worker, c.o.Now())
		}
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

// committed records a window that was committed, in the plan and then in the account. It returns nil for a second
// delivery, for a copy, and for a second result that comes when the rows are dropped already.
func (c *Coordinator) committed(worker string, d *intake.Done) (*Committed, error) {
	id := d.Record.ID()
	cell, w, err := c.plan.Window(id)
	if err != nil {
		return nil, err
	}
	again, waitedFor := w.Committed, d.Due && w.Replicas == 0 && w.State != plan.WindowAbsent
	if err := c.enter(cell, w, worker, d); err != nil {
		return nil, err
	}
	took := c.settle(cell, w, worker, d, again)
	if again && !waitedFor {
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

// enter enters a window in the plan: its record, the workers that have reported it, its audit, its holder. With the
// last window of a cell the rows that nothing reads any more are dropped.
func (c *Coordinator) enter(cell *plan.Cell, w *plan.Window, worker string, d *intake.Done) error {
	id, again := d.Record.ID(), w.Committed
	var flow *plan.FlowError
	if err := c.plan.CommitRecord(&d.Record); err != nil && !errors.As(err, &flow) {
		return err
	}
	if d.Word {
		c.plan.NoteReporters(w, worker)
	}
	switch {
	case w.Audit && d.Audit && !c.doubt.Disputed(id):
		w.Audit = false
		c.counts.audits++
		call(c.o.Events.Audited, Audited{id, worker, time.Duration(d.Nanos), true})
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
	if w.Audit && !again {
		c.plan.Requeue(cell, id.Part)
	}
	if cell.Pending == 0 && cell.Done == len(cell.Parts) {
		c.queueDrop(cell)
		c.announceUnread(cell)
	}
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

// settle settles the task, the copy and the failures of a window that was committed. It returns the time that it took.
func (c *Coordinator) settle(cell *plan.Cell, w *plan.Window, worker string, d *intake.Done, again bool) time.Duration {
	id := d.Record.ID()
	took := c.took(worker, id, d.Nanos)
	if !again {
		c.blameFailures(id)
	}
	if !w.Audit || !again { // not when it is the first computation that is reported twice
		c.account.Complete(id)
		c.failures.Forget(id)
	}
	if c.account.Copies.Complete(id, worker, true) {
		call(c.o.Events.Copied, Copied{id, worker})
	}
	c.requestReplica(cell, w, id)
	return took
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

// reply answers a report that was taken.
func (c *Coordinator) reply(r *protocol.Report) protocol.Reply {
	switch {
	case c.succeeded():
		return protocol.Reply{Rejoin: true}
	case c.err != nil:
		_, text := c.outcome(r.Worker)
		return protocol.Reply{Error: text, Stop: true}
	}
	stop, _ := c.outcome(r.Worker)
	return protocol.Reply{Stop: stop}
}
