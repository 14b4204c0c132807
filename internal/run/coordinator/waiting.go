package coordinator

import (
	"fmt"
	"time"

	"pagoda/internal/puzzle/plural"
	"pagoda/internal/run/status"
)

// reason names the thing that a coordinator waits for. An earlier reason explains a later one and is told instead.
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

// longSilence is how long no window is committed before the status names the worker that is to report.
const longSilence = 3 * time.Second

// waiting is a coordinator's reason to wait, with its beginning.
type waiting struct {
	reason reason
	since  time.Time
}

// noteWaiting notes the reason for which the coordinator waits.
func (c *Coordinator) noteWaiting(now time.Time) {
	r, since := c.reasonToWait(now)
	if r != c.waiting.reason {
		c.waiting = waiting{r, since}
	}
}

func (c *Coordinator) reasonToWait(now time.Time) (reason, time.Time) {
	switch {
	case !c.running():
		return nothing, now
	case c.queueDown != "":
		return forQueue, now
	case c.plan.AwaitedCount > 0 && c.archive.listing:
		return forArchive, now
	case c.plan.AwaitedCount > 0:
		return forHolders, now
	case !c.fleet.Closed && len(c.members.Working()) == 0:
		for _, m := range c.members.All() {
			if m.Joining {
				return forJoin, now
			}
		}
		return forWorker, now
	}
	last := c.times.report
	if last.Before(c.times.begun) {
		last = c.times.begun
	}
	if now.Sub(last) > longSilence && c.account.Windows() > 0 {
		return forReport, last
	}
	return nothing, now
}

// describeWaiting names for people the thing that the coordinator waits for; nil: nothing but the next window.
func (c *Coordinator) describeWaiting(now time.Time) *status.Waiting {
	c.noteWaiting(now)
	var text string
	switch c.waiting.reason {
	case nothing:
		return nil
	case forQueue:
		text = "the queue: " + c.queueDown
	case forArchive:
		text = "the list of the archive, which may have " + plural.Of(c.plan.AwaitedCount, "window") + " that nobody else has"
	case forHolders:
		text = "workers to come back with " + plural.Of(c.plan.AwaitedCount, "window") + " that only they have"
	case forJoin:
		text = "a worker to say what it holds"
	case forWorker:
		text = "a worker"
		if n := c.members.Len(); n > 0 {
			text = "a worker: " + plural.Of(n, "worker") + " cannot be given windows"
		}
	case forReport:
		text = c.describeReport()
	}
	return &status.Waiting{For: text, Since: c.waiting.since}
}

// describeReport names the window that has been waited for longest, and the worker that has it in hand.
func (c *Coordinator) describeReport() string {
	window, worker, workers := c.account.Oldest()
	who := "a worker"
	if worker != "" {
		who = "worker " + worker
	}
	text := fmt.Sprintf("%s to report window %s", who, window)
	if n := c.account.Windows() - 1; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	if workers > 1 {
		text += " of " + plural.Of(workers, "worker")
	}
	return text
}
