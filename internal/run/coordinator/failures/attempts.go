package failures

import (
	"slices"
	"time"
)

// A Decision is the next step for a window that a worker has failed at.
type Decision int

// The decisions.
const (
	Again Decision = iota // another worker computes it
	Here                  // the coordinator computes it
	Blame                 // another worker computes it, and those that have failed at it are to blame
	Later                 // it waits for workers that have not failed at it
	Aside                 // the run goes on without it
)

// Rules are the facts on which a decision rests.
type Rules struct {
	Now         time.Time
	MaxAttempts int           // failures before the coordinator computes the window
	Decides     bool          // the coordinator can do that
	Others      bool          // a worker is there that has not failed at the window
	Patience    time.Duration // for such a worker
}

// Fail notes that a worker has failed at the window. It is not known whether the window is at fault or the worker;
// counts says whether the failure is an attempt.
func (h *History) Fail(worker string, err error, counts bool) {
	if counts {
		h.attempts++
	}
	h.err = err
	h.Exclude(worker)
	if !slices.Contains(h.failed, worker) {
		h.failed = append(h.failed, worker)
	}
}

// Decide decides about the window after a failure. When enough attempts have failed the coordinator tries the window
// itself: where that fails too, the window is set aside. Where it does not, the failures are those of the workers, and
// others go on. When all workers fail, others may come for a while.
func (h *History) Decide(r Rules) Decision {
	switch {
	case h.attempts < r.MaxAttempts:
		return Again
	case !r.Decides:
		return Aside
	case !h.computable:
		return Here
	case r.Others:
		h.alone = time.Time{}
		return Blame
	case h.alone.IsZero():
		h.alone = r.Now
		return Later
	case r.Now.Sub(h.alone) < r.Patience:
		return Later
	}
	return Aside
}

// Attempts counts the failures that count; a window without a history has none.
func (h *History) Attempts() int {
	if h == nil {
		return 0
	}
	return h.attempts
}

// Failed names the workers that have failed at the window.
func (h *History) Failed() []string { return h.failed }

// Err is the last failure.
func (h *History) Err() error { return h.err }

// Computed notes that the coordinator has computed the window itself. It reports whether workers had failed at it: one
// of them has still to compute its rows.
func (h *History) Computed() (failed bool) {
	if h == nil || len(h.failed) == 0 {
		return false
	}
	h.computable, h.attempts = true, 0
	return true
}

// ToBlame names the workers that have failed at the window though it can be computed, each once.
func (h *History) ToBlame() []string {
	if h == nil {
		return nil
	}
	names := h.failed[h.blamed:]
	h.blamed = len(h.failed)
	return names
}
