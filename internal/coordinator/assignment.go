package coordinator

import (
	"cmp"
	"context"
	"slices"
	"time"

	"pagoda/internal/plan"
	"pagoda/internal/protocol"
)

const (
	// aheadFull is the predicted work that a worker may have under way for each slot, in full tasks: enough that no slot
	// waits while what it has computed is committed, reported, and answered with the next task.
	aheadFull = 2
	// longTask is what counts as long: such windows do not wait at a worker, the first free worker takes them.
	longTask = 500 * time.Millisecond
	// heavyWindow is what a window takes, by prediction, that reads much; soonWindows is how many of them a slot of its
	// owner may have before it, so that others do not take it.
	heavyWindow = 20 * time.Millisecond
	soonWindows = 8
	// silentFactor is how many times as long an owner may report nothing, which may be fetching what its windows read.
	silentFactor = 4
	// littleBytes are not worth directing a task.
	littleBytes = 4 << 10
)

// dispatch assigns ready windows.
//
// A task costs a fraction of a millisecond wherever it passes, and some milliseconds until its windows are synced
// twice, so small windows travel together, up to TaskTime of predicted work. But work that waits to grow into a full
// task while the tasks before it are on their way to the disk leaves slots idle, which costs more: what is ready is
// shared out at once, down to small tasks, and those wait only while there is a task for every slot.
//
// Every worker has partitions of its own, see partitions.go, and is given what is ready in them, as long as it has less
// under way than keeps its slots busy and less than its share of all that is known to be to do. What is ready beyond
// that stays here, where it may grow into larger tasks and go to the worker that needs it: a worker that is about to
// run dry gets windows of the partitions nearest to its own.
//
// Without locality the assignment is trivial: all partitions belong to the first free worker, with the slots of all
// workers.
func (c *Coordinator) dispatch(ctx context.Context) error {
	defer c.startRecomputing()
	c.heldBack = false
	if c.plan.NothingReady() {
		return c.idle()
	}
	d := c.newAssigner()
	for _, from := range []func(*workerSlot, *batch, float64){d.own, d.foreign} {
		for i := 0; i < len(d.slots) && !c.plan.NothingReady(); i++ {
			for d.assign(&d.slots[i], from) {
			}
		}
	}
	switch {
	case len(d.tasks) > 0:
		return c.submit(ctx, d.tasks)
	case len(d.slots) == 0 && c.plan.AnyReady():
		return nil // somebody will join
	}
	return c.idle()
}

// assigner assigns ready windows, during one dispatch.
type assigner struct {
	c           *Coordinator
	slots       []workerSlot
	concurrency int
	tasks       []protocol.Task
	// Predicted work: of a full task, of the least that is worth a task of its own, and of all that is ready or under
	// way, per slot.
	fullTask, minTaskWork, fair float64
}

// workerSlot is a worker that can be given tasks, or, without a name, all of them.
type workerSlot struct {
	name        string
	concurrency int
	partitions  plan.PartitionRange
}

// batch is a task being put together.
type batch struct {
	windows []protocol.TaskWindow
	work    float64
}

func (c *Coordinator) newAssigner() *assigner {
	d := &assigner{c: c, slots: c.workerSlots(), fullTask: float64(c.o.TaskTime.Nanoseconds()) / max(c.nsPerWrk, 1e-3)}
	d.minTaskWork = d.fullTask * smallTask
	work := c.plan.ReadyWork
	for i := range d.slots {
		d.concurrency += d.slots[i].concurrency
		work += c.inflight.directed[d.slots[i].name].work
	}
	partitions, before := c.plan.Partitions(), 0
	for i := range d.slots {
		h := &d.slots[i]
		h.partitions.From = before * partitions / d.concurrency
		before += h.concurrency
		// Of more slots than partitions, several share one.
		h.partitions.To = max(before*partitions/d.concurrency, h.partitions.From+1)
	}
	d.fair = work / float64(max(1, d.concurrency))
	return d
}

