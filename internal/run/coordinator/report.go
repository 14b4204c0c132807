package coordinator

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator/assignment"
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

// entries returns the additions of sifted reports to the ledger: windows, and audits that become due or are done.
func (c *Coordinator) entries(reports []pendingReport, s *sifted) (entries []kv.Entry, audits []kv.Audit) {
	p := c.plan
	requested := make(map[puzzle.WindowID]bool) // audits that become due with these reports
	for _, l := range reports {
		for i := range l.report.Done {
			rec := &l.report.Done[i].Record
			_, w, err := p.Window(rec.ID())
			if err != nil {
				continue // it was there when the report was sifted
			}
			// A worker asked for the audit by another coordinator may report it together with the first result.
			done := (w.Audit || requested[rec.ID()]) && l.report.Done[i].Audit
			if done || s.audit[rec.ID()] {
				audits = append(audits, kv.Audit{Window: rec.ID(), Done: done})
				requested[rec.ID()] = true
			}
			e := kv.Entry{Record: *rec, Holders: p.ReplicasWith(w, l.report.Worker)}
			if s.due[reported{l.report.Worker, rec.ID()}] {
				e.By = []string{l.report.Worker}
			}
			entries = append(entries, e)
		}
	}
	return entries, audits
}

// write appends entries to the ledger, synced.
func (c *Coordinator) write(entries []kv.Entry, audits []kv.Audit, reports []pendingReport) error {
	if len(entries) == 0 {
		return nil
	}
	err := c.ledger.Append(entries, audits...)
	var conflict *kv.ConflictError
	if errors.As(err, &conflict) {
		return c.blame(conflict, reports)
	}
	return err
}

// blame names the workers whose results contradict each other.
func (c *Coordinator) blame(conflict *kv.ConflictError, reports []pendingReport) error {
	id, first, second := conflict.Got.ID(), "", ""
	if e, found, err := c.ledger.Entry(id); err == nil && found {
		first = strings.Join(e.Holders, ", ")
	}
	for _, l := range reports {
		for i := range l.report.Done {
			switch rec := &l.report.Done[i].Record; {
			case rec.ID() != id:
			case rec.SameContent(&conflict.Got):
				second = l.report.Worker
			case first == "" || rec.SameContent(&conflict.Have):
				first = l.report.Worker
			}
		}
	}
	if first == "" {
		first = "nobody who is known still to hold it"
	}
	return fmt.Errorf("last reported by worker %s, before by %s: %w", second, first, conflict)
}

// apply brings the plan up to date with reports. It returns the events to tell once the ledger is synced.
func (c *Coordinator) apply(reports []pendingReport, s *sifted) (news []Committed, err error) {
	for _, l := range reports {
		for i := range l.report.Done {
			n, err := c.committed(&l.report, &l.report.Done[i], s)
			if err != nil {
				return nil, err
			}
			if n != nil {
				news = append(news, *n)
			}
		}
		if c.members.Get(l.report.Worker).ReportedBefore(&l.report) {
			continue
		}
		for i := range l.report.Failures {
			if err := c.failed(&l.report, &l.report.Failures[i]); err != nil {
				return nil, err
			}
		}
	}
	return news, nil
}

