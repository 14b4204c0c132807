package coordinator

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"pagoda/internal/plan"
	"pagoda/internal/protocol"
	"pagoda/internal/puzzle"
)

const (
	// A coordinator has up to aheadBase + aheadSlot*slots tasks under way: computed, waiting, and, the greater part where
	// disks are slow, being committed and reported.
	aheadBase, aheadSlot = 16, 8
	// smallTask is the share of a full task below which dividing work between slots costs more than it gains.
	smallTask = 1. / 16
)

// inflight are the tasks that were assigned and not settled.
type inflight struct {
	prefix  string // tells the tasks of this process from those of its predecessors
	next    uint64
	tasks   map[string]*inflightTask
	windows map[puzzle.WindowID]string // the task a window was last assigned in
	// directed is what is under way to each worker, and under "" to the first free worker.
	directed map[string]load
	// given says since when a worker has been given a window, however often the queue has lost the task meanwhile.
	given map[puzzle.WindowID]given
}

// given is a window in a worker's hands.
type given struct {
	to    string
	since time.Time
}

// load is some tasks and the predicted work of their windows.
type load struct {
	tasks int
	work  float64
}

type inflightTask struct {
	left   int
	work   float64 // of each window, on average
	to     string
	serial uint64
	since  time.Time // when it was assigned
}

func newInflight() inflight {
	return inflight{
		prefix: rand.Text()[:8], tasks: make(map[string]*inflightTask), windows: make(map[puzzle.WindowID]string),
		directed: make(map[string]load), given: make(map[puzzle.WindowID]given),
	}
}

// plain makes a task that nobody waits for.
func (f *inflight) plain(run string, epoch uint64, to string, ws ...protocol.TaskWindow) protocol.Task {
	f.next++
	return protocol.Task{Run: run, Epoch: epoch, To: to, ID: fmt.Sprintf("%s-%s-%d", run, f.prefix, f.next), Windows: ws}
}

// track makes a task of ws, for one worker or for anyone. work is predicted.
func (c *Coordinator) track(ws []protocol.TaskWindow, work float64, to string) protocol.Task {
	f := &c.inflight
	t := f.plain(c.run, c.o.Epoch, to, ws...)
	c.plan.EncloseParents(c.run, &t)
	if !c.members.o.Closed {
		c.markTask(&t, f.next)
	}
	since := c.o.Now()
	for i := range ws {
		g, known := f.given[ws[i].ID()]
		if !known || g.to != to {
			g = given{to, since}
			f.given[ws[i].ID()] = g
		}
		if g.since.Before(since) {
			since = g.since
		}
	}
	f.tasks[t.ID] = &inflightTask{
		left: len(ws), work: work / float64(len(ws)), to: to, serial: f.next, since: since,
	}
	f.load(to, 1, work)
	for _, w := range ws {
		f.windows[w.ID()] = t.ID
	}
	return t
}

// complete settles a window. Its task is settled with its last window.
func (f *inflight) complete(id puzzle.WindowID) {
	delete(f.given, id)
	name, ok := f.windows[id]
	if !ok {
		return
	}
	delete(f.windows, id)
	t := f.tasks[name]
	if t == nil {
		return
	}
	done := 0
	if t.left--; t.left == 0 {
		delete(f.tasks, name)
		done = 1
	}
	f.load(t.to, -done, -t.work)
}

// load adds to what is under way to a worker.
func (f *inflight) load(worker string, tasks int, work float64) {
	l := f.directed[worker]
	l.tasks += tasks
	l.work += work
	f.directed[worker] = l
	if l.tasks <= 0 {
		delete(f.directed, worker)
	}
}

// completeUnless is land, unless the window is still waited for.
func (f *inflight) completeUnless(id puzzle.WindowID, waiting bool) {
	if !waiting {
		f.complete(id)
	}
}

// of lists the windows of the tasks for one worker.
func (f *inflight) of(worker string) (ids []puzzle.WindowID) {
	if f.directed[worker].tasks == 0 {
		return nil
	}
	for id, name := range f.windows {
		if t := f.tasks[name]; t != nil && t.to == worker {
			ids = append(ids, id)
		}
	}
	return ids
}

// removeWorker forgets the tasks for one worker and returns their windows.
func (f *inflight) removeWorker(worker string) []puzzle.WindowID {
	ids := f.of(worker)
	for _, id := range ids {
		g := f.given[id]
		f.complete(id)
		f.given[id] = g // should it get the window again, it has had it since then
	}
	return ids
}

// reset forgets all tasks and returns their windows.
func (f *inflight) reset() []puzzle.WindowID {
	ids := make([]puzzle.WindowID, 0, len(f.windows))
	for id := range f.windows {
		ids = append(ids, id)
	}
	clear(f.windows)
	clear(f.tasks)
	clear(f.directed)
	return ids
}

