package assignment

import (
	"slices"
	"time"

	"pagoda/internal/puzzle"
)

// maxPredicted bounds the time that is predicted for tasks.
const maxPredicted = 24 * time.Hour

// Predicted is the time of all work in flight to a worker of so many slots, when a unit of work takes nsPerWork.
func (a *Account) Predicted(to string, slots int, nsPerWork float64) time.Duration {
	return time.Duration(min(nsPerWork*a.directed[to].Work/float64(max(1, slots)), float64(maxPredicted)))
}

// Begun says since when each worker has had its oldest task; "" stands for tasks for any worker.
func (a *Account) Begun() map[string]time.Time {
	begun := make(map[string]time.Time, len(a.directed))
	for _, t := range a.tasks {
		if since, ok := begun[t.to]; !ok || t.since.Before(since) {
			begun[t.to] = t.since
		}
	}
	return begun
}

// OverdueForAnyone lists the windows of tasks for any worker that have taken longer than they may.
func (a *Account) OverdueForAnyone(now time.Time, patience time.Duration) (ids []puzzle.WindowID) {
	for id, name := range a.windows {
		if t := a.tasks[name]; t != nil && t.to == "" && now.Sub(t.since) > patience {
			ids = append(ids, id)
		}
	}
	return ids
}

// Oldest returns the window that has been given out for longest, and its worker: "" when any worker may have it.
// workers counts the workers that have windows in hand.
func (a *Account) Oldest() (id puzzle.WindowID, to string, workers int) {
	var oldest given
	var name string
	var names []string
	for w := range a.windows {
		g := a.given[w]
		if g.to != "" && !slices.Contains(names, g.to) {
			names = append(names, g.to)
		}
		if n := w.String(); name == "" || g.since.Before(oldest.since) || g.since.Equal(oldest.since) && n < name {
			oldest, id, name = g, w, n
		}
	}
	return id, oldest.to, len(names)
}