// workerSlots lists those who are given tasks.
func (c *Coordinator) workerSlots() (slots []workerSlot) {
	anyone := workerSlot{}
	for _, name := range c.members.onTrial(c.inflight.directed) {
		h := workerSlot{name: name, concurrency: max(1, c.members.byName[name].concurrency)}
		anyone.concurrency += h.concurrency
		slots = append(slots, h)
	}
	if len(slots) > 0 && !c.members.o.Locality {
		return []workerSlot{anyone}
	}
	return slots
}

// full reports whether as many tasks are under way as may be.
func (d *assigner) full() bool { return len(d.c.inflight.tasks) >= aheadBase+aheadSlot*d.concurrency }

// assign hands a worker one task with windows that from finds, if it can use one. It reports whether it did.
func (d *assigner) assign(h *workerSlot, from func(h *workerSlot, p *batch, target float64)) bool {
	has, slots := d.c.inflight.directed[h.name], float64(h.concurrency)
	fair := d.fair * slots
	most := min(aheadFull*d.fullTask*slots, fair)
	idle := has.tasks < h.concurrency
	if d.full() || !idle && (has.work >= fair || has.work >= most && has.tasks >= 2*h.concurrency) {
		return false
	}
	target := max(d.minTaskWork, min(d.fullTask, most/(2*slots)))
	var p batch
	from(h, &p, target)
	long := p.work*d.c.nsPerWrk >= float64(longTask)
	switch {
	case len(p.windows) == 0:
		return false
	case idle:
	case long && h.name != "", p.work < d.minTaskWork, p.work < target && has.work >= most/2:
		d.putBack(&p)
		return false
	}
	d.send(&p, h.name)
	return true
}

// own takes windows of a worker's own partitions.
func (d *assigner) own(h *workerSlot, p *batch, target float64) { d.take(h.partitions, p, target) }

// foreign takes windows of the partitions nearest to those of a worker that is about to run dry. Small tasks are left
// to their owner, who has them at home, and so are long windows, as mayTake says.
func (d *assigner) foreign(h *workerSlot, p *batch, target float64) {
	if len(d.slots) < 2 || d.c.plan.NothingReady() ||
		2*d.c.inflight.directed[h.name].work >= min(aheadFull*d.fullTask, d.fair)*float64(h.concurrency) {
		return
	}
	partitions := d.c.plan.Partitions()
	for i := 1; i < partitions && p.work < target && !d.c.plan.NothingReady(); i++ {
		if at := h.partitions.From - i; at >= 0 && d.mayTake(at) {
			d.take(plan.PartitionRange{From: at, To: at + 1}, p, target)
		}
		if at := h.partitions.To - 1 + i; at < partitions && d.mayTake(at) {
			d.take(plan.PartitionRange{From: at, To: at + 1}, p, target)
		}
	}
	if p.work < d.minTaskWork {
		d.putBack(p)
		*p = batch{}
	}
}

// mayTake reports whether a worker that runs dry may take what is ready in a partition of others. Long windows read so
// much that to fetch it takes longer than to wait for the slots of their owner, who has most of it at home: of those it
// takes what the owner will not begin soon, or does not seem to begin at all.
func (d *assigner) mayTake(partition int) bool {
	work := d.c.plan.FirstWork(partition)
	if work*d.c.nsPerWrk < float64(heavyWindow) {
		return true
	}
	i := slices.IndexFunc(d.slots, func(h workerSlot) bool {
		return h.partitions.From <= partition && partition < h.partitions.To
	})
	if i < 0 {
		return true
	}
	h := &d.slots[i]
	m := d.c.members.byName[h.name]
	if m == nil || m.lastReport.IsZero() {
		return true
	}
	// What it has to do takes the owner so long at its own pace, and would take as many equal windows at everybody's.
	has := d.c.inflight.directed[h.name].work + d.c.plan.ReadyIn(h.partitions)
	took, soon := has*m.rate.ns(d.c.nsPerWrk)/float64(h.concurrency), soonWindows*work*d.c.nsPerWrk
	silent := d.c.o.Now().Sub(m.lastReport)
	if took > soon || float64(silent) > silentFactor*soon {
		return true
	}
	d.c.heldBack = true
	return false
}

