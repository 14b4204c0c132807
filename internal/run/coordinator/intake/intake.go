package intake

import (
	"fmt"
	"slices"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator/attempt"
	"pagoda/internal/run/coordinator/doubt"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
)

// A Desk takes the reports of workers in.
type Desk struct {
	Run   string
	Plan  *plan.Plan
	Doubt *doubt.Doubt
	Fleet Fleet
	// Entry returns the entry of a window in the ledger.
	Entry func(id puzzle.WindowID) (e kv.Entry, found bool, err error)
	// Decides says that the coordinator can compute windows itself, and Closed that all workers are its own.
	Decides, Closed bool
}

// Fleet is the knowledge of workers and tasks on which decisions rest.
type Fleet interface {
	// Owns reports whether a worker is the coordinator's own.
	Owns(worker string) bool
	// Kin adds to some workers those that answer together with them.
	Kin(workers []string) []string
	// Current reports whether an attempt at a window is under way.
	Current(a attempt.Attempt, id puzzle.WindowID) bool
	// Copies returns the worker that was asked for a copy of a window.
	Copies(id puzzle.WindowID) string
	// Audits reports whether a window is audited that a worker has reported for the first time.
	Audits(rec *kv.Record, worker string) bool
}

// Sifted is the outcome of sifting reports that have arrived together.
type Sifted struct {
	Reports  []Report // in the order of the reports
	Disputes []Dispute
	Guilty   []kv.Refusal // workers with reports that cannot be right

	// fresh has the records of windows that the ledger does not have yet, and batch adds them up.
	fresh map[puzzle.WindowID]*kv.Record
	batch plan.Batch
	// drawn are the windows that are audited because of these reports, and words those that workers have computed.
	drawn map[puzzle.WindowID]bool
	words map[reported]bool
}

// A Report has the windows of a report that count.
type Report struct {
	*protocol.Report
	Done     []Done
	Failures []protocol.Failure
	Passed   int    // windows that were passed over
	Why      string // the first of them was
}

// Done is a window that a worker has computed. Its Audit says that it counts as an audit.
type Done struct {
	protocol.Done
	Due   bool // the worker was asked for it
	Word  bool // and has computed it itself
	Drawn bool // it is audited because of the reports
}

// A Dispute is a statement about a window that the coordinator has to test.
type Dispute struct {
	Window puzzle.WindowID
	Claim  doubt.Claim
}

// reported is a window as a worker reports it.
type reported struct {
	worker string
	id     puzzle.WindowID
}

// Sift decides which windows of some reports count. An error is one of the ledger, or of the coordinator's own worker.
func (d *Desk) Sift(reports []*protocol.Report) (*Sifted, error) {
	s := &Sifted{fresh: make(map[puzzle.WindowID]*kv.Record), drawn: make(map[puzzle.WindowID]bool),
		words: make(map[reported]bool)}
	for _, r := range reports {
		out := Report{Report: r}
		for i := range r.Done {
			done := Done{Done: r.Done[i]}
			switch why, err := d.done(s, r.Worker, &done); {
			case err != nil:
				return nil, err
			case why != "":
				out.pass(why)
			default:
				out.Done = append(out.Done, done)
			}
		}
		for _, f := range r.Failures {
			if why := d.failure(s, r.Worker, &f); why != "" {
				out.pass(why)
				continue
			}
			out.Failures = append(out.Failures, f)
		}
		s.Reports = append(s.Reports, out)
	}
	return s, nil
}

// pass notes that a window is passed over.
func (r *Report) pass(why string) {
	if r.Passed++; r.Passed == 1 {
		r.Why = why
	}
}

// done decides about a window that is reported as computed. why says why it is passed over.
func (d *Desk) done(s *Sifted, worker string, done *Done) (why string, err error) {
	rec := &done.Record
	id, own := rec.ID(), d.Fleet.Owns(worker)
	cell, w, err := d.Plan.CheckRecord(d.Run, rec)
	if err != nil {
		if own {
			return "", fmt.Errorf("worker %s: %w", worker, err)
		}
		return protocol.Clip(err.Error()), nil
	}
	a, due := attempt.Attempt{Audit: done.Audit}, true // in a closed fleet, whose tasks bear no marks
	if !d.Closed {
		a, due = d.Doubt.Due(worker, done.Attempt, id)
	}
	if own {
		if err := d.Plan.CheckTally(rec); err != nil {
			return "", fmt.Errorf("worker %s: %w", worker, err)
		}
	} else if err := d.Plan.CheckContent(cell, rec); err != nil {
		why := protocol.Clip(err.Error())
		if due {
			s.Guilty = append(s.Guilty, kv.Refusal{Worker: worker, Window: id.String(), Reason: why})
		}
		return why, nil
	}
	have := s.fresh[id]
	if have == nil && w.Committed {
		e, found, err := d.Entry(id)
		if err != nil || !found {
			return "", fmt.Errorf("window %s is committed and not in the ledger: %w", id, err)
		}
		have = &e.Record
	}
	// Rows that were there already may be a copy of another's result, if there is one: not every store knows.
	done.Due, done.Word = due, due && (!done.Reused || have == nil)
	done.Audit = done.Audit && done.Word && a.Audit && !d.computedBy(s, worker, w, id, a.Directed)
	switch {
	case !due && (have == nil || w.Fresh || !have.SameContent(rec)):
		return notAsked(worker, id), nil
	case have == nil && d.Decides && !d.Closed && !d.Plan.Fits(&s.batch, cell, rec):
		s.dispute(id, doubt.Claim{Worker: worker, Record: *rec})
		return fmt.Sprintf("window %s: its sums are too large to be believed at once", id), nil
	case have == nil:
		s.fresh[id] = rec
		s.drawn[id] = d.Fleet.Audits(rec, worker)
	case !have.Same(rec) && d.decides(w, own):
		s.dispute(id, doubt.Claim{Worker: worker, Record: *rec})
		return fmt.Sprintf("window %s: another result is in the ledger", id), nil
	}
	s.words[reported{worker, id}] = done.Word || s.words[reported{worker, id}]
	done.Drawn = s.drawn[id]
	return "", nil
}

func notAsked(worker string, id puzzle.WindowID) string {
	return fmt.Sprintf("window %s: worker %s was not asked for it, or no longer", id, worker)
}

// decides reports whether the coordinator can decide about a window with two results. When both are its own it cannot:
// then this machine is at fault.
func (d *Desk) decides(w *plan.Window, own bool) bool {
	return d.Decides && (!own || !d.Plan.Trusted(w))
}

func (s *Sifted) dispute(id puzzle.WindowID, q doubt.Claim) {
	s.Disputes = append(s.Disputes, Dispute{id, q})
}

// computedBy reports whether a worker, or one of its party, has computed a window before, or in these reports: then it
// does not audit it. An audit that was directed to the worker is settled if it has not computed the window itself. The
// coordinator's own worker does audit it, where no other can: a difference is the machine's fault.
func (d *Desk) computedBy(s *Sifted, worker string, w *plan.Window, id puzzle.WindowID, directed bool) bool {
	if d.Fleet.Owns(worker) || !d.Decides {
		return false
	}
	by := slices.Clone(d.Plan.ReporterNames(w))
	for r, word := range s.words {
		if word && r.id == id {
			by = append(by, r.worker)
		}
	}
	if !directed {
		by = d.Fleet.Kin(by)
	}
	return slices.Contains(by, worker)
}
