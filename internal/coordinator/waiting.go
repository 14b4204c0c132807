package coordinator

import (
	"fmt"
	"slices"
	"time"

	"pagoda/internal/plural"
	"pagoda/internal/status"
)

// reason is what a coordinator waits for, in the order in which it is told: what comes first explains what follows.
type reason int

const (
	nothing reason = iota
	forQueue
	forArchive
	forHolders
	forJoin
	forWorker
	forReport
)

// longSilence is how long nothing has to be committed before it is said who is to report.
const longSilence = 3 * time.Second

// waiting is what a coordinator waits for, and since when.
type waiting struct {
	reason reason
	since  time.Time
}

// noteWaiting notes what the coordinator waits for.
func (c *Coordinator) noteWaiting(now time.Time) {
	r, since := c.reasonToWait(now)
	if r != c.waiting.reason {
		c.waiting = waiting{r, since}
	}
}

func (c *Coordinator) reasonToWait(now time.Time) (reason, time.Time) {
	f := c.members
	switch {
	case !c.running():
		return nothing, now
	case c.queueDown:
		return forQueue, now
	case c.plan.AwaitedCount > 0 && c.archive.listing:
		return forArchive, now
	case c.plan.AwaitedCount > 0:
		return forHolders, now
	case !f.o.Closed && len(f.names()) == 0:
		for _, m := range f.byName {
			if m.joining {
				return forJoin, now
			}
		}
		return forWorker, now
	}
	last := c.lastReport
	if last.Before(c.begun) {
		last = c.begun
	}
	if now.Sub(last) > longSilence && len(c.inflight.windows) > 0 {
		return forReport, last
	}
	return nothing, now
}

// describeWaiting is what the coordinator waits for, for people; nil: nothing but the next window.
func (c *Coordinator) describeWaiting(now time.Time) *status.Waiting {
	c.noteWaiting(now)
	var text string
	switch c.waiting.reason {
	case nothing:
		return nil
	case forQueue:
		text = "the queue"
	case forArchive:
		text = "the list of the archive, which may have " + plural.Of(c.plan.AwaitedCount, "window") + " that nobody else has"
	case forHolders:
		text = "workers to come back with " + plural.Of(c.plan.AwaitedCount, "window") + " that only they have"
	case forJoin:
		text = "a worker to say what it holds"
	case forWorker:
		text = "a worker"
		if n := len(c.members.byName); n > 0 {
			text = "a worker: " + plural.Of(n, "worker") + " cannot be given windows"
		}
	case forReport:
		text = c.describeReport()
	}
	return &status.Waiting{For: text, Since: c.waiting.since}
}

// describeReport says who has a window in hand, the one that has been waited for longest first.
func (c *Coordinator) describeReport() string {
	var oldest given
	var window string
	var workers []string
	for id := range c.inflight.windows {
		g := c.inflight.given[id]
		if g.to != "" && !slices.Contains(workers, g.to) {
			workers = append(workers, g.to)
		}
		if name := id.String(); window == "" || g.since.Before(oldest.since) ||
			g.since.Equal(oldest.since) && name < window {
			oldest, window = g, name
		}
	}
	who := "a worker"
	if oldest.to != "" {
		who = "worker " + oldest.to
	}
	text := fmt.Sprintf("%s to report window %s", who, window)
	if n := len(c.inflight.windows) - 1; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	if n := len(workers) - 1; n > 0 {
		text += " of " + plural.Of(n+1, "worker")
	}
	return text
}
