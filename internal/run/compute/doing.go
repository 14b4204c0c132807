package compute

import (
	"sync"
	"time"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
)

// doing holds the windows that the slots of a worker work on, in the order in which they began.
type doing struct {
	mu   sync.Mutex
	list []begun
}

// begun is a window that a slot works on.
type begun struct {
	window puzzle.WindowID
	copied bool
	since  time.Time
}

// begin notes that a slot works on a window, until end is called. No other slot does: it holds the lock on it.
func (d *doing) begin(w *protocol.TaskWindow) (end func()) {
	id := w.ID()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.list = append(d.list, begun{id, w.Copy != nil, time.Now()})
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		for i := range d.list {
			if d.list[i].window == id {
				d.list = append(d.list[:i], d.list[i+1:]...)
				return
			}
		}
	}
}

// now lists these windows, oldest first, as far as a heartbeat has room for them.
func (d *doing) now() []protocol.Doing {
	d.mu.Lock()
	defer d.mu.Unlock()
	var list []protocol.Doing
	for _, b := range d.list[:min(len(d.list), protocol.MaxDoing)] {
		list = append(list, protocol.Doing{
			Window: b.window, Copy: b.copied, Millis: max(0, time.Since(b.since).Milliseconds()),
		})
	}
	return list
}
