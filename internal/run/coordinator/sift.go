package coordinator

import (
	"fmt"
	"slices"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator/attempt"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
)

// sifted is the outcome of sifting reports, before any of them is taken.
type sifted struct {
	// fresh has the records of windows that the ledger does not have yet.
	fresh map[puzzle.WindowID]*kv.Record
	// due has the windows of each report that its worker was asked for.
	due map[reported]bool
	// batch adds up fresh.
	batch plan.Batch
	// audit are windows to be computed a second time because of these reports.
	audit map[puzzle.WindowID]bool
	// guilty are workers with reports that cannot be right.
	guilty []kv.Refusal
}

// reported is a window as a worker reports it.
type reported struct {
	worker string
	id     puzzle.WindowID
}

// sift removes windows from reports that are not due or cannot be right. It notes in each report how many, and why. A
// window that is not due proves nothing: neither that it is computed nor that an attempt has failed.
func (c *Coordinator) sift(reports []pendingReport) (*sifted, error) {
	s := &sifted{fresh: make(map[puzzle.WindowID]*kv.Record), due: make(map[reported]bool),
		audit: make(map[puzzle.WindowID]bool)}
	for i := range reports {
		l := &reports[i]
		r := &l.report
		var done []protocol.Done
		for j := range r.Done {
			d := r.Done[j]
			why, err := c.siftDone(s, r, &d)
			switch {
			case err != nil:
				return nil, err
			case why != "":
				l.refuse(why)
				continue
			}
			done = append(done, d)
		}
		var failures []protocol.Failure
		for j := range r.Failures {
			f := r.Failures[j]
			if why := c.siftFailure(r, &f); why != "" {
				l.refuse(why)
				continue
			}
			failures = append(failures, f)
		}
		r.Done, r.Failures = done, failures
		if l.refused > 0 {
			call(c.o.Events.ReportRefused, ReportRefused{Worker: r.Worker, Windows: l.refused, Reason: l.why})
		}
	}
	return s, nil
}

// refuse notes that a part of a report is passed over.
func (l *pendingReport) refuse(why string) {
	if l.refused++; l.refused == 1 {
		l.why = why
	}
}

// siftDone decides about a window that is reported as computed. why says why it is passed over.
func (c *Coordinator) siftDone(s *sifted, r *protocol.Report, d *protocol.Done) (why string, err error) {
	own := c.owns(r.Worker)
	rec := &d.Record
	id := rec.ID()
	cell, w, err := c.plan.CheckRecord(c.run, rec)
	if err != nil {
		if own {
			return "", fmt.Errorf("worker %s: %w", r.Worker, err)
		}
		return protocol.Clip(err.Error()), nil
	}
	a, due := attempt.Attempt{Audit: d.Audit}, true
	if own {
		if err := c.plan.CheckTally(rec); err != nil {
			return "", fmt.Errorf("worker %s: %w", r.Worker, err)
		}
	} else {
		a, due = c.due(r.Worker, d.Attempt, id)
		if err := c.plan.CheckContent(cell, rec); err != nil {
			if due {
				s.guilty = append(s.guilty, kv.Refusal{Worker: r.Worker, Window: id.String(), Reason: protocol.Clip(err.Error())})
			}
			return protocol.Clip(err.Error()), nil
		}
	}
	d.Audit = d.Audit && due && a.Audit && !c.computedBy(s, r.Worker, w, id, a.Directed)
	have := s.fresh[id]
	if have == nil && w.Committed {
		e, found, err := c.ledger.Entry(id)
		if err != nil || !found {
			return "", fmt.Errorf("window %s is committed and not in the ledger: %w", id, err)
		}
		have = &e.Record
	}
	switch {
	case !due && (have == nil || w.Fresh || !have.SameContent(rec)):
		return fmt.Sprintf("window %s: worker %s was not asked for it, or no longer", id, r.Worker), nil
	case have == nil && c.o.Recompute != nil && !c.fleet.Closed && !c.plan.Fits(&s.batch, cell, rec):
		c.dispute(cell, w, id, claim{worker: r.Worker, record: *rec})
		return fmt.Sprintf("window %s: its sums are too large to be believed at once", id), nil
	case have == nil:
		s.fresh[id] = rec
		s.audit[id] = c.sampled(rec, r.Worker)
	case !have.Same(rec) && c.canRecompute(w, own):
		c.dispute(cell, w, id, claim{worker: r.Worker, record: *rec})
		return fmt.Sprintf("window %s: another result is in the ledger", id), nil
	}
	s.due[reported{r.Worker, id}] = due
	return "", nil
}

