package coordinator

import (
	"context"
	"slices"

	"pagoda/internal/run/coordinator/assignment"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
)

// dispatch assigns ready windows.
func (c *Coordinator) dispatch(ctx context.Context) error {
	defer c.startRecomputing()
	c.heldBack = false
	if c.plan.NothingReady() {
		return c.idle()
	}
	var tasks []protocol.Task
	send := func(ws []protocol.TaskWindow, work float64, to string) { tasks = append(tasks, c.track(ws, work, to)) }
	round := assignment.Round{
		Plan: c.plan, Account: c.account, Rate: &c.rate, TaskTime: c.o.TaskTime, Workers: c.workers(), Send: send,
		Divert: func(w *protocol.TaskWindow, work float64) bool { return c.sendRestricted(w, work, send) },
	}
	round.Assign()
	c.heldBack = round.HeldBack
	switch {
	case len(tasks) > 0:
		return c.submit(ctx, tasks)
	case len(round.Workers) == 0 && c.plan.AnyReady():
		return nil // a worker will join
	}
	return c.idle()
}

// workers lists the workers that are given tasks.
func (c *Coordinator) workers() (workers []assignment.Worker) {
	anyone := assignment.Worker{}
	for _, name := range c.members.OnTrial(func(n string) int { return c.account.Load(n).Tasks }) {
		m := c.members.Get(name)
		w := assignment.Worker{Name: name, Concurrency: max(1, m.Concurrency)}
		if !m.LastReport.IsZero() {
			w.Rate, w.Silent = c.rateOf(name), c.o.Now().Sub(m.LastReport)
		}
		anyone.Concurrency += w.Concurrency
		workers = append(workers, w)
	}
	if len(workers) > 0 && !c.fleet.Locality {
		return []assignment.Worker{anyone}
	}
	return workers
}

// rateOf returns the rate at which a worker works.
func (c *Coordinator) rateOf(name string) *assignment.Rate {
	r := c.rates[name]
	if r == nil {
		r = new(assignment.Rate)
		c.rates[name] = r
	}
	return r
}

// track makes a task of ws, for one worker or for any worker. work is predicted.
func (c *Coordinator) track(ws []protocol.TaskWindow, work float64, to string) protocol.Task {
	t, serial := c.account.Make(c.run, c.o.Epoch, to, ws...)
	c.plan.EncloseParents(c.run, &t)
	if !c.fleet.Closed {
		c.markTask(&t, serial)
	}
	c.account.Track(&t, serial, work, c.o.Now())
	return t
}

// sendRestricted assigns a window that not every worker may compute. It reports whether it is one.
func (c *Coordinator) sendRestricted(
	tw *protocol.TaskWindow, work float64, send func([]protocol.TaskWindow, float64, string),
) bool {
	cell, w, err := c.plan.Window(tw.ID())
	t := c.failures[tw.ID()]
	if err != nil || !w.Audit && t == nil && !c.recompute.mustRecompute(tw.ID()) {
		return false
	}
	if c.keepForSelf(w, tw.ID()) {
		return true
	}
	send([]protocol.TaskWindow{*tw}, work, c.restricted(cell, w, t))
	return true
}

// restricted chooses a worker for a window that not every worker may compute: one that has neither failed at it nor
// computed it already, if there is one. Otherwise workers that did not serve its rows come last.
func (c *Coordinator) restricted(cell *plan.Cell, w *plan.Window, t *failureHistory) string {
	if t == nil {
		t = new(failureHistory)
	}
	var by []string
	if w.Audit {
		by = c.kin(c.plan.ReporterNames(w))
	}
	// A worker that does not serve this window cannot vouch for its parents.
	if c.members.Get(t.preferred).Working() && !slices.Contains(append(t.all(), by...), t.preferred) {
		return t.preferred
	}
	if len(t.all())+len(by) == 0 {
		return ""
	}
	for _, not := range [][]string{t.all(), slices.Concat(t.excluded, t.withheld), slices.Concat(t.failed, t.withheld),
		t.withheld} {
		names := c.members.Candidates(slices.Concat(not, by))
		if w.Audit {
			names = c.onePerParty(names)
		}
		if to := assignment.Choose(c.plan, c.account, cell, names); to != "" {
			return to
		}
	}
	return ""
}
