package coordinator

import (
	"context"
	"time"

	"pagoda/internal/assignment"
)

// stallEvery is how often it is looked for tasks that are overdue.
const stallEvery = time.Second

// checkStalled gives the tasks of workers that say that they live, and do not report, to others, if there are others.
func (c *Coordinator) checkStalled(ctx context.Context, now time.Time) error {
	if c.fleet.Closed || now.Sub(c.stallCheck) < stallEvery {
		return nil
	}
	c.stallCheck = now
	again := c.members.Revive(now)
	overdue := c.account.Overdue(now, c.patience)
	for name := range overdue {
		switch m := c.members.Get(name); {
		case name == "":
			c.redirect(now)
		case m.Working() && len(c.members.Working()) > 1:
			for _, id := range c.account.Of(name) {
				c.history(id).exclude(name)
			}
			c.members.Stall(m, assignment.LeastPatience, now)
			call(c.o.Events.Stalled, Stalled{Worker: name, Tasks: c.account.Load(name).Tasks})
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

// patience is how long a task for a worker may take.
func (c *Coordinator) patience(to string) time.Duration {
	slots := 1
	if m := c.members.Get(to); m != nil {
		slots = m.Concurrency
	}
	return c.account.Patience(to, slots, &c.rate)
}

// redirect directs the windows of tasks that were for anyone and are overdue to one worker after the other.
func (c *Coordinator) redirect(now time.Time) {
	names := c.members.Working()
	for _, id := range c.account.OverdueForAnyone(now, c.patience("")) {
		cell, _, err := c.plan.Window(id)
		if err != nil || len(names) == 0 {
			continue
		}
		h := c.history(id)
		h.overdue++
		h.preferred = names[h.overdue%len(names)]
		c.account.Complete(id)
		c.plan.Requeue(cell, id.Part)
	}
}
