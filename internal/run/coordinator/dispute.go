package coordinator

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/coordinator/assignment"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
)

// Where workers contradict each other, or the flows of two cells do, the coordinator computes the windows itself. That
// takes one window in memory, its parents read from their holders, and needs no worker's word for the result. The
// coordinator also computes a part of the audits, because two workers may be one person's, and all of them when there
// is no other worker to ask.

// claim is a worker's statement about a window that another worker, or a flow, contradicts.
type claim struct {
	worker  string
	record  kv.Record
	failure string // not "": it cannot be computed
}

// maxClaims bounds the claims that are kept of one window.
const maxClaims = 8

// recomputation is the state of the windows that the coordinator computes itself.
type recomputation struct {
	waiting  []puzzle.WindowID
	pending  map[puzzle.WindowID]bool      // waiting or being computed
	busy     map[puzzle.WindowID]time.Time // being computed, since when
	failures map[puzzle.WindowID]int
	done     int             // windows
	rate     assignment.Rate // of work here, as the coordinator has seen itself
	// begin, if not nil, is called instead of Options.Recompute, and Stepper.Recomputed takes the result.
	begin func(puzzle.Window)
	// claims have the windows that are in dispute.
	claims map[puzzle.WindowID][]claim
	// edges are those whose flows contradict each other, and windows the windows that may be wrong.
	edges   []*plan.FlowError
	windows map[puzzle.WindowID]bool
}

func newRecomputation() recomputation {
	return recomputation{
		pending: make(map[puzzle.WindowID]bool), busy: make(map[puzzle.WindowID]time.Time),
		failures: make(map[puzzle.WindowID]int),
		claims:   make(map[puzzle.WindowID][]claim), windows: make(map[puzzle.WindowID]bool),
	}
}

// mustRecompute reports whether a window is one that only the coordinator itself can decide.
func (r *recomputation) mustRecompute(id puzzle.WindowID) bool {
	return len(r.claims[id]) > 0 || r.windows[id]
}

// dispute makes the coordinator compute a window about which it cannot take a worker's word.
func (c *Coordinator) dispute(cell *plan.Cell, w *plan.Window, id puzzle.WindowID, q claim) {
	r := &c.recompute
	known := slices.ContainsFunc(r.claims[id], func(o claim) bool {
		return protocol.Party(o.worker) == protocol.Party(q.worker)
	})
	if !known && len(r.claims[id]) < maxClaims {
		r.claims[id] = append(r.claims[id], q)
	}
	c.askSelf(cell, w, id)
}

// askSelf queues a window that the coordinator is to compute itself, when its parents are there.
func (c *Coordinator) askSelf(cell *plan.Cell, w *plan.Window, id puzzle.WindowID) {
	if c.recompute.pending[id] {
		return
	}
	c.account.Complete(id)
	if w.Committed {
		_ = c.plan.RequestAudit(cell, id.Part) // which fails for none that is committed
	}
	c.plan.Requeue(cell, id.Part)
}

// pursueClaims has the windows in dispute computed that were committed since.
func (c *Coordinator) pursueClaims() {
	for id := range c.recompute.claims {
		if cell, w, err := c.plan.Window(id); err == nil {
			c.askSelf(cell, w, id)
		}
	}
}

// suspectEdge has all windows of two cells whose flows contradict each other computed by the coordinator, but those
// that it has computed already. It reports false when there is none: then no worker has lied, and the kernel is wrong.
func (c *Coordinator) suspectEdge(e *plan.FlowError) bool {
	if c.o.Recompute == nil {
		return false
	}
	found := false
	for _, id := range []puzzle.Cell{e.Parent, e.Child} {
		cell := c.plan.Index[id]
		for i := range cell.Parts {
			w := &cell.Parts[i]
			if c.plan.Trusted(w) {
				continue
			}
			found = true
			c.recompute.windows[cell.WindowID(i)] = true
			c.askSelf(cell, w, cell.WindowID(i))
		}
	}
	if found {
		c.recompute.edges = append(c.recompute.edges, e)
		c.plan.WantAll(c.o.Retention)
	}
	return found
}

// contradiction returns the edge whose flows contradict each other though the coordinator has computed both ends.
func (c *Coordinator) contradiction() error {
	for _, e := range c.recompute.edges {
		open := false
		for _, id := range []puzzle.Cell{e.Parent, e.Child} {
			cell := c.plan.Index[id]
			for i := range cell.Parts {
				open = open || !c.plan.Trusted(&cell.Parts[i])
			}
		}
		if !open {
			return e
		}
	}
	return nil
}

// keepForSelf takes a window that has just been assigned out of the hands of workers. It reports whether it did.
func (c *Coordinator) keepForSelf(w *plan.Window, id puzzle.WindowID) bool {
	if c.o.Recompute == nil {
		return false
	}
	if c.recompute.pending[id] {
		return true
	}
	self := c.recompute.mustRecompute(id)
	if !self && w.Audit && !c.fleet.Closed {
		self = c.o.AuditAlone || c.marker.Sample("self", id) < selfShare || len(c.auditors(w, id)) == 0
	}
	if self {
		c.recompute.pending[id] = true
		c.recompute.waiting = append(c.recompute.waiting, id)
	}
	return self
}

