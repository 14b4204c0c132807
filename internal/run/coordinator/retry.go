package coordinator

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator/membership"
	"pagoda/internal/run/plan"
)

const (
	// maxUnreachable is how often a computation may find a parent's holders out of reach before the parent is computed
	// again though its holders live: two workers that cannot talk to each other must not stop the run.
	maxUnreachable = 4
	// retryDelay is how long a window waits whose parents were out of reach: a worker that is gone is not back at once.
	retryDelay = 250 * time.Millisecond
	// maxListed bounds the quarantined windows that an error names.
	maxListed = 3
)

// failureHistory holds the failures of a window that could not be computed so far.
type failureHistory struct {
	attempts    int          // failures that count
	failed      []string     // workers whose failures these were
	blamed      int          // how many of them have been blamed, because others compute the window
	computable  bool         // the coordinator has computed it itself
	alone       time.Time    // since when all workers have failed at it, though the coordinator has not
	excluded    []string     // workers that have failed, or not reported in time
	withheld    []string     // workers that did not serve its rows
	doubted     []accusation // accusations about its parents that the coordinator has not found true
	unreachable int          // times that a parent's holders were out of reach
	preferred   string       // a worker that has the parent which others could not reach
	waits       time.Time    // since when it has waited for holders that are not there
	overdue     int          // times that it was not reported in time
	err         error        // the last failure
}

// history returns the failure history of a window, making it if there was none.
func (c *Coordinator) history(id puzzle.WindowID) *failureHistory {
	t := c.failures[id]
	if t == nil {
		t = new(failureHistory)
		c.failures[id] = t
	}
	return t
}

// exclude notes a worker that should not compute the window, if there are others.
func (t *failureHistory) exclude(worker string) {
	if !slices.Contains(t.excluded, worker) {
		t.excluded = append(t.excluded, worker)
	}
}

// withhold notes workers that did not serve the rows of the window. They come last: they would report the rows on their
// disks at once, and no reader could get them again.
func (t *failureHistory) withhold(workers ...string) {
	for _, w := range workers {
		if !slices.Contains(t.withheld, w) {
			t.withheld = append(t.withheld, w)
		}
	}
}

// doubt notes an accusation about the window's parents that is not found true. The accuser should not compute the
// window, if there are others.
func (t *failureHistory) doubt(a accusation) {
	t.doubted = slices.DeleteFunc(t.doubted, func(o accusation) bool { return o.worker == a.worker })
	t.doubted = append(t.doubted, a)
}

// all names the workers that should not compute the window, if there are others.
func (t *failureHistory) all() []string {
	names := append(slices.Clone(t.excluded), t.withheld...)
	for _, a := range t.doubted {
		names = append(names, a.worker)
	}
	return names
}

// retryAt is a window that waits for some time before it is assigned again.
type retryAt struct {
	id  puzzle.WindowID
	due time.Time
}

// retryAfter hands a window out again after retryDelay.
func (c *Coordinator) retryAfter(id puzzle.WindowID) {
	c.retries = append(c.retries, retryAt{id, c.o.Now().Add(retryDelay)})
}

// requeueDue lists the windows again that have waited long enough. It reports whether there were any.
func (c *Coordinator) requeueDue(now time.Time) (bool, error) {
	n := 0
	for ; n < len(c.retries) && !now.Before(c.retries[n].due); n++ {
		cell, _, err := c.plan.Window(c.retries[n].id)
		if err != nil {
			return false, err
		}
		c.plan.Requeue(cell, c.retries[n].id.Part)
	}
	c.retries = slices.Delete(c.retries, 0, n)
	return n > 0, nil
}

