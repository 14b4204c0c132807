package simulate

import (
	"fmt"

	"pagoda/internal/plan"
	"pagoda/internal/protocol"
	"pagoda/internal/puzzle"
)

const (
	incarnation = "first"
	// What a worker does ahead of time is that of compute's slots.
	shortTask     = 0.1      // seconds
	fetchers      = 4        // windows fetched at a time for one task
	prefetchBytes = 1 << 20  // of the largest window that is fetched ahead
	declaredBytes = 16 << 20 // the same, of those that the puzzle says are read
	committers    = 2        // groups that are committed or reported at a time
	groupWindows  = 256      // windows of a report
)

// task is a task in a worker's hands.
type task struct {
	protocol.Task
	ready bool   // what was fetched ahead is there
	begin func() // who waits for that
}

// worker is a worker process: slots, the tasks that were sent to it, what it has computed and not reported.
type worker struct {
	r        *run
	index    int32
	name     string
	tasks    []*task
	slots    []*slot // without a task
	computed []*task
	busy     int     // committers
	in, out  float64 // when its network card is free
	fetched  windowSet
	arriving map[int][]func() // who waits for a window that is on its way, by its number
	// Bytes on its disk and bytes of others' windows, now.
	heldBytes, fetchedBytes float64
}

// slot computes one task after the other.
type slot struct {
	w    *worker
	took float64 // seconds that it was at work on the last task
	next *task   // taken ahead of time
}

func newWorker(r *run, i int) *worker {
	w := &worker{r: r, index: int32(i), name: fmt.Sprintf("w%05d", i), arriving: make(map[int][]func())}
	for range r.fleet.Concurrency {
		w.slots = append(w.slots, &slot{w: w, took: shortTask})
	}
	return w
}

// take takes the next task that is for this worker, nil when there is none, and fetches ahead what it reads.
func (w *worker) take() *task {
	from := &w.tasks
	if len(*from) == 0 {
		from = &w.r.common
	}
	if len(*from) == 0 {
		return nil
	}
	t := (*from)[0]
	(*from)[0] = nil
	*from = (*from)[1:]
	var ahead []int
	for i := range t.Windows {
		ahead = w.missing(ahead, t.Windows[i].Window, true)
	}
	w.fetch(ahead, fetchers, func() {
		t.ready = true
		if t.begin != nil {
			t.begin()
		}
	})
	return t
}

// wake gives free slots tasks.
func (w *worker) wake() {
	for len(w.slots) > 0 {
		t := w.take()
		if t == nil {
			return
		}
		s := w.slots[len(w.slots)-1]
		w.slots = w.slots[:len(w.slots)-1]
		s.begin(t)
	}
}

// begin computes a task, as soon as what was fetched ahead is there. When the task before was a short one, the next is
// taken at the same time.
func (s *slot) begin(t *task) {
	r := s.w.r
	if !t.ready {
		since := r.now
		t.begin = func() {
			r.out.Fetching += r.now - since
			s.begin(t)
		}
		return
	}
	if s.took < shortTask {
		s.next = s.w.take()
	}
	s.window(t, 0, r.now)
}

// window computes window i of a task that was begun at some time, and those after it.
func (s *slot) window(t *task, i int, begun float64) {
	w, r := s.w, s.w.r
	if i == len(t.Windows) {
		s.end(t, begun)
		return
	}
	c, asked := r.cell(t.Windows[i].Window), r.now
	w.fetch(w.missing(nil, t.Windows[i].Window, false), 1, func() {
		r.out.Fetching += r.now - asked
		took := r.cost(c.CellPlan, t.Windows[i].Window)
		if t.Windows[i].Audit {
			r.out.Auditing += took
			r.out.Audited++
		}
		r.at(r.now+took, func() { s.window(t, i+1, begun) })
	})
}

// end hands a computed task over and begins the next.
func (s *slot) end(t *task, begun float64) {
	w := s.w
	s.took = w.r.now - begun
	w.computed = append(w.computed, t)
	w.commit()
	next := s.next
	s.next = nil
	if next == nil {
		next = w.take()
	}
	if next == nil {
		w.slots = append(w.slots, s)
		return
	}
	s.begin(next)
}

// cell returns the cell of a window of a task.
func (r *run) cell(w puzzle.Window) *plan.Cell {
	c, _, err := r.plan.Window(w.ID())
	if err != nil {
		panic(err) // the coordinator has made the task up
	}
	return c
}

// commit commits what is computed, and reports it, some groups at a time.
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

// done is what a worker says of a window that it has committed.
func (w *worker) done(tw *protocol.TaskWindow) protocol.Done {
	r, win := w.r, tw.Window
	c := r.cell(win)
	bytes, n := r.bytes(c.CellPlan, win), c.Base+win.Part
	if tw.Audit { // others go on to read it where it was, and this worker need not fetch it
		w.fetched.add(n, len(r.heldBy))
	} else {
		r.heldBy[n] = w.index
		w.heldBytes += bytes
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
