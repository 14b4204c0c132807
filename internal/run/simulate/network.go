package simulate

import (
	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
)

// missing adds to list the windows that a window reads and this worker does not have yet: those on their way included,
// and ahead of time only those that compute's slots fetch ahead.
func (w *worker) missing(list []int, win puzzle.Window, ahead bool) []int {
	r := w.r
	var declared []int // ahead of time only if it is known that they are read
	known := r.plan.EachRead(r.cell(win), win.Part, func(parent *plan.Cell, k int) {
		part, n := &parent.Parts[k], parent.Base+k
		if part.Rows == 0 || r.heldBy[n] == w.index || w.fetched.use(n) || w.shelf.use(n) {
			return
		}
		r.size[n] = part.Bytes
		switch {
		case !ahead, len(parent.Parts) == 1 && part.Bytes <= prefetchBytes:
			list = append(list, n)
		case part.Bytes <= declaredBytes:
			declared = append(declared, n)
		}
	})
	if known { // else a window may need some of them only, and it is not known which
		list = append(list, declared...)
	}
	return list
}

// fetch fetches windows, some at a time, and calls then when all are there.
func (w *worker) fetch(list []int, atATime int, then func()) {
	if len(list) == 0 {
		then()
		return
	}
	left := len(list)
	var next func()
	next = func() {
		if len(list) == 0 {
			return
		}
		n := list[0]
		list = list[1:]
		w.one(n, func() {
			if left--; left == 0 {
				then()
				return
			}
			next()
		})
	}
	for range min(atATime, left) {
		next()
	}
}

// one fetches one window, or waits for it when it is on its way. Requests queue where the window is held, and answers
// where it is wanted: the network cards at both ends send and receive one thing after the other.
func (w *worker) one(n int, then func()) {
	r := w.r
	if w.fetched.use(n) || w.shelf.use(n) || r.heldBy[n] == w.index {
		then()
		return
	}
	waiting, coming := w.arriving[n]
	w.arriving[n] = append(waiting, then)
	if coming {
		return
	}
	bytes, latency, took := float64(r.size[n]), r.fleet.Latency.Seconds(), 0.0
	if r.fleet.Bandwidth > 0 {
		took = bytes / r.fleet.Bandwidth
	}
	r.out.MovedBytes += bytes
	from := r.workers[max(0, r.heldBy[n])] // dropped meanwhile: another worker had it
	r.at(r.now+latency, func() {
		from.out = max(r.now, from.out) + took
		r.at(from.out, func() {
			w.in = max(r.now-took, w.in) + took
			r.at(w.in+latency, func() { w.arrived(n, bytes) })
		})
	})
}

// arrived notes a window that was fetched.
func (w *worker) arrived(n int, bytes float64) {
	w.keep(n, bytes)
	waiting := w.arriving[n]
	delete(w.arriving, n)
	for _, then := range waiting {
		then()
	}
}

// drop has workers forget windows, as the coordinator tells them.
func (r *run) drop(d protocol.Drop) error {
	for _, id := range d.Windows {
		c, _, err := r.plan.Window(id)
		if err != nil {
			return err
		}
		n := c.Base + id.Part
		for _, i := range r.fetchers[n] {
			r.workers[i].fetched.remove(n)
			r.workers[i].shelf.remove(n)
		}
		delete(r.fetchers, n)
		if !d.Unread && r.heldBy[n] >= 0 {
			r.workers[r.heldBy[n]].heldBytes -= r.bytes(c.CellPlan, c.Window(id.Part))
			r.heldBy[n] = nobody
		}
	}
	return nil
}

const nobody = -1 // holder of a window that is not computed, or was dropped
