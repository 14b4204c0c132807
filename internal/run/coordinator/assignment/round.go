package assignment

import (
	"math"
	"slices"
	"time"

	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
)

const (
	// Up to aheadBase + aheadSlot*slots tasks are under way: computed, waiting, and, the greater part where disks are
	// slow, being committed and reported.
	aheadBase, aheadSlot = 16, 8
	// aheadFull is the predicted work that a worker may have under way for each slot, in full tasks: enough that no slot
	// waits while its result is committed, reported, and answered with the next task.
	aheadFull = 2
	// smallTask is the share of a full task below which dividing work between slots costs more than it gains.
	smallTask = 1. / 16
	// longTask is the predicted time of a long task: it does not wait at a worker, the first free worker takes it.
	longTask = 500 * time.Millisecond
	// heavyWindow is the predicted time from which a window counts as reading much. Others leave it to its owner while
	// each slot of the owner has no more than soonWindows of them before it.
	heavyWindow = 20 * time.Millisecond
	soonWindows = 8
	// silentFactor is how many times as long an owner may report nothing: it may be fetching the parents of its windows.
	silentFactor = 4
	// shortLag is a lag that delays no run.
	shortLag = 100 * time.Millisecond
)

// A Worker can be given tasks, or, without a name, all workers can.
type Worker struct {
	Name        string
	Concurrency int
	// Rate is its rate of work, nil as long as it has reported nothing; Silent is how long ago it last did.
	Rate   *Rate
	Silent time.Duration
	// Lag is how long its results wait for its disk.
	Lag time.Duration
}

// A Round assigns the ready windows, once.
//
// A task costs a fraction of a millisecond wherever it passes, and some milliseconds until its windows are synced
// twice. So small windows travel together, up to TaskTime of predicted work. But work that waits to grow into a full
// task while the tasks before it are on their way to the disk leaves slots idle, which costs more. Therefore ready
// windows are shared out at once, down to small tasks; those wait only while there is a task for every slot.
//
// Every worker has partitions of its own, see plan.PartitionRange. It is given their ready windows while it has less in
// flight than keeps its slots busy, and less than its share of all known work. Ready windows beyond that stay in the
// plan, where they may grow into larger tasks and go to the worker that needs them: a worker that is about to run dry
// gets windows of the partitions nearest to its own.
//
// The results of a worker with a slow disk come late, and the windows that read them wait. Such a worker is given
// nothing while the others would have done all known work sooner.
//
// Without locality the assignment is trivial: all partitions belong to the first free worker, with the slots of all
// workers.
type Round struct {
	Plan     *plan.Plan
	Account  *Account
	Rate     *Rate
	TaskTime time.Duration // the computing time that a task should take
	Workers  []Worker      // in the order in which they are given tasks
	Beside   int           // slots of workers that had their turn in an earlier round
	// Send makes a task of windows and tracks it in the account: for one worker or, without a name, for any worker. work
	// is predicted.
	Send func(ws []protocol.TaskWindow, work float64, to string)
	// Divert takes a window that not every worker may compute, and reports whether it has.
	Divert func(w *protocol.TaskWindow, work float64) bool
	// HeldBack says afterwards that windows were left to their owners, or a worker was left out for its disk. The others
	// may fall silent a moment later.
	HeldBack bool

	slots       []slot
	concurrency int
	// Predicted work: of a full task, of the least that is worth a task of its own, and of all that is ready or under
	// way, per slot.
	fullTask, minTaskWork, fair float64
}

// slot is a worker with the partitions that are its own.
type slot struct {
	Worker
	partitions plan.PartitionRange
}

// batch is a task being put together.
type batch struct {
	windows []protocol.TaskWindow
	work    float64
}

// Assign assigns the ready windows, as far as the workers can use them.
func (d *Round) Assign() {
	d.leaveOut()
	d.divide()
	for _, from := range []func(*slot, *batch, float64){d.own, d.foreign} {
		for i := 0; i < len(d.slots) && !d.Plan.NothingReady(); i++ {
			for d.assign(&d.slots[i], from) {
			}
		}
	}
}

// divide divides the partitions, and sees how much work there is.
func (d *Round) divide() {
	d.fullTask = float64(d.TaskTime.Nanoseconds()) / max(d.Rate.NsPerWork, 1e-3)
	d.minTaskWork = d.fullTask * smallTask
	for _, w := range d.Workers {
		d.concurrency += w.Concurrency
	}
	partitions, before := d.Plan.Partitions(), 0
	for _, w := range d.Workers {
		from := before * partitions / d.concurrency
		before += w.Concurrency
		// Of more slots than partitions, several share one.
		to := max(before*partitions/d.concurrency, from+1)
		d.slots = append(d.slots, slot{w, plan.PartitionRange{From: from, To: to}})
	}
	d.fair = d.known() / float64(max(1, d.concurrency))
}

// known is the work that is ready, or under way to the workers.
func (d *Round) known() float64 {
	work := d.Plan.ReadyWork
	for _, w := range d.Workers {
		work += d.Account.Load(w.Name).Work
	}
	return work
}

