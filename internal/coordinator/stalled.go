package coordinator

import (
	"cmp"
	"context"
	"slices"
	"time"
)

const (
	// A task is overdue after stallBase, and stallFactor times what is predicted for all that its worker has under way.
	// Whoever computes it for longer loses nothing: what is reported late still counts.
	stallBase, stallFactor = 10 * time.Second, 8
	// stallEvery is how often it is looked for tasks that are overdue.
	stallEvery = time.Second
	// maxStalls bounds how often the time doubles for which a worker that stalls is given nothing.
	maxStalls = 6
)

// reported notes that a worker has reported a window that it was asked for.
func (m *member) reported(now time.Time) {
	m.proven, m.stalled, m.stalls, m.lastReport = true, time.Time{}, 0, now
}

// checkStalled gives the tasks of workers that say that they live, and do not report, to others, if there are others.
func (c *Coordinator) checkStalled(ctx context.Context, now time.Time) error {
	f := c.members
	if c.members.o.Closed || now.Sub(f.lastStallCheck) < stallEvery {
		return nil
	}
	f.lastStallCheck = now
	nobody, again := len(f.names()) == 0, false
	for _, m := range f.byName {
		if !m.stalled.IsZero() && (nobody || now.After(m.stalled)) {
			m.stalled, again = time.Time{}, true
		}
	}
	overdue := make(map[string]bool)
	for _, t := range c.inflight.tasks {
		if now.Sub(t.since) > c.patience(t.to) {
			overdue[t.to] = true
		}
	}
	for name := range overdue {
		switch m := f.byName[name]; {
		case name == "":
			c.redirect(now)
		case m.working() && len(f.names()) > 1:
			for _, id := range c.inflight.of(name) {
				c.history(id).exclude(name)
			}
			if !m.proven {
				f.idlers++
			}
			m.stalled = now.Add(2 * stallBase << min(m.stalls, maxStalls))
			m.stalls++
			call(c.o.Events.Stalled, Stalled{Worker: name, Tasks: c.inflight.directed[name].tasks})
			if err := c.reassign(ctx, name); err != nil {
				return err
			}
		}
	}
	if again || len(overdue) > 0 {
		return c.advance(ctx)
	}
	return nil
}

// onTrial lists the workers that are given tasks: all, until some have turned out to join and then report nothing. From
// then on no more newcomers are tried at a time than there are workers that have reported something, so that whoever
// joins under one name after the other cannot take all that is ready. Those come first that have waited longest.
func (f *membership) onTrial(directed map[string]load) []string {
	names := f.names()
	if f.idlers == 0 {
		return names
	}
	var fresh []string
	proven := slices.DeleteFunc(names, func(n string) bool {
		if !f.byName[n].proven {
			fresh = append(fresh, n)
			return true
		}
		return false
	})
	slices.SortFunc(fresh, func(a, b string) int {
		return cmp.Or(-cmp.Compare(min(directed[a].tasks, 1), min(directed[b].tasks, 1)),
			cmp.Compare(f.byName[a].serial, f.byName[b].serial))
	})
	names = append(proven, fresh[:min(len(fresh), max(1, len(proven)))]...)
	slices.Sort(names)
	return names
}

// patience is how long a task for a worker may take.
func (c *Coordinator) patience(to string) time.Duration {
	slots := 1
	if m := c.members.byName[to]; m != nil {
		slots = max(1, m.concurrency)
	}
	work := stallFactor * c.nsPerWrk * c.inflight.directed[to].work / float64(slots)
	return stallBase + time.Duration(min(work, float64(maxPatience)))
}

// maxPatience bounds what a prediction can make of the time that a task may take.
const maxPatience = 24 * time.Hour

// redirect directs the windows of tasks that were for anyone and are overdue to one worker after the other.
func (c *Coordinator) redirect(now time.Time) {
	names, late := c.members.names(), c.patience("")
	for id, task := range c.inflight.windows {
		t := c.inflight.tasks[task]
		if t == nil || t.to != "" || now.Sub(t.since) <= late {
			continue
		}
		cell, _, err := c.plan.Window(id)
		if err != nil || len(names) == 0 {
			continue
		}
		h := c.history(id)
		h.overdue++
		h.preferred = names[h.overdue%len(names)]
		c.inflight.complete(id)
		c.plan.Requeue(cell, id.Part)
	}
}
