package pipeline

import (
	"context"
	"crypto/rand"
	"fmt"

	"pagoda/internal/puzzle"
)

const (
	// A coordinator has up to aheadBase + aheadSlot*slots tasks under way: computed, waiting, and, the greater part where
	// disks are slow, being committed and reported.
	aheadBase, aheadSlot = 16, 8
	// smallTask is the share of a full task below which dividing work between slots costs more than it gains.
	smallTask = 1. / 16
)

// flights are the tasks that were handed out and not settled.
type flights struct {
	epoch   string // tells the tasks of this process from those of its predecessors
	next    uint64
	tasks   map[string]*flight
	windows map[puzzle.WindowID]string // the task a window was last handed out in
}

type flight struct{ left int }

// depart makes a task of ws.
func (f *flights) depart(run string, ws []TaskWindow) Task {
	if f.tasks == nil {
		f.epoch = rand.Text()[:8]
		f.tasks = make(map[string]*flight)
		f.windows = make(map[puzzle.WindowID]string)
	}
	f.next++
	t := Task{Run: run, ID: fmt.Sprintf("%s-%s-%d", run, f.epoch, f.next), Windows: ws}
	f.tasks[t.ID] = &flight{left: len(ws)}
	for _, w := range ws {
		f.windows[w.ID()] = t.ID
	}
	return t
}

// land settles a window. Its task is settled with its last window.
func (f *flights) land(id puzzle.WindowID) {
	name, ok := f.windows[id]
	if !ok {
		return
	}
	delete(f.windows, id)
	if t := f.tasks[name]; t != nil {
		if t.left--; t.left == 0 {
			delete(f.tasks, name)
		}
	}
}

// cancel forgets all tasks and returns their windows.
func (f *flights) cancel() []puzzle.WindowID {
	ids := make([]puzzle.WindowID, 0, len(f.windows))
	for id := range f.windows {
		ids = append(ids, id)
	}
	clear(f.windows)
	clear(f.tasks)
	return ids
}

// dispatch hands out ready windows.
//
// A task costs a fraction of a millisecond wherever it passes, and some milliseconds until its windows are synced
// twice, so small windows travel together, up to TaskTime of predicted work. But work that waits to grow into a full
// task while the tasks before it are on their way to the disk leaves slots idle, which costs more: what is ready is
// shared out at once, down to crumbs, and those wait only while there is a task for every slot.
func (c *Coordinator) dispatch(ctx context.Context) error {
	p := c.plan
	slots := max(1, c.o.Slots())
	full := float64(c.o.TaskTime.Nanoseconds()) / max(c.nsPerWrk, 1e-3)
	crumb := full * smallTask
	var tasks []Task
	for len(c.flights.tasks) < aheadBase+aheadSlot*slots {
		if p.readyWork < crumb && len(c.flights.tasks) >= slots {
			break
		}
		ws, _ := p.next(min(full, max(crumb, p.readyWork/float64(slots))), MaxTaskWindows)
		if len(ws) == 0 {
			break
		}
		tasks = append(tasks, c.flights.depart(c.run, ws))
	}
	if len(tasks) == 0 {
		if len(c.flights.tasks) == 0 {
			return fmt.Errorf("%d windows are left and none of them can be computed: %s", p.nPending, p.stuck())
		}
		return nil
	}
	if err := c.queue.Submit(ctx, tasks); err != nil {
		return fmt.Errorf("submit %d tasks: %w", len(tasks), err)
	}
	return nil
}

// stuck names a pending window and what it waits for.
func (p *Plan) stuck() string {
	for _, l := range p.layers {
		for i := range l.plans {
			c := p.cells[l.plans[i].Cell]
			if c.pending == 0 {
				continue
			}
			for _, parent := range c.parents {
				if parent.held < len(parent.windows) {
					return fmt.Sprintf("cell %d/%s waits for cell %d/%s, of which %d of %d windows are held",
						c.Layer, c.Key, parent.Layer, parent.Key, parent.held, len(parent.windows))
				}
			}
			return fmt.Sprintf("cell %d/%s", c.Layer, c.Key)
		}
	}
	return "nothing is pending"
}

// watch looks for tasks that the queue has lost, and sends their windows again.
func (c *Coordinator) watch(ctx context.Context) error {
	// A task is acknowledged after its report is answered, so the queue knows at least the tasks that are in flight.
	known, err := c.queue.Pending(ctx)
	if err != nil {
		return fmt.Errorf("tasks in the queue: %w", err)
	}
	if lost := len(c.flights.tasks) - known; lost > 0 {
		// Which of them are lost the queue cannot say. Those that are not come back twice, which does no harm.
		ids := c.flights.cancel()
		for _, id := range ids {
			cell, _, err := c.plan.window(id)
			if err != nil {
				return err
			}
			c.plan.relist(cell, id.Part)
		}
		call(c.o.Events.Resubmitted, Resubmitted{Tasks: lost})
		return c.dispatch(ctx)
	}
	return nil
}

// Rows are dropped in groups: each costs a sync of the ledger, which holds up the coordinator.
const (
	dropCells = 64
	dropBytes = 64 << 20
)

// mayDrop notes that c has been completed: it and its parents may have become superfluous.
func (c *Coordinator) mayDrop(cell *cell) {
	if c.o.Keep == KeepAll {
		return
	}
	c.dropping = append(append(c.dropping, cell), cell.parents...)
	for i := range cell.windows {
		c.dropBytes += cell.windows[i].bytes
	}
}

// drop removes the rows of the cells that have become superfluous: first from the ledger, then from the disks.
func (c *Coordinator) drop() error {
	p := c.plan
	if c.o.Keep == KeepAll || !p.decided || c.o.Drop == nil ||
		len(c.dropping) < dropCells && c.dropBytes < dropBytes && !p.finished() {
		return nil
	}
	cells := c.dropping
	c.dropping, c.dropBytes = nil, 0
	var ids []puzzle.WindowID
	var bytes uint64
	for _, cell := range cells {
		if cell.held == 0 || p.keeps(c.o.Keep, cell) {
			continue
		}
		for i := range cell.windows {
			id := puzzle.WindowID{Cell: cell.Cell, Part: i}
			held, err := p.release(id)
			if err != nil {
				return err
			}
			if held {
				ids = append(ids, id)
				bytes += cell.windows[i].bytes
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	if err := c.ledger.Unhold(ids...); err != nil {
		return err
	}
	if err := c.o.Drop(ids); err != nil {
		return err
	}
	call(c.o.Events.Dropped, Dropped{Windows: len(ids), Bytes: bytes})
	return nil
}