// auditors names the workers that may compute a window a second time. A worker in reserve is not waited for.
func (c *Coordinator) auditors(w *plan.Window, id puzzle.WindowID) []string {
	not := c.kin(c.plan.ReporterNames(w))
	if t := c.failures[id]; t != nil {
		not = append(slices.Clone(not), t.all()...)
	}
	return slices.DeleteFunc(c.members.Candidates(not), c.members.InReserve)
}

// kin adds to some workers all others of their parties, for these answer together. Where no worker of another party is
// there, workers of one party check each other: that finds a broken machine, and the coordinator's share of the audits
// finds liars.
func (c *Coordinator) kin(names []string) []string {
	all, others := slices.Clone(names), false
	for name, m := range c.members.All() {
		switch {
		case slices.Contains(names, name):
		case slices.ContainsFunc(names, func(n string) bool { return protocol.Party(n) == protocol.Party(name) }):
			all = append(all, name)
		default:
			others = others || m.Working()
		}
	}
	if !others {
		return names
	}
	return all
}

// onePerParty keeps of each party the worker with the fewest tasks: many names of one party get no more than its share.
func (c *Coordinator) onePerParty(names []string) (out []string) {
	least := make(map[string]string)
	for _, name := range names {
		party := protocol.Party(name)
		if have, ok := least[party]; !ok || c.account.Load(name).Tasks < c.account.Load(have).Tasks {
			least[party] = name
		}
	}
	return slices.Sorted(maps.Values(least))
}

// startRecomputing computes the next windows, each in a goroutine of its own: Options.Recomputers at a time.
func (c *Coordinator) startRecomputing() {
	r := &c.recompute
	ctx := c.ctx
	for len(r.busy) < c.o.Recomputers && len(r.waiting) > 0 && c.running() {
		id := r.waiting[0]
		r.waiting = slices.Delete(r.waiting, 0, 1)
		cell, _, err := c.plan.Window(id)
		if err != nil || !cell.ParentsHeld() {
			delete(r.pending, id)
			c.plan.Requeue(cell, id.Part) // until they are
			continue
		}
		r.busy[id] = c.o.Now()
		if r.begin != nil {
			r.begin(cell.Window(id.Part))
			continue
		}
		c.recomputers.Go(func() {
			rec, failure := c.o.Recompute(ctx, cell.Window(id.Part), c)
			c.do(ctx, func() { c.endRecomputing(ctx, id, &rec, failure) })
		})
	}
}

// endRecomputing takes the result of a window that startRecomputing has begun.
func (c *Coordinator) endRecomputing(ctx context.Context, id puzzle.WindowID, rec *kv.Record, f *protocol.Failure) {
	begun := c.recompute.busy[id]
	delete(c.recompute.busy, id)
	if c.running() {
		c.stopOn(c.recomputed(ctx, id, rec, f, c.o.Now().Sub(begun)))
	}
}

// recomputed takes the result of a window that the coordinator has computed itself.
func (c *Coordinator) recomputed(
	ctx context.Context, id puzzle.WindowID, rec *kv.Record, f *protocol.Failure, took time.Duration,
) error {
	r, p := &c.recompute, c.plan
	delete(r.pending, id)
	cell, w, err := p.Window(id)
	if err != nil {
		return err
	}
	if f != nil {
		return c.recomputeFailed(ctx, cell, f, took)
	}
	if took > 0 {
		r.rate.Learn(took.Nanoseconds(), cell.WorkPerWindow())
	}
	e, found, err := c.ledger.Entry(id)
	if err != nil {
		return err
	}
	var guilty []kv.Refusal
	accuse := func(worker, what string) {
		guilty = append(guilty, kv.Refusal{Worker: worker, Window: id.String(), Reason: what})
	}
	for _, q := range r.claims[id] {
		switch {
		case q.worker == protocol.OwnWorker && !q.record.SameContent(rec):
			return c.contradictsItself(id, &q.record, rec)
		case q.failure != "":
			accuse(q.worker, "it said that the window cannot be computed, which it can: "+protocol.Clip(q.failure))
		case q.worker != protocol.OwnWorker && !q.record.Same(rec):
			accuse(q.worker, differs(&q.record, rec))
		}
	}
	var wrong []puzzle.WindowID
	if found && !e.Record.Same(rec) {
		if slices.Contains(e.By, protocol.OwnWorker) && !e.Record.SameContent(rec) {
			return c.contradictsItself(id, &e.Record, rec)
		}
		wrong = append(wrong, id)
		for _, name := range e.Reporters() {
			if name != protocol.OwnWorker {
				accuse(name, differs(&e.Record, rec))
			}
		}
	}
	if len(guilty) > 0 || len(wrong) > 0 {
		return c.refuse(guilty, wrong)
	}
	if !found {
		if c.computedAfterFailures(id) || len(r.claims[id]) == 0 {
			p.Requeue(cell, id.Part)
			return c.advance(ctx)
		}
		// Its sums are right and cannot be added to those of the others: then one of those may be wrong.
		if err := c.suspectLargest(id); err != nil {
			return err
		}
		return c.advance(ctx)
	}
	return c.confirmed(ctx, cell, w, id, e.Record)
}

