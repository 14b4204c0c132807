package coordinator

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"pagoda/internal/puzzle"
)

// A worker that takes a window and does not report it holds up the run when another worker has nothing else to do. From
// then on, and once the window has taken longer than another worker would take, its party pays for every second. When
// that wait is longer than half of the rest of its budget, all windows of the worker go to others. A party that has
// spent its budget is in reserve: it is given windows that others leave, and they take these back as soon as they have
// nothing to do. It may still be the first to report them.

const (
	// A worker is late when its tasks take lateFactor times as long as another worker would take. When no worker
	// waits for them, they go to others when they take overdueFactor times as long, and leastOverdue.
	lateFactor, overdueFactor, leastOverdue = 2, 8, 10 * time.Second
)

// noteIdle notes whether the run waits for windows that workers have in hand: another worker has nothing to do. Ready
// windows make no difference, because the last dispatch did not give them to that worker.
func (c *Coordinator) noteIdle() {
	switch {
	case c.fleet.Closed || c.queueDown != "" || c.account.Windows() == 0 || !c.anyFree():
		c.times.idle = time.Time{}
	case c.times.idle.IsZero():
		c.times.idle = c.o.Now()
	}
}

// anyFree reports whether a trusted worker has no task, or one in reserve has none while all trusted ones are late. One
// that is put out, and asks to join, counts as if it were in reserve: the trusted ones pay for its waiting too.
// Dispatch asks at every report, so no list is made of a large fleet.
func (c *Coordinator) anyFree() bool {
	reserved, barred := false, c.o.Now().Sub(c.times.barred) < c.fleet.WorkerTimeout
	for name, m := range c.members.All() {
		if m.Working() && c.account.Load(name).Tasks == 0 {
			if !c.members.InReserve(name) {
				return true
			}
			reserved = true
		}
	}
	if !reserved && !barred {
		return false
	}
	trusted, reserve := c.members.Divided()
	begun, now := c.account.Begun(), c.o.Now()
	return reserve == nil || !slices.ContainsFunc(trusted, func(name string) bool {
		since, has := begun[name]
		return !has || now.Sub(since) <= lateFactor*c.predicted(name)
	})
}

// late is for how long a worker has had a window, beyond the time that another worker would take.
func (c *Coordinator) late(worker string, id puzzle.WindowID) time.Duration {
	since, ok := c.account.Since(id)
	if !ok {
		return 0
	}
	return max(0, c.o.Now().Sub(since)-lateFactor*c.predicted(worker))
}

// waitedFor is for how long of that time, since the worker has had its oldest window, another has had nothing to do.
func (c *Coordinator) waitedFor(worker string, since, now time.Time) time.Duration {
	from := since.Add(lateFactor * c.predicted(worker))
	if from.Before(c.times.idle) {
		from = c.times.idle
	}
	return max(0, now.Sub(from))
}

// countLate takes the time for which the run has waited for workers off their budgets. Newcomers share one, which pays
// for the longest wait.
func (c *Coordinator) countLate(now time.Time) {
	if c.times.idle.IsZero() {
		return
	}
	waited := make(map[string]time.Duration)
	for name, since := range c.account.Begun() {
		if !c.owns(name) && name != "" {
			waited[name] = c.waitedFor(name, since, now)
		}
	}
	longest := func(a, b string) int { return cmp.Or(cmp.Compare(waited[b], waited[a]), cmp.Compare(a, b)) }
	for _, name := range slices.SortedFunc(maps.Keys(waited), longest) {
		before := c.members.InReserve(name)
		c.members.Costs.Tasks(name).Spend(now.Add(-waited[name]), now)
		c.noteReserve(name, before, nil)
	}
}

// noteReserve tells that a worker has come to be in reserve.
func (c *Coordinator) noteReserve(worker string, before bool, err error) {
	if !before && c.members.InReserve(worker) {
		call(c.o.Events.SetAside, SetAside{Worker: worker, Err: err})
	}
}

// checkStalled gives the tasks of workers that are late to others, if there are others.
func (c *Coordinator) checkStalled(ctx context.Context, now time.Time) error {
	if c.fleet.Closed {
		return nil
	}
	c.noteIdle()
	c.countLate(now)
	again, begun := false, c.account.Begun()
	for _, name := range slices.Sorted(maps.Keys(begun)) {
		since := begun[name]
		patience := leastOverdue + overdueFactor*c.predicted(name)
		overdue := now.Sub(since) > patience
		if name == "" {
			c.redirect(now, patience)
			again = again || overdue
			continue
		}
		late := !c.times.idle.IsZero() && c.waitedFor(name, since, now) > c.members.Costs.Tasks(name).TaskPatience()
		if !late && !overdue || !c.othersWork(name) {
			continue
		}
		tasks := c.account.Load(name).Tasks
		if taken, err := c.takeBack(ctx, name); err != nil {
			return err
		} else if taken {
			call(c.o.Events.Stalled, Stalled{Worker: name, Tasks: tasks})
		}
	}
	if again {
		return c.advance(ctx)
	}
	return nil
}

// othersWork reports whether another worker can be given the windows of one that works, or finishes what it has.
func (c *Coordinator) othersWork(name string) bool {
	m := c.members.Get(name)
	switch others := len(c.members.Working()); {
	case m.Working():
		return others > 1
	default:
		return others > 0 && m != nil && m.Draining
	}
}

// takeBack gives the windows of a worker to others, unless it keeps them all for a while.
func (c *Coordinator) takeBack(ctx context.Context, worker string) (taken bool, err error) {
	now := c.o.Now()
	for _, id := range c.account.Of(worker) {
		since, _ := c.account.Since(id)
		taken = c.failures.Of(id).TakeFrom(worker, now.Sub(since)) || taken
	}
	if !taken {
		return false, nil
	}
	return true, c.reassign(ctx, worker)
}

// takeReserved takes the windows of workers in reserve when another worker has nothing to do.
func (c *Coordinator) takeReserved(ctx context.Context) error {
	c.noteIdle()
	if c.times.idle.IsZero() {
		return nil
	}
	_, reserve := c.members.Divided()
	for _, name := range reserve {
		if c.account.Load(name).Tasks > 0 {
			if taken, err := c.takeBack(ctx, name); taken || err != nil {
				return err // the tasks are assigned anew, and the other workers are seen to there
			}
		}
	}
	return nil
}

// predicted is how long another worker would take for all windows that a worker has in hand.
func (c *Coordinator) predicted(to string) time.Duration {
	slots := 1
	if m := c.members.Get(to); m != nil {
		slots = m.Concurrency
	}
	return c.account.Predicted(to, slots, c.pace(to))
}

// pace returns the time of a unit of work, in nanoseconds, without a worker's own word about its own tasks.
func (c *Coordinator) pace(to string) float64 {
	return c.account.Rates.Pace(to, func(name string) bool { return c.members.Get(name) != nil })
}

// redirect directs the windows of overdue tasks for any worker to one worker after the other.
func (c *Coordinator) redirect(now time.Time, patience time.Duration) {
	names := c.members.Working()
	for _, id := range c.account.OverdueForAnyone(now, patience) {
		cell, _, err := c.plan.Window(id)
		if err != nil || len(names) == 0 {
			continue
		}
		c.failures.Of(id).Redirect(names)
		c.account.Complete(id)
		c.plan.Requeue(cell, id.Part)
	}
}
