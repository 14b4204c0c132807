package simulate

import "container/list"

// fetched is the windows of others that a worker keeps, by their numbers. Beyond a limit it forgets those that were not
// used for longest.
type fetched struct {
	limit, bytes float64 // limit 0: none
	entries      map[int]*list.Element
	recent       *list.List // of keptWindow, the last used first
}

type keptWindow struct {
	number int
	bytes  float64
}

func newFetched(limit uint64) fetched {
	return fetched{limit: float64(limit), entries: make(map[int]*list.Element), recent: list.New()}
}

// use reports whether window n is kept; it is then the last that is forgotten.
func (f *fetched) use(n int) bool {
	e := f.entries[n]
	if e == nil {
		return false
	}
	f.recent.MoveToFront(e)
	return true
}

// add keeps window n, and forgets others for it. One that is larger than all of the limit is kept until the next is
// added.
func (f *fetched) add(n int, bytes float64) {
	if f.use(n) {
		return
	}
	f.entries[n] = f.recent.PushFront(keptWindow{n, bytes})
	f.bytes += bytes
	for f.limit > 0 && f.bytes > f.limit && f.recent.Len() > 1 {
		f.remove(f.recent.Back().Value.(keptWindow).number)
	}
}

// remove forgets window n.
func (f *fetched) remove(n int) {
	if e := f.entries[n]; e != nil {
		f.bytes -= f.recent.Remove(e).(keptWindow).bytes
		delete(f.entries, n)
	}
}

// keep keeps a window that this worker has fetched, or computed for an audit.
func (w *worker) keep(n int, bytes float64) {
	r := w.r
	w.fetched.add(n, bytes)
	r.fetchers[n] = append(r.fetchers[n], w.index)
	r.out.PeakFetched = max(r.out.PeakFetched, w.fetched.bytes)
}

// room is the memory for the windows that a worker computes at a time. They get in in the order in which they came.
type room struct {
	free    uint64
	waiting []guest
}

type guest struct {
	bytes uint64
	enter func()
}

// enter calls in when there are so many bytes.
func (m *room) enter(bytes uint64, in func()) {
	if len(m.waiting) == 0 && bytes <= m.free {
		m.free -= bytes
		in()
		return
	}
	m.waiting = append(m.waiting, guest{bytes, in})
}

// leave gives back what a window held.
func (m *room) leave(bytes uint64) {
	m.free += bytes
	for len(m.waiting) > 0 && m.waiting[0].bytes <= m.free {
		g := m.waiting[0]
		m.waiting = m.waiting[1:]
		m.free -= g.bytes
		g.enter()
	}
}