// leaveOut leaves out the workers whose disks take more than half of the time that the workers with the fastest disks
// would take for all known work: a result may have to wait for the sync of the one before it.
func (d *Round) leaveOut() {
	least, slots := time.Duration(math.MaxInt64), 0
	for i := range d.Workers {
		least = min(least, d.lag(&d.Workers[i]))
	}
	for i := range d.Workers {
		if w := &d.Workers[i]; d.lag(w) <= 2*least+shortLag {
			slots += w.Concurrency
		}
	}
	took := min(d.known()/float64(slots)*d.Rate.NsPerWork, float64(time.Hour))
	all := len(d.Workers)
	d.Workers = slices.DeleteFunc(slices.Clone(d.Workers), func(w Worker) bool {
		return w.Lag > least+(shortLag+time.Duration(took))/2
	})
	d.HeldBack = len(d.Workers) < all
}

// lag is a worker's, or more while it has tasks and reports nothing.
func (d *Round) lag(w *Worker) time.Duration {
	if d.Account.Load(w.Name).Tasks == 0 {
		return w.Lag
	}
	return max(w.Lag, w.Silent/silentFactor)
}

// full reports whether as many tasks are under way as may be.
func (d *Round) full() bool { return d.Account.Tasks() >= aheadBase+aheadSlot*(d.concurrency+d.Beside) }

// assign hands a worker one task with windows that from finds, if it can use one. It reports whether it did.
func (d *Round) assign(h *slot, from func(h *slot, p *batch, target float64)) bool {
	has, slots := d.Account.Load(h.Name), float64(h.Concurrency)
	fair := d.fair * slots
	most := min(aheadFull*d.fullTask*slots, fair)
	idle := has.Tasks < h.Concurrency
	if d.full() || !idle && (has.Work >= fair || has.Work >= most && has.Tasks >= 2*h.Concurrency) {
		return false
	}
	target := max(d.minTaskWork, min(d.fullTask, most/(2*slots)))
	var p batch
	from(h, &p, target)
	long := p.work*d.Rate.NsPerWork >= float64(longTask)
	switch {
	case len(p.windows) == 0:
		return false
	case idle:
	case long && h.Name != "", p.work < d.minTaskWork, p.work < target && has.Work >= most/2:
		d.putBack(&p)
		return false
	}
	d.Send(p.windows, p.work, h.Name)
	return true
}

// own takes windows of a worker's own partitions.
func (d *Round) own(h *slot, p *batch, target float64) { d.take(h.partitions, p, target) }

// foreign takes windows of the partitions nearest to those of a worker that is about to run dry. Small tasks are left
// to their owner, which has their parents at home, and long windows too, as mayTake says.
func (d *Round) foreign(h *slot, p *batch, target float64) {
	if len(d.slots) < 2 || d.Plan.NothingReady() ||
		2*d.Account.Load(h.Name).Work >= min(aheadFull*d.fullTask, d.fair)*float64(h.Concurrency) {
		return
	}
	partitions := d.Plan.Partitions()
	for i := 1; i < partitions && p.work < target && !d.Plan.NothingReady(); i++ {
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

// mayTake reports whether a worker that runs dry may take the ready windows of a partition of others. To fetch the
// parents of a long window takes longer than to wait for the slots of its owner, which has most of them at home. So it
// takes a long window only if the owner will not begin it soon, or does not seem to begin it at all.
func (d *Round) mayTake(partition int) bool {
	work := d.Plan.FirstWork(partition)
	if work*d.Rate.NsPerWork < float64(heavyWindow) {
		return true
	}
	i := slices.IndexFunc(d.slots, func(h slot) bool {
		return h.partitions.From <= partition && partition < h.partitions.To
	})
	if i < 0 || d.slots[i].Rate == nil {
		return true
	}
	// took is the time of all the owner's work at its own pace, soon that of soonWindows such windows at the common pace.
	h := &d.slots[i]
	has := d.Account.Load(h.Name).Work + d.Plan.ReadyIn(h.partitions)
	took, soon := has*h.Rate.ns(d.Rate)/float64(h.Concurrency), soonWindows*work*d.Rate.NsPerWork
	if took > soon || float64(h.Silent) > silentFactor*soon {
		return true
	}
	d.HeldBack = true
	return false
}

// take adds ready windows of some partitions to a batch until it reaches target.
func (d *Round) take(in plan.PartitionRange, p *batch, target float64) {
	for p.work < target && len(p.windows) < protocol.MaxTaskWindows {
		ws, work := d.Plan.Next(in, 0, 1)
		if len(ws) == 0 {
			return
		}
		if d.Divert(&ws[0], work) {
			continue
		}
		p.windows = append(p.windows, ws[0])
		p.work += work
	}
}

// putBack makes the windows of a batch ready again.
func (d *Round) putBack(p *batch) {
	for i := len(p.windows) - 1; i >= 0; i-- { // todo is taken from its end
		d.Plan.Requeue(d.Plan.Index[p.windows[i].Cell], p.windows[i].Part)
	}
}
