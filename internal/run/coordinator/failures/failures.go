package failures

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pagoda/internal/puzzle"
)

// RetryDelay is how long a window waits whose parents were out of reach: a worker that is gone is not back at once.
const RetryDelay = 250 * time.Millisecond

// Failures are those of a run. They are for one goroutine.
type Failures struct {
	windows map[puzzle.WindowID]*History
	retries []retry // in the order of their times
	aside   []Quarantined
	accused []Accusation // that wait for a check
	checks  int          // that are being made
}

// retry is a window that waits for some time before it is assigned again.
type retry struct {
	id  puzzle.WindowID
	due time.Time
}

// New returns the failures of a run in which no window has failed.
func New() *Failures { return &Failures{windows: make(map[puzzle.WindowID]*History)} }

// Find returns the history of a window, nil when it has not failed.
func (f *Failures) Find(id puzzle.WindowID) *History { return f.windows[id] }

// Of returns the history of a window, which it makes if there is none.
func (f *Failures) Of(id puzzle.WindowID) *History {
	h := f.windows[id]
	if h == nil {
		h = new(History)
		f.windows[id] = h
	}
	return h
}

// Forget forgets the failures of a window, which has been computed. Which workers did not serve its rows stays known,
// and how often all have had it in vain: the rows can be lost again, and would else go round among workers that serve
// none.
func (f *Failures) Forget(id puzzle.WindowID) {
	if h := f.windows[id]; h != nil && len(h.withheld) > 0 {
		*h = History{withheld: h.withheld, rounds: h.rounds}
		return
	}
	delete(f.windows, id)
}

// Retry delays a window before it is assigned again.
func (f *Failures) Retry(id puzzle.WindowID, now time.Time) {
	f.retries = append(f.retries, retry{id, now.Add(RetryDelay)})
}

// Retrying reports whether a window waits, for some time or for a check.
func (f *Failures) Retrying() bool { return len(f.retries)+len(f.accused)+f.checks > 0 }

// MaxChecks is how many accusations are checked at a time.
const MaxChecks = 4

// Accuse has an accusation wait for a check, and its window with it.
func (f *Failures) Accuse(a Accusation) { f.accused = append(f.accused, a) }

// Check takes the next accusation that is to be checked now, until EndCheck.
func (f *Failures) Check() (a Accusation, ok bool) {
	if f.checks == MaxChecks || len(f.accused) == 0 {
		return a, false
	}
	a = f.accused[0]
	f.accused = slices.Delete(f.accused, 0, 1)
	f.checks++
	return a, true
}

// EndCheck notes that a check has ended.
func (f *Failures) EndCheck() { f.checks-- }

// Checks counts the checks that are being made.
func (f *Failures) Checks() int { return f.checks }

// Due lists the windows that have waited long enough, once.
func (f *Failures) Due(now time.Time) (ids []puzzle.WindowID) {
	for _, r := range f.retries {
		if now.Before(r.due) {
			break
		}
		ids = append(ids, r.id)
	}
	f.retries = slices.Delete(f.retries, 0, len(ids))
	return ids
}

// Quarantined describes a window that is set aside.
type Quarantined struct {
	Window   puzzle.WindowID
	Attempts int
	Err      error
}

// SetAside notes that the run goes on without a window, as far as it can.
func (f *Failures) SetAside(q Quarantined) { f.aside = append(f.aside, q) }

// TakeBack notes that a window has been computed after all.
func (f *Failures) TakeBack(id puzzle.WindowID) {
	f.aside = slices.DeleteFunc(f.aside, func(q Quarantined) bool { return q.Window == id })
}

// Aside lists the windows that are set aside.
func (f *Failures) Aside() []Quarantined { return f.aside }

// A QuarantineError ends a run some of whose windows kept failing, when everything that does not need them is done. It
// wraps the last failure of the first of them.
type QuarantineError struct {
	Window   puzzle.WindowID // the first
	Attempts int
	Err      error
	Windows  []Quarantined // all of them
}

// Error returns the error of a run that cannot go on because of the windows that are set aside.
func (f *Failures) Error() *QuarantineError {
	first := f.aside[0]
	return &QuarantineError{
		Window: first.Window, Attempts: first.Attempts, Err: first.Err, Windows: slices.Clone(f.aside),
	}
}

// maxListed bounds the windows that an error names besides the first.
const maxListed = 3

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
