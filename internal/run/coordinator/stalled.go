package coordinator

import (
	"context"
	"slices"
	"time"

	"pagoda/internal/run/coordinator/assignment"
)

const (
	// stallEvery is how often it is looked for tasks that are overdue.
	stallEvery = time.Second
	// guessNsPerWork is the time of a unit of work, in nanoseconds, while nothing is known of it.
	guessNsPerWork = 10.
)

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
	return c.account.Patience(to, slots, c.pace(to))
}

// pace returns the time of a unit of work, in nanoseconds, without a worker's own word about its own tasks: that of the
// fastest other worker, and no less than the coordinator's own. For tasks of any worker it needs the word of two. So a
// worker that takes its time, and says that its windows took so long, gains no patience by it. One that claims to take
// no time cannot make the coordinator give up others early.
func (c *Coordinator) pace(to string) float64 {
	var others []float64
	for name, r := range c.rates {
		if name != to && r.NsPerWork > 0 && c.members.Get(name) != nil {
			others = append(others, r.NsPerWork)
		}
	}
	pace := guessNsPerWork
	if len(others) > 1 || len(others) == 1 && to != "" {
		pace = slices.Min(others)
	}
	return max(pace, c.recompute.rate.NsPerWork)
}

// redirect directs the windows of overdue tasks for any worker to one worker after the other.
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