// computedBy reports whether a worker, or one of its party, has computed a window before, or in these reports: then it
// does not audit it. An audit that was directed to the worker is settled if it has not computed the window itself. The
// coordinator's own worker does audit it, where no other can: a difference is the machine's fault.
func (c *Coordinator) computedBy(s *sifted, worker string, w *plan.Window, id puzzle.WindowID, directed bool) bool {
	if c.owns(worker) || c.o.Recompute == nil {
		return false
	}
	by := slices.Clone(c.plan.ReporterNames(w))
	for r, due := range s.due {
		if due && r.id == id {
			by = append(by, r.worker)
		}
	}
	if !directed {
		by = c.kin(by)
	}
	return slices.Contains(by, worker)
}

// owns reports whether a worker is the one in the coordinator's process, which is the coordinator's own word.
func (c *Coordinator) owns(worker string) bool {
	return c.fleet.Closed || worker == protocol.OwnWorker
}

// canRecompute reports whether the coordinator can decide about a window with two results. When both are its own it
// cannot: then this machine is at fault.
func (c *Coordinator) canRecompute(w *plan.Window, own bool) bool {
	return c.o.Recompute != nil && (!own || !c.plan.Trusted(w))
}

// siftFailure decides about a window that is reported as failed. why says why it is passed over.
func (c *Coordinator) siftFailure(r *protocol.Report, f *protocol.Failure) (why string) {
	id := f.Window.ID()
	if c.owns(r.Worker) || f.Kind == protocol.FailCopy || c.copies.With(id) == r.Worker {
		return ""
	}
	cell, w, err := c.plan.Window(id)
	if err != nil {
		return protocol.Clip(err.Error())
	}
	if a, due := c.due(r.Worker, f.Attempt, id); !due || !c.current(a, id) {
		return fmt.Sprintf("window %s: worker %s was not asked for it, or no longer", id, r.Worker)
	}
	switch f.Kind {
	case protocol.FailForeign, protocol.FailOverflow:
		if c.o.Recompute == nil {
			return ""
		}
		// Both would end the run: no worker is believed that without proof.
		c.dispute(cell, w, id, claim{worker: r.Worker, failure: f.Text})
		return fmt.Sprintf("window %s: the coordinator tries it itself", id)
	case protocol.FailMissing:
		c.siftMissing(cell, f)
	}
	return ""
}

// siftMissing corrects a failure that blames a parent: only parents can be missing, and only a holder of one can be
// blamed for not having it.
func (c *Coordinator) siftMissing(cell *plan.Cell, f *protocol.Failure) {
	_, w, err := c.plan.Window(f.Missing.ID())
	if err != nil || !slices.Contains(cell.Parents, f.Missing.Cell) {
		f.Kind, f.Text = protocol.FailError, fmt.Sprintf("window %s is missing, which is no parent: %s", f.Missing, f.Text)
		f.Text = protocol.Clip(f.Text)
		return
	}
	if !f.Unreachable {
		// Without any holder the news is old, see Plan.Lose.
		names := c.plan.ReplicaNames(w)
		f.Holders = slices.DeleteFunc(slices.Clone(f.Holders), func(n string) bool { return !slices.Contains(names, n) })
		if len(f.Holders) == 0 {
			f.Loss = -1
		}
	}
}