// differs tells people how a worker's record differs from the coordinator's own.
func differs(reported, own *kv.Record) string {
	if reported.SameContent(own) {
		return fmt.Sprintf("it reported rows of %d bytes, which take %d", reported.Bytes, own.Bytes)
	}
	return "the coordinator has computed another result than it reported"
}

// suspectLargest has the coordinator compute the window with the largest numbers of a layer, of those that it has not
// computed yet. The error says that there is none: then the sums of the run are too large.
func (c *Coordinator) suspectLargest(id puzzle.WindowID) error {
	var largest puzzle.WindowID
	var most uint128.Uint128
	for _, cell := range c.plan.Cells(id.Layer) {
		cell := c.plan.Index[cell.Cell]
		for i := range cell.Parts {
			w := &cell.Parts[i]
			if !w.Committed || c.plan.Trusted(w) {
				continue
			}
			e, _, err := c.ledger.Entry(cell.WindowID(i))
			if err != nil {
				return err
			}
			if n := largestOf(&e.Record.Tally); most.Cmp(n) < 0 {
				largest, most = cell.WindowID(i), n
			}
		}
	}
	if most.IsZero() {
		return fmt.Errorf("window %s: its sums cannot be added to those of the run: %w", id, puzzle.ErrOverflow)
	}
	cell, w, err := c.plan.Window(largest)
	if err != nil {
		return err
	}
	c.recompute.windows[largest] = true
	c.askSelf(cell, w, largest)
	return nil
}

// largestOf returns the largest number of a tally that is added to others.
func largestOf(t *puzzle.Tally) (most uint128.Uint128) {
	for _, s := range t.Sums {
		if most.Cmp(s.Value) < 0 {
			most = s.Value
		}
	}
	for _, flows := range [][]puzzle.Flow{t.In, t.Out} {
		for _, f := range flows {
			if most.Cmp(f.Amount) < 0 {
				most = f.Amount
			}
		}
	}
	return most
}

// contradictsItself returns the error of a machine whose own two results for a window differ.
func (c *Coordinator) contradictsItself(id puzzle.WindowID, have, got *kv.Record) error {
	return fmt.Errorf("this machine has computed window %s twice, with two results: %w", id,
		&kv.ConflictError{Have: *have, Got: *got})
}

// confirmed notes that the coordinator has computed a window with the result that is in the ledger.
func (c *Coordinator) confirmed(
	ctx context.Context, cell *plan.Cell, w *plan.Window, id puzzle.WindowID, rec kv.Record,
) error {
	r, p := &c.recompute, c.plan
	delete(r.claims, id)
	delete(r.windows, id)
	delete(r.failures, id)
	if t := c.failures[id]; t != nil {
		c.blameFailures(t)
		delete(c.failures, id)
	}
	entry := kv.Entry{Record: rec, By: []string{protocol.OwnWorker}}
	if err := c.ledger.Append([]kv.Entry{entry}, kv.Audit{Window: id, Done: true}); err != nil {
		return err
	}
	p.NoteReporters(w, protocol.OwnWorker)
	r.done++
	c.audits++
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
	if err := c.contradiction(); err != nil {
		return err
	}
	c.pursueClaims()
	if cell.Pending == 0 && cell.Done == len(cell.Parts) {
		c.queueDrop(cell)
	}
	if err := c.advance(ctx); err != nil {
		return err
	}
	return c.finish(ctx)
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
		if err := c.parentMissing(&protocol.Report{Worker: protocol.OwnWorker}, f, cell, 0); err != nil {
			return err
		}
		return c.advance(ctx)
	}
	failure := &WindowError{Window: id, Worker: protocol.OwnWorker, Kind: f.Kind, Text: f.Text}
	n := c.recompute.failures[id] + 1
	c.recompute.failures[id] = n
	switch {
	case f.Kind != protocol.FailError:
		return failure
	case n < c.o.MaxAttempts && c.attempts(id) == 0:
		c.retryAfter(id)
		return nil
	}
	n += c.attempts(id)
	delete(c.recompute.windows, id)
	if err := c.quarantineWindow(cell, Quarantined{Window: id, Attempts: n, Err: failure}); err != nil {
		return err
	}
	return c.advance(ctx)
}

// attempts counts the failures of workers at a window.
func (c *Coordinator) attempts(id puzzle.WindowID) int {
	if t := c.failures[id]; t != nil {
		return t.attempts
	}
	return 0
}

// errRefused is wrapped by a RestartError.
var errRefused = errors.New("wrong results were reported")