// take adds ready windows of some partitions to a batch until it reaches target.
func (d *assigner) take(in plan.PartitionRange, p *batch, target float64) {
	for p.work < target && len(p.windows) < protocol.MaxTaskWindows {
		ws, work := d.c.plan.Next(in, 0, 1)
		if len(ws) == 0 {
			return
		}
		if d.sendRestricted(&ws[0], work) {
			continue
		}
		p.windows = append(p.windows, ws[0])
		p.work += work
	}
}

func (d *assigner) send(p *batch, to string) {
	d.tasks = append(d.tasks, d.c.track(p.windows, p.work, to))
}

// putBack makes the windows of a batch ready again.
func (d *assigner) putBack(p *batch) {
	for i := len(p.windows) - 1; i >= 0; i-- { // todo is taken from its end
		d.c.plan.Requeue(d.c.plan.Index[p.windows[i].Cell], p.windows[i].Part)
	}
}

// sendRestricted assigns a window that not everybody may compute. It reports whether it is one.
func (d *assigner) sendRestricted(tw *protocol.TaskWindow, work float64) bool {
	c := d.c
	cell, w, err := c.plan.Window(tw.ID())
	t := c.failures[tw.ID()]
	if err != nil || !w.Audit && t == nil && !c.recompute.mustRecompute(tw.ID()) {
		return false
	}
	if c.keepForSelf(w, tw.ID()) {
		return true
	}
	d.send(&batch{[]protocol.TaskWindow{*tw}, work}, c.restricted(cell, w, t))
	return true
}

// restricted chooses for a window that not everybody may compute: somebody else than those who failed or who have
// computed it already, if there is somebody. Of those who are left when there is nobody else, those come last from whom
// its rows could not be had.
func (c *Coordinator) restricted(cell *plan.Cell, w *plan.Window, t *failureHistory) string {
	if t == nil {
		t = new(failureHistory)
	}
	// Of whom the window itself cannot be had it is no use to say that they can read its parents.
	if m := c.members.byName[t.preferred]; m.working() && !slices.Contains(t.all(), t.preferred) {
		return t.preferred
	}
	var by []string
	if w.Audit {
		by = c.plan.ReporterNames(w)
	}
	if len(t.all())+len(by) == 0 {
		return ""
	}
	for _, not := range [][]string{t.all(), append(slices.Clone(t.excluded), t.withheld...), t.withheld} {
		not = append(slices.Clone(not), by...)
		if near := c.nearest(cell, not); len(near) > 0 {
			return near[0]
		}
		// Nobody has anything of its parents: the worker that has least to do.
		if names := c.candidates(not); len(names) > 0 {
			return slices.MinFunc(names, func(a, b string) int {
				return cmp.Compare(c.inflight.directed[a].tasks, c.inflight.directed[b].tasks)
			})
		}
	}
	return ""
}

// candidates names the workers that can be given a window, other than those in not: those that have reported one
// before, if there are any.
func (c *Coordinator) candidates(not []string) []string {
	names := slices.DeleteFunc(c.members.names(), func(n string) bool { return slices.Contains(not, n) })
	unproven := func(n string) bool { return !c.members.byName[n].proven }
	if proven := slices.DeleteFunc(slices.Clone(names), unproven); len(proven) > 0 {
		return proven
	}
	return names
}

// nearest names the workers, other than those in not, that hold enough of the parents of a cell to matter, the one with
// most first.
func (c *Coordinator) nearest(cell *plan.Cell, not []string) (near []string) {
	bytes := make(map[plan.ReplicaSet]uint64)
	for _, parent := range cell.ParentCells {
		for i := range parent.Parts {
			w := &parent.Parts[i]
			bytes[w.Replicas] += w.Bytes
		}
	}
	of := make(map[string]uint64)
	for s, n := range bytes {
		for _, name := range c.plan.ReplicaSets.Names(s) {
			of[name] += n
		}
	}
	names := c.candidates(not)
	for name, n := range of {
		if n >= littleBytes && slices.Contains(names, name) {
			near = append(near, name)
		}
	}
	slices.SortFunc(near, func(a, b string) int { return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(a, b)) })
	return near
}
