package forecast

import "container/heap"

// Simulate carries the plan out on the fleet, without computing anything. Time is O(windows * log(workers + cells)),
// and memory O(cells * workers) bits at most for what workers have fetched.
func Simulate(p Plan, f Fleet) (Forecast, error) {
	windows, err := p.check(f)
	if err != nil {
		return Forecast{}, err
	}
	s := newSimulation(p, f)
	for s.assign(); s.running.Len() > 0; s.assign() {
		s.now = s.running[0].time
		for s.running.Len() > 0 && s.running[0].time == s.now {
			s.finish(heap.Pop(&s.running).(event))
		}
	}
	out := Forecast{Seconds: s.now, Transferred: s.transferred, Windows: windows}
	out.Work, out.CriticalPath = p.totals(f)
	if s.now > 0 {
		out.Efficiency = out.Work / (float64(f.Workers) * s.now)
	}
	return out, nil
}

type simulation struct {
	plan  Plan
	fleet Fleet

	now         float64
	coordinator float64 // when it is free to hand out the next window
	transferred float64

	idle    []int // workers, who waits longest first
	running events
	ready   cells
	state   []cellState
}

type cellState struct {
	waiting  int // parents that are not done
	next     int // window to hand out
	left     int // windows that are not done
	readers  int // windows of children that are not handed out: then nobody asks who has what
	bytes    float64
	children []int
	computed map[int]float64 // bytes by worker
	fetched  workers
}

func newSimulation(p Plan, f Fleet) *simulation {
	s := &simulation{plan: p, fleet: f, state: make([]cellState, len(p))}
	for w := range f.Workers {
		s.idle = append(s.idle, w)
	}
	for i := range p {
		c := &s.state[i]
		c.left = len(p[i].Windows)
		c.waiting = len(p[i].Parents)
		for _, w := range p[i].Windows {
			c.bytes += w.Bytes
		}
		for _, q := range p[i].Parents {
			s.state[q].children = append(s.state[q].children, i)
			s.state[q].readers += len(p[i].Windows)
		}
		if c.waiting == 0 {
			s.ready = append(s.ready, i) // ascending, so a heap
		}
	}
	return s
}

// assign hands ready windows to idle workers.
func (s *simulation) assign() {
	for len(s.idle) > 0 && len(s.ready) > 0 {
		worker := s.idle[0]
		s.idle = s.idle[1:]
		i := s.ready[0]
		c := &s.state[i]
		w := s.plan[i].Windows[c.next]
		s.coordinator = max(s.coordinator, s.now) + s.fleet.Serial
		t := s.coordinator + s.fleet.Overhead + s.fetch(i, worker) + w.Seconds
		heap.Push(&s.running, event{t, worker, i, c.next})
		if c.next++; c.next == len(s.plan[i].Windows) {
			heap.Pop(&s.ready)
		}
	}
}

// fetch returns the seconds it takes worker to get what it does not have of the parents of cell i.
func (s *simulation) fetch(i, worker int) float64 {
	missing := 0.0
	for _, q := range s.plan[i].Parents {
		c := &s.state[q]
		if !c.fetched.has(worker) {
			missing += c.bytes - c.computed[worker]
			c.fetched.add(worker, s.fleet.Workers)
		}
		if c.readers--; c.readers == 0 {
			c.computed, c.fetched = nil, nil
		}
	}
	s.transferred += missing
	if s.fleet.Bandwidth == 0 {
		return 0
	}
	return missing / s.fleet.Bandwidth
}

// finish ends a window.
func (s *simulation) finish(e event) {
	s.idle = append(s.idle, e.worker)
	c := &s.state[e.cell]
	if c.readers > 0 {
		if c.computed == nil {
			c.computed = map[int]float64{}
		}
		c.computed[e.worker] += s.plan[e.cell].Windows[e.window].Bytes
	}
	if c.left--; c.left > 0 {
		return
	}
	for _, child := range c.children {
		if s.state[child].waiting--; s.state[child].waiting == 0 {
			heap.Push(&s.ready, child)
		}
	}
}

// workers is a set of workers; nil is empty.
type workers []uint64

func (w workers) has(i int) bool { return w != nil && w[i/64]>>(i%64)&1 != 0 }

func (w *workers) add(i, of int) {
	if *w == nil {
		*w = make(workers, (of+63)/64)
	}
	(*w)[i/64] |= 1 << (i % 64)
}

// An event is the end of a window.
type event struct {
	time                 float64
	worker, cell, window int
}

// events are ordered by time, and at the same time by place in the plan.
type events []event

func (h events) Len() int      { return len(h) }
func (h events) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h events) Less(i, j int) bool {
	a, b := &h[i], &h[j]
	switch {
	case a.time != b.time:
		return a.time < b.time
	case a.cell != b.cell:
		return a.cell < b.cell
	}
	return a.window < b.window
}
func (h *events) Push(x any) { *h = append(*h, x.(event)) }
func (h *events) Pop() any {
	old := *h
	e := old[len(old)-1]
	*h = old[:len(old)-1]
	return e
}

// cells are ordered by place in the plan.
type cells []int

func (h cells) Len() int           { return len(h) }
func (h cells) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h cells) Less(i, j int) bool { return h[i] < h[j] }
func (h *cells) Push(x any)        { *h = append(*h, x.(int)) }
func (h *cells) Pop() any {
	old := *h
	c := old[len(old)-1]
	*h = old[:len(old)-1]
	return c
}