// submit passes tasks to the queue. While that is away, the watch finds them missing, again and again.
func (c *Coordinator) submit(ctx context.Context, tasks []protocol.Task) error {
	err := c.queue.Submit(ctx, tasks)
	if ctx.Err() != nil {
		return nil //nolint:nilerr // the coordinator ends: the next one submits what is left
	}
	if err := c.noteQueue(err); err != nil {
		return fmt.Errorf("submit %d tasks: %w", len(tasks), err)
	}
	return nil
}

// noteQueue notes whether the queue is there, by what it has answered, and passes on any other error.
func (c *Coordinator) noteQueue(err error) error {
	away := errors.Is(err, protocol.ErrQueueDown)
	if away != c.queueDown {
		c.queueDown = away
		call(c.o.Events.QueueDown, QueueDown{Down: away, Err: err})
	}
	if away {
		return nil
	}
	return err
}

// idle says what is wrong when nothing was assigned.
func (c *Coordinator) idle() error {
	p := c.plan
	switch {
	case len(c.inflight.tasks) > 0 || len(c.retries) > 0 || len(c.recompute.pending) > 0,
		c.checks.busy+len(c.checks.waiting) > 0,
		p.AwaitedCount > 0 || p.Finished():
		return nil
	case p.QuarantinedCount > 0:
		return c.quarantineError()
	}
	return fmt.Errorf("%d windows are left and none of them can be computed: %s", p.PendingCount, p.Stuck())
}

// watch looks for tasks that the queue has lost, and sends their windows again.
func (c *Coordinator) watch(ctx context.Context) error {
	// A task is acknowledged after its report is answered, so the queue knows at least the tasks that are in flight.
	known, err := c.queue.Pending(ctx)
	if ctx.Err() != nil {
		return nil //nolint:nilerr // the coordinator ends, and no task is missed any more
	}
	if err := c.noteQueue(err); err != nil {
		return fmt.Errorf("tasks in the queue: %w", err)
	}
	if c.queueDown {
		return nil
	}
	under := len(c.inflight.tasks) + len(c.members.replication.inflight)
	if lost := under - known; lost > 0 {
		// Which of them are lost the queue cannot say. Those that are not come back twice, which does no harm.
		ids := c.inflight.reset()
		for _, id := range ids {
			cell, _, err := c.plan.Window(id)
			if err != nil {
				return err
			}
			c.plan.Requeue(cell, id.Part)
		}
		c.members.replication.reset()
		call(c.o.Events.Resubmitted, Resubmitted{Tasks: lost})
		return c.advance(ctx)
	}
	return nil
}

// Rows are dropped in groups: each costs a sync of the ledger, which holds up the coordinator.
const (
	dropCells = 64
	dropBytes = 64 << 20
)

// queueDrop notes that c has been completed: it and its parents may have become superfluous.
func (c *Coordinator) queueDrop(cell *plan.Cell) {
	if c.o.Retention == plan.RetainAll {
		return
	}
	c.dropping = append(append(c.dropping, cell), cell.ParentCells...)
	for i := range cell.Parts {
		c.dropBytes += cell.Parts[i].Bytes
	}
}

// announceUnread tells the workers which parents of c, which has been completed, nothing reads any more. Best effort: a
// worker that does not hear it evicts them in its own time.
func (c *Coordinator) announceUnread(cell *plan.Cell) {
	if c.members.o.Broadcast == nil {
		return
	}
	for _, parent := range cell.ParentCells {
		if c.plan.Retains(plan.RetainSummary, parent) {
			continue
		}
		ids := make([]puzzle.WindowID, len(parent.Parts))
		for i := range ids {
			ids[i] = parent.WindowID(i)
		}
		for page := range slices.Chunk(ids, protocol.MaxDropPage) {
			_ = c.members.o.Broadcast(protocol.Drop{Run: c.run, Epoch: c.o.Epoch, Windows: page, Unread: true})
		}
	}
}

// drop removes the rows of the cells that have become superfluous: first from the ledger, then from the disks.
func (c *Coordinator) drop() error {
	p := c.plan
	if c.o.Retention == plan.RetainAll || !p.Decided ||
		len(c.dropping) < dropCells && c.dropBytes < dropBytes && !p.Finished() {
		return nil
	}
	cells := c.dropping
	c.dropping, c.dropBytes = nil, 0
	var ids []puzzle.WindowID
	var bytes uint64
	for _, cell := range cells {
		if cell.Held == 0 || p.Retains(c.o.Retention, cell) {
			continue
		}
		for i := range cell.Parts {
			id := puzzle.WindowID{Cell: cell.Cell, Part: i}
			held, err := p.DropReplicas(id)
			if err != nil {
				return err
			}
			if held {
				ids = append(ids, id)
				bytes += cell.Parts[i].Bytes
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	if err := c.ledger.Unhold(ids...); err != nil {
		return err
	}
	if err := c.broadcastDrop(ids); err != nil {
		return err
	}
	call(c.o.Events.Dropped, Dropped{Windows: len(ids), Bytes: bytes})
	return nil
}
