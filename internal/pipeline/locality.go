package pipeline

import (
	"cmp"
	"context"
	"slices"
	"time"
)

const (
	// aheadDirected is how many tasks per slot a worker may have under way beyond those of the worker that has least: the
	// more, the more find their parents at home, and the longer somebody may wait for work that lies elsewhere.
	aheadDirected = 3
	// longTask is what counts as long: such tasks do not queue for a worker, whoever is free first takes them.
	longTask = 500 * time.Millisecond
	// littleBytes are not worth directing a task.
	littleBytes = 4 << 10
)

// parcel is a task being put together, for one worker or for anyone ("").
type parcel struct {
	to   string
	ws   []TaskWindow
	work float64
}

// share hands out ready windows in a fleet: each to the worker that has most of what it reads, unless that has enough
// to do.
func (c *Coordinator) share(ctx context.Context) error {
	p := c.plan
	slots := max(1, c.fleet.slots())
	full := float64(c.o.TaskTime.Nanoseconds()) / max(c.nsPerWrk, 1e-3)
	crumb := full * smallTask
	target := min(full, max(crumb, p.readyWork/float64(slots)))
	under := len(c.flights.tasks)
	d := director{c: c, near: make(map[*cell][]string)}
	var open []*parcel
	var tasks []Task
	send := func(q *parcel) {
		tasks = append(tasks, c.depart(q.ws, q.to))
		under++
	}
	for under < aheadBase+aheadSlot*slots {
		ws, work := p.next(0, 1)
		if len(ws) == 0 {
			break
		}
		to := d.target(&ws[0], work, full)
		i := slices.IndexFunc(open, func(q *parcel) bool { return q.to == to })
		if i < 0 {
			i = len(open)
			open = append(open, &parcel{to: to})
		}
		q := open[i]
		q.ws = append(q.ws, ws[0])
		if q.work += work; q.work >= target || len(q.ws) >= MaxTaskWindows {
			open = slices.Delete(open, i, i+1)
			send(q)
		}
	}
	for _, q := range open {
		// Crumbs wait while there is a task for every slot, see dispatch.
		if q.work >= crumb || under < slots {
			send(q)
			continue
		}
		for i := len(q.ws) - 1; i >= 0; i-- { // todo is taken from its end
			p.relist(p.cells[q.ws[i].Cell], q.ws[i].Part)
		}
	}
	if len(tasks) == 0 {
		return c.idle()
	}
	return c.submit(ctx, tasks)
}

// director chooses workers for windows, during one dispatch.
type director struct {
	c    *Coordinator
	near map[*cell][]string // the workers with rows of a cell's parents, see nearest
}

// target names the worker that a window should go to, "" for anyone.
func (d *director) target(tw *TaskWindow, work, full float64) string {
	c := d.c
	cell, w, err := c.plan.window(tw.ID())
	if err != nil {
		return ""
	}
	t := c.troubles[tw.ID()]
	if w.audit || t != nil {
		return d.special(cell, w, t)
	}
	if !c.fleet.o.Locality || len(cell.parents) == 0 || len(c.fleet.members) < 2 {
		return ""
	}
	near, ok := d.near[cell]
	if !ok {
		near = c.nearest(cell, nil)
		d.near[cell] = near
	}
	if len(near) == 0 {
		return ""
	}
	long := max(work, full)*c.nsPerWrk >= float64(longTask)
	least, load := c.least()
	for _, to := range near {
		if c.room(to, load, long) {
			return to
		}
	}
	if long || least == "" {
		return ""
	}
	return least
}

// special chooses for a window that not everybody may compute: somebody else than those who failed or who have computed
// it already, if there is somebody.
func (d *director) special(cell *cell, w *window, t *trouble) string {
	c := d.c
	var not []string
	if t != nil {
		if m := c.fleet.members[t.near]; m.working() {
			return t.near
		}
		not = append(not, t.workers...)
	}
	if w.audit {
		not = append(not, c.plan.holderNames(w)...)
	}
	if len(not) == 0 {
		return ""
	}
	if near := c.nearest(cell, not); len(near) > 0 {
		return near[0]
	}
	// Nobody has anything of its parents: whoever has least to do.
	names := slices.DeleteFunc(c.fleet.names(), func(n string) bool { return slices.Contains(not, n) })
	if len(names) == 0 {
		return ""
	}
	return slices.MinFunc(names, func(a, b string) int {
		return cmp.Compare(c.flights.directed[a], c.flights.directed[b])
	})
}

// nearest names the workers, other than those in not, that hold enough of the parents of a cell to matter, the one with
// most first.
func (c *Coordinator) nearest(cell *cell, not []string) (near []string) {
	bytes := make(map[holderSet]uint64)
	for _, parent := range cell.parents {
		for i := range parent.windows {
			w := &parent.windows[i]
			bytes[w.holders] += w.bytes
		}
	}
	of := make(map[string]uint64)
	for s, n := range bytes {
		for _, name := range c.plan.holders.names(s) {
			of[name] += n
		}
	}
	for name, n := range of {
		if n >= littleBytes && !slices.Contains(not, name) && c.fleet.members[name].working() {
			near = append(near, name)
		}
	}
	slices.SortFunc(near, func(a, b string) int { return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(a, b)) })
	return near
}

// least names the worker with the fewest tasks under way to it, per slot, and says how many these are.
func (c *Coordinator) least() (worker string, load float64) {
	for name, m := range c.fleet.members {
		if !m.working() {
			continue
		}
		n := float64(c.flights.directed[name]) / float64(max(1, m.slots))
		if worker == "" || n < load || n == load && name < worker {
			worker, load = name, n
		}
	}
	return worker, load
}

// room reports whether one more task may be directed to a worker, when the least busy one has so many per slot.
func (c *Coordinator) room(worker string, least float64, long bool) bool {
	slots, has := float64(max(1, c.fleet.members[worker].slots)), float64(c.flights.directed[worker])
	if long {
		return has < slots
	}
	return has < (least+aheadDirected)*slots
}
