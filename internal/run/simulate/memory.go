package simulate

import (
	"container/list"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan"
)

// kept is the windows of other workers that a worker keeps, by their numbers. Beyond a limit it forgets the least
// recently used.
type kept struct {
	limit, bytes float64 // limit 0: none
	entries      map[int]*list.Element
	recent       *list.List // of keptWindow, the last used first
}

type keptWindow struct {
	number int
	bytes  float64
}

func newKept(limit uint64) kept {
	return kept{limit: float64(limit), entries: make(map[int]*list.Element), recent: list.New()}
}

// has reports whether window n is kept.
func (k *kept) has(n int) bool { return k.entries[n] != nil }

// use reports whether window n is kept; it is then the last that is forgotten.
func (k *kept) use(n int) bool {
	e := k.entries[n]
	if e == nil {
		return false
	}
	k.recent.MoveToFront(e)
	return true
}

// add keeps window n, and returns those that it forgets for it. A window that is larger than all of the limit is kept
// until the next is added.
func (k *kept) add(n int, bytes float64) (forgotten []keptWindow) {
	if k.use(n) {
		return nil
	}
	k.entries[n] = k.recent.PushFront(keptWindow{n, bytes})
	k.bytes += bytes
	for k.limit > 0 && k.bytes > k.limit && k.recent.Len() > 1 {
		last := k.recent.Back().Value.(keptWindow)
		k.remove(last.number)
		forgotten = append(forgotten, last)
	}
	return forgotten
}

// remove forgets window n.
func (k *kept) remove(n int) {
	if e := k.entries[n]; e != nil {
		k.bytes -= k.recent.Remove(e).(keptWindow).bytes
		delete(k.entries, n)
	}
}

// keep keeps a window that this worker has fetched, or computed for an audit. Windows without room in memory go to the
// disk.
func (w *worker) keep(n int, bytes float64) {
	r := w.r
	for _, f := range w.fetched.add(n, bytes) {
		if r.fleet.FetchedDisk > 0 && !w.shelf.has(f.number) {
			w.shelf.add(f.number, f.bytes)
			w.useDisk(f.bytes)
		}
	}
	r.fetchers[n] = append(r.fetchers[n], w.index)
	r.out.PeakFetched = max(r.out.PeakFetched, w.fetched.bytes)
	r.out.PeakShelf = max(r.out.PeakShelf, w.shelf.bytes)
}

// useDisk keeps the disk busy with so many bytes.
func (w *worker) useDisk(bytes float64) {
	if w.r.fleet.Disk > 0 {
		w.disk = max(w.r.now, w.disk) + bytes/w.r.fleet.Disk
	}
}

// read reads parents of a window from the disk: those that this worker has computed, and fetched ones for which memory
// had no room.
func (w *worker) read(win puzzle.Window, then func()) {
	r, bytes := w.r, 0.0
	if r.fleet.Disk == 0 {
		then()
		return
	}
	r.plan.EachRead(r.cell(win), win.Part, func(parent *plan.Cell, k int) {
		if n := parent.Base + k; r.heldBy[n] == w.index || !w.fetched.has(n) && w.shelf.has(n) {
			bytes += float64(parent.Parts[k].Bytes)
		}
	})
	r.out.ReadBytes += bytes
	w.useDisk(bytes)
	r.at(w.disk, then)
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

// leave gives back the bytes of a window.
func (m *room) leave(bytes uint64) {
	m.free += bytes
	for len(m.waiting) > 0 && m.waiting[0].bytes <= m.free {
		g := m.waiting[0]
		m.waiting = m.waiting[1:]
		m.free -= g.bytes
		g.enter()
	}
}
