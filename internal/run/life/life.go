package life

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"pagoda/internal/puzzle"
)

// A Life is the life of a window, as far as events tell.
type Life struct {
	Events       []Event // in the order of their times
	Computations []Computation
	// Assigned are the workers that have the window in hand at the end; "" stands for the first free worker. Held are
	// those that hold its rows. Both are sorted.
	Assigned, Held []string
}

// A Computation is one that ended.
type Computation struct {
	Time   time.Time
	Worker string
	Took   time.Duration
	Why    string // the reason: First, Audit, Unknown, or the event that made it necessary
}

// Reasons of computations that no event gives.
const (
	First   = "first"
	Audit   = "audit"
	Unknown = "the logs do not say"
)

// Of returns the life of a window by the events of all processes, in any order.
func Of(id puzzle.WindowID, events []Event) Life {
	events = slices.Clone(events)
	slices.SortStableFunc(events, func(a, b Event) int { return a.Time.Compare(b.Time) })
	w := walk{
		id: id, out: make(map[string]bool), holders: make(map[string]bool), before: make(map[string]bool),
		told: make(map[computation]int),
	}
	for i := range events {
		if e := &events[i]; w.concerns(e) {
			w.life.Events = append(w.life.Events, *e)
			w.take(e)
		}
	}
	w.life.Assigned = slices.Sorted(maps.Keys(w.out))
	w.life.Held = slices.Sorted(maps.Keys(w.holders))
	return w.life
}

// walk goes through events in the order of their times.
type walk struct {
	id      puzzle.WindowID
	life    Life
	out     map[string]bool // workers that have it in hand
	holders map[string]bool // workers that hold it
	before  map[string]bool // workers that held it when they went
	// told counts the computations that only one process has told of. Worker and coordinator both tell of each, with the
	// same duration.
	told  map[computation]int
	again bool   // it was computed, other than for an audit
	cause *Event // the last event that makes a computation necessary; nil: none since the last one
}

// computation tells computations apart.
type computation struct {
	worker string
	took   time.Duration
	here   bool // told by the worker
}

// concerns reports whether an event belongs to the life.
func (w *walk) concerns(e *Event) bool {
	switch {
	case e.Kind.aboutRun():
		return len(w.life.Events) > 0
	case e.Kind == Joined:
		return w.before[e.Worker]
	case e.Kind.aboutWorker():
		return w.out[e.Worker] || w.holders[e.Worker]
	}
	return e.Window == w.id
}

// take takes an event of the life.
func (w *walk) take(e *Event) {
	switch e.Kind {
	case Assigned:
		w.out[e.Worker] = true
	case Taken:
		delete(w.out, "")
		w.out[e.Worker] = true
	case Computed:
		w.computed(e, true)
	case Committed, Audited:
		if !e.Reused {
			w.computed(e, false)
		}
		if e.Kind == Committed || e.Held > 0 {
			w.holders[e.Worker] = true
		}
		w.back(e.Worker)
	case Copied:
		w.holders[e.Worker] = true
		w.back(e.Worker)
	case Dropped:
		clear(w.holders)
	case Failed, Retried:
		delete(w.out, e.Worker)
	case SetAside:
		clear(w.out)
	case Lost:
		clear(w.holders)
	case Refused, Left, Gone, Unserved, Stalled:
		w.goes(e)
	case Joined:
		delete(w.before, e.Worker)
		if e.Held > 0 {
			w.holders[e.Worker] = true
		}
	case Began, Resent:
		clear(w.out)
	case Absent, ArchiveLost, Reported:
	}
	switch e.Kind {
	case Failed, Retried, Lost, Refused, Left, Gone, Unserved, Stalled, Began, Resent, Absent, ArchiveLost:
		w.cause = e
	}
}

// back notes that a worker has done with the window what it was to do.
func (w *walk) back(worker string) {
	delete(w.out, worker)
	delete(w.out, "")
}

// goes notes that the window is not with a worker any more, or that another one is to compute it.
func (w *walk) goes(e *Event) {
	delete(w.out, e.Worker)
	if w.holders[e.Worker] && e.Kind != Stalled {
		delete(w.holders, e.Worker)
		w.before[e.Worker] = e.Kind != Refused
	}
}

// computed notes a computation, unless the other of the two processes has told of it.
func (w *walk) computed(e *Event, here bool) {
	if other := (computation{e.Worker, e.Took, !here}); w.told[other] > 0 {
		w.told[other]--
		return
	}
	w.told[computation{e.Worker, e.Took, here}]++
	c := Computation{Time: e.Time, Worker: e.Worker, Took: e.Took, Why: First}
	switch {
	case e.Audit || e.Kind == Audited:
		c.Why = Audit
	default:
		if w.cause != nil && w.again {
			c.Why = w.cause.Sentence()
		} else if w.again {
			c.Why = Unknown
		}
		w.again, w.cause = true, nil
	}
	w.life.Computations = append(w.life.Computations, c)
}

// Sentence is the event in a few words.
func (e *Event) Sentence() string {
	who := cmp.Or(e.Worker, "a worker")
	switch e.Kind {
	case Failed, Retried:
		return "it failed on " + who
	case Lost:
		return "its rows were lost"
	case Refused:
		return "the results of " + who + " were refused"
	case Left:
		return who + " left"
	case Gone:
		return who + " was lost"
	case Unserved:
		return who + " did not serve it"
	case Stalled:
		return who + " did not report it"
	case Began:
		return "a coordinator started"
	case Resent:
		return "the queue lost tasks"
	case Absent:
		return "its holders did not come back"
	case ArchiveLost:
		return "the archive could not be read"
	}
	return string(e.Kind)
}
