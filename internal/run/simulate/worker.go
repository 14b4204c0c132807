package simulate

import (
	"fmt"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
)

const (
	incarnation = "first"
	// These limits are those of compute's slots and committers.
	shortTask     = 1.0      // seconds
	fetchers      = 16       // windows fetched at a time for one task
	prefetchBytes = 1 << 20  // the largest window fetched ahead
	declaredBytes = 16 << 20 // the same: for windows that the puzzle declares as read
	committers    = 2        // groups that are committed or reported at a time
	groupWindows  = 256      // windows of a report
)

// task is a task in a worker's hands.
type task struct {
	protocol.Task
	taken float64 // when a worker took it
}

// worker is a worker process: its slots, the tasks sent to it, and its unreported results.
type worker struct {
	r        *run
	index    int32
	name     string
	tasks    []*task
	turns    int     // tasks that it may take
	ready    []*task // taken, their parents fetched ahead
	slots    []*slot // without a task
	computed []*task
	busy     int     // committers
	in, out  float64 // when its network card is free
	disk     float64 // when its disk is free
	fetched  kept    // in memory
	shelf    kept    // on disk
	room     room
	arriving map[int][]func() // by window number: the waiters for a window on its way
	// heldBytes is the bytes of its own windows on disk, now.
	heldBytes float64
}

// slot computes one task after the other.
type slot struct {
	w     *worker
	took  float64 // seconds that it was at work on the last task
	since float64 // when it ran out of tasks
}

func newWorker(r *run, i int) *worker {
	w := &worker{
		r: r, index: int32(i), name: fmt.Sprintf("w%05d", i), arriving: make(map[int][]func()),
		fetched: newKept(r.fleet.FetchedBytes), shelf: newKept(r.fleet.FetchedDisk), room: room{free: r.fleet.Budget.Total()},
	}
	w.turns = r.fleet.Concurrency
	for range r.fleet.Concurrency {
		w.slots = append(w.slots, &slot{w: w, took: shortTask})
	}
	return w
}

// wake takes the tasks that this worker may take, and fetches their reads ahead.
func (w *worker) wake() {
	for w.turns > 0 {
		from := &w.tasks
		if len(*from) == 0 {
			from = &w.r.common
		}
		if len(*from) == 0 {
			return
		}
		t := (*from)[0]
		(*from)[0] = nil
		*from = (*from)[1:]
		t.taken = w.r.now
		w.turns--
		var ahead []int
		for i := range t.Windows {
			ahead = w.missing(ahead, t.Windows[i].Window, true)
		}
		w.fetch(ahead, fetchers, func() {
			w.ready = append(w.ready, t)
			w.give()
		})
	}
}

// give gives free slots the tasks that are ready.
func (w *worker) give() {
	for len(w.slots) > 0 && len(w.ready) > 0 {
		s, t := w.slots[len(w.slots)-1], w.ready[0]
		w.slots, w.ready = w.slots[:len(w.slots)-1], w.ready[1:]
		s.begin(t)
	}
}

// begin computes a task. When the slot's task before was a short one, the next is taken at the same time.
func (s *slot) begin(t *task) {
	w := s.w
	w.r.out.Fetching += w.r.now - max(t.taken, s.since)
	early := s.took < shortTask
	s.window(t, 0, w.r.now, early)
	if early {
		w.turns++
		w.wake()
	}
}

// window computes window i of a task that was begun at some time, and those after it. early says that the next task may
// be taken already.
func (s *slot) window(t *task, i int, begun float64, early bool) {
	w, r := s.w, s.w.r
	if i == len(t.Windows) {
		s.end(t, begun, early)
		return
	}
	c, asked := r.cell(t.Windows[i].Window), r.now
	holds, _ := r.fleet.Budget.Of(t.Windows[i].ID())
	w.room.enter(holds, func() {
		r.out.Room += r.now - asked
		w.fetch(w.missing(nil, t.Windows[i].Window, false), 1, func() {
			r.out.Fetching += r.now - asked
			took := r.cost(c.CellPlan, t.Windows[i].Window)
			if t.Windows[i].Audit {
				r.out.Auditing += took
				r.out.Audited++
			}
			fetched := r.now
			w.read(t.Windows[i].Window, func() {
				r.out.Fetching += r.now - fetched
				r.at(r.now+took, func() {
					w.room.leave(holds)
					s.window(t, i+1, begun, early)
				})
			})
		})
	})
}

// end hands a computed task over.
func (s *slot) end(t *task, begun float64, early bool) {
	w := s.w
	s.took, s.since = w.r.now-begun, w.r.now
	w.computed = append(w.computed, t)
	w.commit()
	w.slots = append(w.slots, s)
	if !early {
		w.turns++
	}
	w.give()
	w.wake()
}

// cell returns the cell of a window of a task.
func (r *run) cell(w puzzle.Window) *plan.Cell {
	c, _, err := r.plan.Window(w.ID())
	if err != nil {
		panic(err) // the coordinator has made the task up
	}
	return c
}

// commit commits computed tasks and reports them, some groups at a time.
func (w *worker) commit() {
	if w.busy == committers || len(w.computed) == 0 {
		return
	}
	a := arrival{from: w, report: protocol.Report{Run: runID, Worker: w.name, Incarnation: incarnation, Epoch: 1}}
	for len(w.computed) > 0 && len(a.report.Done) < groupWindows {
		for i := range w.computed[0].Windows {
			a.report.Done = append(a.report.Done, w.done(&w.computed[0].Windows[i]))
		}
		a.tasks++
		w.computed = w.computed[1:]
	}
	w.busy++
	w.r.at(w.r.now+w.r.fleet.Commit.Seconds()+w.r.fleet.Latency.Seconds(), func() { w.r.arrive(a) })
}

// done returns a worker's report of one committed window.
func (w *worker) done(tw *protocol.TaskWindow) protocol.Done {
	r, win := w.r, tw.Window
	c := r.cell(win)
	bytes, n := r.bytes(c.CellPlan, win), c.Base+win.Part
	if tw.Audit { // others go on to read the first copy, and this worker need not fetch it
		w.keep(n, bytes)
	} else {
		r.heldBy[n] = w.index
		w.heldBytes += bytes
		w.useDisk(bytes)
		r.out.StoredBytes += bytes
		r.out.PeakHeld = max(r.out.PeakHeld, w.heldBytes)
	}
	return protocol.Done{
		Record: r.record(c.CellPlan, win), Nanos: int64(1e9 * r.cost(c.CellPlan, win)), Attempt: tw.Attempt, Audit: tw.Audit,
	}
}

// answered takes the answer to a report of so many tasks.
func (w *worker) answered(tasks int) {
	w.busy--
	w.r.pending -= tasks
	w.commit()
}