// attemptFailed deals with the failure of a computation, for which it is not known whether the window is at fault or
// its worker. When enough attempts have failed the coordinator tries the window itself: where that fails too, the
// window is set aside. Where it does not, the failures are those of the workers, and others go on; that all workers
// fail is waited out for nobodyLeft, because others may come.
func (c *Coordinator) attemptFailed(cell *plan.Cell, failure *WindowError) error {
	id := failure.Window
	t := c.history(id)
	if !c.members.InReserve(failure.Worker) || len(c.members.Trusted()) == len(c.members.Working()) {
		t.attempts++
	}
	t.err = failure
	t.exclude(failure.Worker)
	if !slices.Contains(t.failed, failure.Worker) {
		t.failed = append(t.failed, failure.Worker)
	}
	given := Quarantined{Window: id, Attempts: t.attempts, Err: failure}
	switch now := c.o.Now(); {
	case t.attempts < c.o.MaxAttempts:
	case c.o.Recompute == nil || c.fleet.Closed:
		return c.quarantineWindow(cell, given)
	case !t.computable:
		c.recompute.windows[id] = true
	case len(c.members.Candidates(t.failed)) > 0:
		t.alone = time.Time{}
		c.blameFailures(t)
	case t.alone.IsZero() || now.Sub(t.alone) < nobodyLeft:
		if t.alone.IsZero() {
			t.alone = now
		}
		c.retryAfter(id)
		return nil
	default:
		return c.quarantineWindow(cell, given)
	}
	call(c.o.Events.Retry, Retry{Window: id, Attempt: t.attempts, Worker: failure.Worker, Err: failure})
	c.plan.Requeue(cell, id.Part)
	return nil
}

// computedAfterFailures notes that the coordinator has computed a window at which workers have failed, and whose rows
// are still to be computed by one. It reports whether the window is one.
func (c *Coordinator) computedAfterFailures(id puzzle.WindowID) bool {
	t := c.failures[id]
	if t == nil || len(t.failed) == 0 {
		return false
	}
	delete(c.recompute.windows, id)
	delete(c.recompute.failures, id)
	t.computable, t.attempts = true, 0
	c.blameFailures(t)
	return true
}

// blameFailures blames the workers that have failed at a window which can be computed.
func (c *Coordinator) blameFailures(t *failureHistory) {
	for _, name := range t.failed[t.blamed:] {
		c.fault(name, t.err)
	}
	t.blamed = len(t.failed)
}

// fault takes a fault off the budget of a worker.
func (c *Coordinator) fault(worker string, err error) {
	if c.owns(worker) {
		return
	}
	before := c.members.InReserve(worker)
	c.members.Costs.Tasks(worker).Take(membership.LeastCost)
	c.noteReserve(worker, before, err)
}

// quarantineWindow puts a window into quarantine: the run goes on without it, as far as it can.
func (c *Coordinator) quarantineWindow(cell *plan.Cell, q Quarantined) error {
	if err := c.plan.Quarantine(cell, q.Window.Part); err != nil {
		return err
	}
	c.quarantine = append(c.quarantine, q)
	call(c.o.Events.Quarantined, q)
	return nil
}

// hold notes that a worker holds a window. That ends the window's quarantine, unless it is its audit that failed: a
// worker has computed it after all.
func (c *Coordinator) hold(id puzzle.WindowID, worker string) error {
	if err := c.plan.AddReplica(id, worker); err != nil {
		return err
	}
	if _, w, err := c.plan.Window(id); err != nil || w.State == plan.WindowQuarantined {
		return err
	}
	c.quarantine = slices.DeleteFunc(c.quarantine, func(q Quarantined) bool { return q.Window == id })
	return nil
}

// A QuarantineError ends a run some of whose windows kept failing, when everything that does not need them is done. It
// wraps the last failure of the first of them.
type QuarantineError struct {
	Window   puzzle.WindowID // the first
	Attempts int
	Err      error
	Windows  []Quarantined // all of them
}

func (e *QuarantineError) Error() string {
	msg := fmt.Sprintf("window %s failed %d times, last: %v", e.Window, e.Attempts, e.Err)
	if len(e.Windows) < 2 {
		return msg
	}
	var names []string
	for _, q := range e.Windows[1:min(len(e.Windows), 1+maxListed)] {
		names = append(names, q.Window.String())
	}
	if n := len(e.Windows) - 1 - len(names); n > 0 {
		names = append(names, fmt.Sprintf("%d more", n))
	}
	return msg + "; so did " + strings.Join(names, ", ")
}

func (e *QuarantineError) Unwrap() error { return e.Err }

// quarantineError returns the error of a run that cannot go on because of its quarantined windows.
func (c *Coordinator) quarantineError() error {
	first := c.quarantine[0]
	return &QuarantineError{
		Window: first.Window, Attempts: first.Attempts, Err: first.Err, Windows: slices.Clone(c.quarantine),
	}
}

// A DamagedError says that a window cannot be read however often it is computed again.
type DamagedError struct {
	Window puzzle.WindowID
	Losses int
	Worker string
	Text   string
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("window %s was lost %d times (is the disk of worker %s in order?), last: %s",
		e.Window, e.Losses, e.Worker, e.Text)
}
