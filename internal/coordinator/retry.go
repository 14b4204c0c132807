package coordinator

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pagoda/internal/plan"
	"pagoda/internal/puzzle"
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

// failureHistory is what is known of a window that could not be computed so far.
type failureHistory struct {
	attempts    int          // failures that count
	excluded    []string     // whose failures these were
	withheld    []string     // who did not serve its rows
	doubted     []accusation // what workers say of its parents, and the coordinator has not found true
	unreachable int          // times that a parent's holders were out of reach
	preferred   string       // a worker that has the parent which others could not reach
	waits       time.Time    // since when it has waited for holders that are not there
	overdue     int          // times that nobody reported it in time
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

// withhold notes workers that did not serve the rows of the window. They come last: what is on their disks they would
// report at once, and nobody could read it again.
func (t *failureHistory) withhold(workers ...string) {
	for _, w := range workers {
		if !slices.Contains(t.withheld, w) {
			t.withheld = append(t.withheld, w)
		}
	}
}

// doubt notes what a worker says of the window's parents and nobody else does. It should not compute the window, if
// there are others.
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

// quarantineWindow puts a window into quarantine: the run goes on without it, as far as it can.
func (c *Coordinator) quarantineWindow(cell *plan.Cell, q Quarantined) error {
	if err := c.plan.Quarantine(cell, q.Window.Part); err != nil {
		return err
	}
	c.quarantine = append(c.quarantine, q)
	call(c.o.Events.Quarantined, q)
	return nil
}

// hold notes that a worker holds a window. That ends the window's quarantine, unless it is its audit that failed:
// somebody has computed it after all.
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
