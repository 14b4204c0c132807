package assignment

import (
	"slices"
	"time"

	"pagoda/internal/puzzle"
)

// A task is overdue after LeastPatience, and patienceFactor times the time predicted for all work in flight to its
// worker. A worker that computes it for longer loses nothing: a late report still counts.
const (
	LeastPatience  = 10 * time.Second
	patienceFactor = 8
	// maxPatience bounds the part of that time which is predicted.
	maxPatience = 24 * time.Hour
)

// Patience returns how long a task for a worker of so many slots may take, when a unit of work takes nsPerWork.
func (a *Account) Patience(to string, slots int, nsPerWork float64) time.Duration {
	work := patienceFactor * nsPerWork * a.directed[to].Work / float64(max(1, slots))
	return LeastPatience + time.Duration(min(work, float64(maxPatience)))
}

// Overdue names the workers with a task that has taken longer than they may; "" is among them if a task for any worker
// has.
func (a *Account) Overdue(now time.Time, patience func(to string) time.Duration) map[string]bool {
	overdue := make(map[string]bool)
	for _, t := range a.tasks {
		if now.Sub(t.since) > patience(t.to) {
			overdue[t.to] = true
		}
	}
	return overdue
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
