package failures

import (
	"errors"
	"slices"
	"time"

	"pagoda/internal/run/protocol"
)

// MaxUnreachable is how often a computation may find a parent's holders out of reach before the parent is computed
// again though its holders live: two workers that cannot talk to each other must not stop the run.
const MaxUnreachable = 4

// An Accusation is a failure that blames the holders of a parent.
type Accusation struct {
	Worker  string // the accuser
	Failure protocol.Failure
	Waited  time.Duration // for the accuser, in vain
}

// Weigh names the accused holders that do not have the rows, and those out of reach, by the findings of a check. The
// accuser is believed about its own rows.
func (a *Accusation) Weigh(found map[string]error) (gone, away []string) {
	if slices.Contains(a.Failure.Holders, a.Worker) {
		gone = append(gone, a.Worker)
	}
	for name, err := range found {
		switch {
		case errors.Is(err, protocol.ErrUnreachable):
			away = append(away, name)
		case err != nil:
			gone = append(gone, name)
		}
	}
	slices.Sort(gone)
	slices.Sort(away)
	return gone, away
}

// A History holds the failures of a window that could not be computed so far.
type History struct {
	// Workers have the window in turn, in rounds. Excluded have had it in vain in this round: they have failed, have
	// accused again, or have not reported in time.
	excluded []string
	rounds   int // how often all workers have had it in vain

	preferred string   // has the window next, if it can
	withheld  []string // did not serve the rows of the window
	overdue   int      // how often a task for any worker was not reported in time

	// Failures of computations, and the workers whose failures these were. Blamed counts those that were blamed because
	// others compute the window. An attempt is a failure that counts.
	failed   []string
	blamed   int
	attempts int
	err      error // the last one

	computable bool      // the coordinator has computed it itself
	alone      time.Time // since when all workers have failed at it, though the coordinator has not

	// Parents that could not be read: accusations that the coordinator has not found true, how often holders were out of
	// reach, and since when the window has waited for holders that are not there.
	doubted     []Accusation
	unreachable int
	waits       time.Time
}

// roundPatience is how long a worker has a window that all workers have had before. It is twice as long in each of the
// next maxRounds.
const roundPatience, maxRounds = 250 * time.Millisecond, 6

// Exclude notes a worker that has had the window in vain, by a failure, an accusation or its silence. It should not
// compute it in this round, if there are others. When it has had the window in this round before, all have, and the
// next round begins.
func (h *History) Exclude(worker string) {
	if slices.Contains(h.excluded, worker) {
		h.rounds = min(h.rounds+1, maxRounds)
		h.excluded = nil
	}
	h.excluded = append(h.excluded, worker)
}

// TakeFrom takes the window from a worker that has not reported it, and has had it for so long. It reports false when
// the worker keeps it for a while. In the first round each worker has the window once, and gives it back at once. When
// all have had it in vain, each has it again for a longer time: a worker that only waits for rows needs its time, and
// one that never reports must not keep the window for ever.
func (h *History) TakeFrom(worker string, held time.Duration) (taken bool) {
	if (h.rounds > 0 || slices.Contains(h.excluded, worker)) && held < h.patience() {
		return false
	}
	h.Exclude(worker)
	return true
}

// patience is how long a worker has the window in this round.
func (h *History) patience() time.Duration { return roundPatience << h.rounds }

// Withhold notes workers that did not serve the rows of the window. They come last: they would report the rows on their
// disks at once, and no reader could get them again.
func (h *History) Withhold(workers ...string) {
	for _, w := range workers {
		if !slices.Contains(h.withheld, w) {
			h.withheld = append(h.withheld, w)
		}
	}
}

// Doubt notes an accusation about the window's parents that is not found true. The accuser should not compute the
// window, if there are others. One that accuses again has had the window in vain.
func (h *History) Doubt(a Accusation) {
	known := len(h.doubted)
	h.doubted = slices.DeleteFunc(h.doubted, func(o Accusation) bool { return o.Worker == a.Worker })
	if len(h.doubted) < known {
		h.Exclude(a.Worker)
	}
	h.doubted = append(h.doubted, a)
}

// Believe returns the doubted accusations of credible workers that blame a worker, and doubts none any more. It is
// called when no worker is left for the window that is not Unfit. Without a credible accuser all stay in doubt.
func (h *History) Believe(credible func(worker string) bool) []Accusation {
	if !slices.ContainsFunc(h.doubted, func(a Accusation) bool { return credible(a.Worker) }) {
		return nil
	}
	all := h.doubted
	h.doubted = nil
	return slices.DeleteFunc(all, func(a Accusation) bool {
		return len(a.Failure.Holders) == 0 || !credible(a.Worker)
	})
}

// Unfit names the workers that should not compute the window, if there are others.
func (h *History) Unfit() []string {
	names := slices.Concat(h.excluded, h.withheld)
	for _, a := range h.doubted {
		names = append(names, a.Worker)
	}
	return names
}

// Prefer has one worker compute the window, if it can.
func (h *History) Prefer(worker string) { h.preferred = worker }

// Next chooses the worker that has the window next: the preferred one, or one that is fit for it, if there is one.
// Otherwise workers that did not serve its rows come last. From the second round on, such a worker comes before those
// that have had the window in the round: a worker that fails each time must not keep the window from it. The result is
// "" when any worker may have it. Workers in by are never chosen, and choose returns the best worker but some, "" when
// there is none.
func (h *History) Next(by []string, working func(string) bool, choose func(not []string) string) string {
	if h == nil {
		h = new(History)
	}
	unfit := h.Unfit()
	// A worker that does not serve this window cannot vouch for its parents.
	if working(h.preferred) && !slices.Contains(unfit, h.preferred) && !slices.Contains(by, h.preferred) {
		return h.preferred
	}
	if len(unfit)+len(by) == 0 {
		return ""
	}
	sets := [][]string{unfit, slices.Concat(h.excluded, h.withheld)}
	if h.rounds > 0 {
		sets = append(sets, h.excluded)
	}
	for _, not := range append(sets, slices.Concat(h.failed, h.withheld), h.withheld) {
		if to := choose(slices.Concat(not, by)); to != "" {
			return to
		}
	}
	return ""
}

// Unreached notes that the holders of a parent were out of reach so many times more; alive are those of them that live.
// It reports whether the parent is to be computed again.
func (h *History) Unreached(times int, alive []string) (enough bool) {
	h.unreachable += times
	if len(alive) > 0 {
		h.preferred = alive[h.unreachable%len(alive)]
	}
	if h.unreachable < MaxUnreachable {
		return false
	}
	h.Reached()
	return true
}

// Reached notes that it is decided about the holders that were out of reach.
func (h *History) Reached() { h.unreachable = 0 }

// Waits returns since when the window has waited for holders that are not there: since now, if it did not.
func (h *History) Waits(now time.Time) time.Time {
	if h.waits.IsZero() {
		h.waits = now
	}
	return h.waits
}

// Redirect chooses a worker for a window that was not reported in time: one after the other.
func (h *History) Redirect(workers []string) {
	h.overdue++
	h.preferred = workers[h.overdue%len(workers)]
}
