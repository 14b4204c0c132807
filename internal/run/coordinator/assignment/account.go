package assignment

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
)

// An Account has the work that is out with workers: the tasks that were assigned and not settled, with the copies, and
// the rates at which workers compute.
type Account struct {
	Copies Copies
	Rates  *Rates

	prefix  string // tells the tasks of this process from those of its predecessors
	next    uint64
	tasks   map[string]*task
	windows map[puzzle.WindowID]string // the task a window was last assigned in
	// directed holds the work in flight to each worker; "" stands for the first free worker.
	directed map[string]Load
	// given says since when a worker has been given a window, however often the queue has lost the task meanwhile.
	given map[puzzle.WindowID]given
}

// given is a window in a worker's hands.
type given struct {
	to    string
	since time.Time
}

// Load is some tasks and the predicted work of their windows.
type Load struct {
	Tasks int
	Work  float64
}

type task struct {
	left   int
	work   float64 // of each window, on average
	to     string
	serial uint64
	since  time.Time // when it was assigned
}

// NewAccount returns an empty account. The prefix is one that no other process of the run has.
func NewAccount(prefix string) *Account {
	return &Account{
		Rates: NewRates(), prefix: prefix, tasks: make(map[string]*task), windows: make(map[puzzle.WindowID]string),
		directed: make(map[string]Load), given: make(map[puzzle.WindowID]given),
	}
}

// Make makes a task with a serial that no other task of the account has. The account ignores the task until Track
// enters it.
func (a *Account) Make(run string, epoch uint64, to string, ws ...protocol.TaskWindow) (protocol.Task, uint64) {
	a.next++
	id := fmt.Sprintf("%s-%s-%d", run, a.prefix, a.next)
	return protocol.Task{Run: run, Epoch: epoch, To: to, ID: id, Windows: ws}, a.next
}

// Track enters a task of windows to be computed, for one worker or for any worker. work is predicted.
func (a *Account) Track(t *protocol.Task, serial uint64, work float64, now time.Time) {
	since := now
	for i := range t.Windows {
		g, known := a.given[t.Windows[i].ID()]
		if !known || g.to != t.To {
			g = given{t.To, since}
			a.given[t.Windows[i].ID()] = g
		}
		if g.since.Before(since) {
			since = g.since
		}
	}
	a.tasks[t.ID] = &task{
		left: len(t.Windows), work: work / float64(len(t.Windows)), to: t.To, serial: serial, since: since,
	}
	a.load(t.To, 1, work)
	for i := range t.Windows {
		a.windows[t.Windows[i].ID()] = t.ID
	}
}

// Complete settles a window. Its task is settled with its last window.
func (a *Account) Complete(id puzzle.WindowID) {
	delete(a.given, id)
	name, ok := a.windows[id]
	if !ok {
		return
	}
	delete(a.windows, id)
	t := a.tasks[name]
	if t == nil {
		return
	}
	done := 0
	if t.left--; t.left == 0 {
		delete(a.tasks, name)
		done = 1
	}
	a.load(t.to, -done, -t.work)
}

// load adds to the work in flight to a worker.
func (a *Account) load(worker string, tasks int, work float64) {
	l := a.directed[worker]
	l.Tasks += tasks
	l.Work += work
	a.directed[worker] = l
	if l.Tasks <= 0 {
		delete(a.directed, worker)
	}
}

// Load returns the work in flight to a worker; "" stands for the first free worker.
func (a *Account) Load(worker string) Load { return a.directed[worker] }

// Tasks counts the tasks.
func (a *Account) Tasks() int { return len(a.tasks) }

// Out counts the tasks and the copies under way.
func (a *Account) Out() int { return len(a.tasks) + len(a.Copies.out) }

// Windows counts the windows of the tasks.
func (a *Account) Windows() int { return len(a.windows) }

// Has reports whether a window is in a task.
func (a *Account) Has(id puzzle.WindowID) bool {
	_, ok := a.windows[id]
	return ok
}

// Serial is the number of the task that a window was last assigned in.
func (a *Account) Serial(id puzzle.WindowID) (serial uint64, ok bool) {
	t := a.tasks[a.windows[id]]
	if t == nil {
		return 0, false
	}
	return t.serial, true
}

// Since says when a window was given to the worker that has it; ok is false when no worker has.
func (a *Account) Since(id puzzle.WindowID) (since time.Time, ok bool) {
	g, ok := a.given[id]
	return g.since, ok
}

// inOrder orders windows, so that equal lists of them have equal consequences.
func inOrder(a, b puzzle.WindowID) int {
	return cmp.Or(cmp.Compare(a.Layer, b.Layer), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Part, b.Part))
}

// Of lists the windows of the tasks for one worker.
func (a *Account) Of(worker string) (ids []puzzle.WindowID) {
	if a.directed[worker].Tasks == 0 {
		return nil
	}
	for id, name := range a.windows {
		if t := a.tasks[name]; t != nil && t.to == worker {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, inOrder)
	return ids
}

// RemoveWorker forgets the tasks for one worker and returns their windows. Copies that it was to make are due again.
func (a *Account) RemoveWorker(worker string) []puzzle.WindowID {
	a.Copies.TakeBack(worker)
	ids := a.Of(worker)
	for _, id := range ids {
		g := a.given[id]
		a.Complete(id)
		a.given[id] = g // should it get the window again, it has had it since then
	}
	return ids
}

// Reset forgets all tasks and returns their windows. The copies under way are due again.
func (a *Account) Reset() []puzzle.WindowID {
	a.Copies.reset()
	ids := slices.SortedFunc(maps.Keys(a.windows), inOrder)
	clear(a.windows)
	clear(a.tasks)
	clear(a.directed)
	return ids
}