// committed records a window that was committed. It returns nil for a second delivery.
func (c *Coordinator) committed(r *protocol.Report, d *protocol.Done, s *sifted) (*Committed, error) {
	p := c.plan
	id := d.Record.ID()
	cell, w, err := p.Window(id)
	if err != nil {
		return nil, err
	}
	again, wasHeld := w.Committed, w.Replicas != 0
	took := c.took(r.Worker, id, d.Nanos)
	var flow *plan.FlowError
	if err := p.CommitRecord(&d.Record); err != nil && !errors.As(err, &flow) {
		return nil, err
	}
	due := s.due[reported{r.Worker, id}]
	if t := c.failures[id]; t != nil && !again {
		c.blameFailures(t)
	}
	if due {
		p.NoteReporters(w, r.Worker)
		c.members.Reported(r.Worker, c.o.Now())
	}
	audited := w.Audit && d.Audit && !c.recompute.mustRecompute(id)
	if audited {
		w.Audit = false
	} else if !again && s.audit[id] {
		if err := p.RequestAudit(cell, id.Part); err != nil {
			return nil, err
		}
	}
	if err := c.hold(id, r.Worker); err != nil {
		return nil, err
	}
	// A worker has lied, or the kernel is wrong.
	if flow != nil && !c.suspectEdge(flow) {
		return nil, flow
	}
	if !w.Audit || !again { // not when it is the first computation that is reported twice
		c.account.Complete(id)
		delete(c.failures, id)
	}
	if w.Audit && !again {
		p.Requeue(cell, id.Part)
	}
	if cell.Pending == 0 && cell.Done == len(cell.Parts) {
		c.queueDrop(cell)
		c.announceUnread(cell)
	}
	if audited {
		c.audits++
	}
	c.copies.Complete(id, r.Worker, true)
	c.requestReplica(cell, w, id)
	if again && wasHeld {
		return nil, nil
	}
	if !d.Reused && took > 0 {
		c.rate.Learn(took.Nanoseconds(), cell.WorkPerWindow())
		c.rateOf(r.Worker).Learn(took.Nanoseconds(), cell.WorkPerWindow())
	}
	moved := assignment.FetchEstimate(p, cell, r.Worker)
	c.movedBytes += moved
	c.lastReport = c.o.Now()
	return &Committed{
		Effort: cell.Effort(),
		Window: d.Record.Window, Rows: d.Record.Rows, Bytes: d.Record.Bytes,
		Took: took, Worker: r.Worker, Reused: d.Reused, Again: again, Moved: moved,
		Done: p.CommittedCount, Total: p.WindowCount,
	}, nil
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
func (c *Coordinator) failed(r *protocol.Report, f *protocol.Failure) error {
	p := c.plan
	id := f.Window.ID()
	cell, w, err := p.Window(id)
	if err != nil {
		return fmt.Errorf("worker %s: %w", r.Worker, err)
	}
	if c.copies.Complete(id, r.Worker, false) || f.Kind == protocol.FailCopy {
		return nil // a copy that is not wanted any more may be reported too, and one may be reported twice
	}
	late := c.late(r.Worker, id)
	c.account.Complete(id)
	if w.State != plan.WindowQueued && w.State != plan.WindowAssigned {
		return nil // another worker has computed it meanwhile
	}
	if f.Kind == protocol.FailMissing {
		return c.parentMissing(r, f, cell, late)
	}
	failure := &WindowError{Window: id, Worker: r.Worker, Kind: f.Kind, Text: f.Text}
	if f.Kind == protocol.FailDiskFull {
		// That worker ends; others have disks of their own.
		call(c.o.Events.Retry, Retry{Window: id, Worker: r.Worker, Err: failure})
		c.retryAfter(id)
		return nil
	}
	if f.Kind != protocol.FailError {
		return failure
	}
	return c.attemptFailed(cell, failure)
}

// parentMissing records a window one of whose parents could not be read. The run has waited for it so long in vain.
func (c *Coordinator) parentMissing(
	r *protocol.Report, f *protocol.Failure, cell *plan.Cell, waited time.Duration,
) error {
	id := f.Window.ID()
	if !c.owns(r.Worker) {
		if c.o.Check != nil {
			c.accuse(accusation{r.Worker, *f, waited}, cell)
			return nil
		}
		// A worker that cannot read its parents is not asked again, if there is another.
		c.history(id).exclude(r.Worker)
	}
	if !f.Unreachable {
		if err := c.lost(r, f, true); err != nil {
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
	t := c.history(id)
	t.unreachable++
	if len(alive) > 0 {
		t.preferred = alive[t.unreachable%len(alive)]
	}
	if t.unreachable >= maxUnreachable {
		t.unreachable, t.preferred = 0, ""
		if err := c.lost(r, f, false); err != nil {
			return err
		}
	}
	c.retryAfter(id)
	return nil
}

// lost records a window that could not be read. damage says that it is not where it should be.
func (c *Coordinator) lost(r *protocol.Report, f *protocol.Failure, damage bool) error {
	p := c.plan
	id := f.Missing.ID()
	cell, w, err := p.Window(id)
	if err != nil {
		return fmt.Errorf("worker %s: %w", r.Worker, err)
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
	call(c.o.Events.Lost, Lost{Window: id, Worker: r.Worker, Cause: f.Text})
	// Another worker should compute it: its disk may be better.
	c.history(id).withhold(f.Holders...)
	if c.o.MaxLosses > 0 && int(w.Losses) > c.o.MaxLosses {
		return &DamagedError{Window: id, Losses: int(w.Losses), Worker: r.Worker, Text: f.Text}
	}
	return nil
}
