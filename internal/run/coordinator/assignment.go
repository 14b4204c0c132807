package coordinator

import (
	"context"

	"pagoda/internal/run/coordinator/assignment"
	"pagoda/internal/run/coordinator/failures"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
)

// dispatch assigns ready windows.
func (c *Coordinator) dispatch(ctx context.Context) error {
	defer c.startOwn()
	c.heldBack = false
	if !c.plan.NothingReady() {
		names, reserve := c.members.Divided()
		tasks := c.assign(names, 0)
		tasks = append(tasks, c.assign(reserve, c.slots(names))...)
		switch {
		case len(tasks) > 0:
			if err := c.submit(ctx, tasks); err != nil {
				return err
			}
		case len(names) == 0 && c.plan.AnyReady():
			return nil // a worker will join
		}
	}
	if err := c.idle(); err != nil {
		return err
	}
	return c.takeReserved(ctx)
}

// assign makes tasks of ready windows for some workers, beside others with so many slots.
func (c *Coordinator) assign(names []string, beside int) (tasks []protocol.Task) {
	if len(names) == 0 || c.plan.NothingReady() {
		return nil
	}
	send := func(ws []protocol.TaskWindow, work float64, to string) { tasks = append(tasks, c.track(ws, work, to)) }
	round := assignment.Round{
		Plan: c.plan, Account: c.account, Rate: &c.account.Rates.All, TaskTime: c.o.TaskTime, Beside: beside, Send: send,
		Divert: func(w *protocol.TaskWindow, work float64) bool { return c.sendRestricted(w, work, send) },
	}
	for _, name := range names {
		m := c.members.Get(name)
		w := assignment.Worker{Name: name, Concurrency: max(1, m.Concurrency)}
		if !m.LastReport.IsZero() {
			w.Rate, w.Silent, w.Lag = c.account.Rates.Of(name), c.o.Now().Sub(m.LastReport), m.Lag(c.o.Now())
		}
		round.Workers = append(round.Workers, w)
	}
	if !c.fleet.Locality {
		round.Workers = []assignment.Worker{{Concurrency: c.slots(names)}}
	}
	round.Assign()
	c.heldBack = c.heldBack || round.HeldBack
	return tasks
}

// slots counts the slots of workers.
func (c *Coordinator) slots(names []string) (n int) {
	for _, name := range names {
		n += max(1, c.members.Get(name).Concurrency)
	}
	return n
}

// track makes a task of ws, for one worker or for any worker. work is predicted.
func (c *Coordinator) track(ws []protocol.TaskWindow, work float64, to string) protocol.Task {
	t, serial := c.account.Make(c.run, c.o.Epoch, to, ws...)
	c.plan.EncloseParents(c.run, &t)
	if !c.fleet.Closed {
		c.doubt.Mark(&t, serial)
	}
	c.account.Track(&t, serial, work, c.o.Now())
	call(c.o.Events.Assigned, Assigned{t.Windows, to})
	return t
}

// sendRestricted assigns a window that not every worker may compute. It reports whether it is one.
func (c *Coordinator) sendRestricted(
	tw *protocol.TaskWindow, work float64, send func([]protocol.TaskWindow, float64, string),
) bool {
	cell, w, err := c.plan.Window(tw.ID())
	h := c.failures.Find(tw.ID())
	if err != nil || !w.Audit && h == nil && !c.doubt.Disputed(tw.ID()) {
		return false
	}
	if c.keepForSelf(w, tw.ID()) {
		return true
	}
	to := c.restricted(cell, w, h)
	if to == "" && c.fleet.Locality {
		return false // any worker may compute it, so one gets it that is known
	}
	send([]protocol.TaskWindow{*tw}, work, to)
	return true
}

// restricted chooses a worker for a window that not every worker may compute, by the window's history. No worker audits
// a window that one of its party has computed.
func (c *Coordinator) restricted(cell *plan.Cell, w *plan.Window, h *failures.History) string {
	var by []string
	if w.Audit {
		by = c.members.Kin(c.plan.ReporterNames(w))
	}
	working := func(name string) bool { return c.members.Get(name).Working() }
	return h.Next(by, working, func(not []string) string {
		names := c.members.Candidates(not)
		if w.Audit {
			names = assignment.OnePerParty(c.account, names)
		}
		return assignment.Choose(c.plan, c.account, cell, names)
	})
}
