package simulate

import (
	"time"
)

// Every message is drawn by itself: its latency, and whether it is lost, repeated or late, follow from the seed, its
// link and its number on that link. So a fault that is taken away leaves the others as they were, as far as that can
// be.

// transit decides about a message from one process to another at this moment: when it arrives, and whether it arrives
// a second time. ok is false when it is lost.
func (w *world) transit(from *process, to string, size int) (arrives, again time.Duration, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended || from.dead {
		return 0, 0, false
	}
	w.messages++
	link := [2]string{from.name, to}
	name := from.name + ">" + to
	now := time.Now()
	leaves := now
	if from.frozen.After(leaves) {
		leaves = from.frozen
	}
	// The network card sends one thing after the other.
	if free := w.nicFree[from.name]; free.After(leaves) {
		leaves = free
	}
	leaves = leaves.Add(time.Duration(float64(size) / w.sc.Bandwidth * float64(time.Second)))
	w.nicFree[from.name] = leaves
	at := leaves.Add(time.Duration((0.5+w.drawLocked(name))*float64(w.sc.Latency)) + w.slow[link])
	ok = w.blocked[link] == 0
	late := false
	if o := w.lossy[link]; o != nil {
		if w.drawLocked("lose "+name) < o.lose {
			ok = false
		}
		if w.drawLocked("late "+name) < o.delay {
			late = true
			at = at.Add(time.Duration(w.drawLocked("by "+name) * float64(3*time.Second)))
		}
		if w.drawLocked("repeat "+name) < o.repeat {
			again = at.Add(time.Duration(w.drawLocked("again "+name) * float64(2*time.Second))).Sub(now)
		}
	}
	if last := w.lastAt[link]; !late {
		if !at.After(last) {
			at = last.Add(time.Nanosecond) // messages of a link do not overtake each other unless a fault makes them
		}
		w.lastAt[link] = at
	}
	return at.Sub(now), again, ok
}

// send carries a message. deliver is called when it arrives, in a goroutine of its own, unless it does not.
func (w *world) send(from *process, to string, size int, deliver func()) {
	arrives, again, ok := w.transit(from, to, size)
	if !ok {
		return
	}
	time.AfterFunc(arrives, func() { w.arrive(from.name, to, deliver) })
	if again > 0 {
		time.AfterFunc(again, func() { w.arrive(from.name, to, deliver) })
	}
}

// arrive passes a message to its receiver, when that is not frozen any more.
func (w *world) arrive(from, to string, deliver func()) {
	w.mu.Lock()
	p := w.procs[to]
	if w.ended || p == nil || p.dead || w.blocked[[2]string{from, to}] > 0 {
		w.mu.Unlock()
		return
	}
	wait := time.Until(p.frozen)
	w.mu.Unlock()
	if wait > 0 {
		time.AfterFunc(wait+time.Duration(w.draw("thaw "+to)*float64(time.Millisecond)), func() {
			w.arrive(from, to, deliver)
		})
		return
	}
	deliver()
}

// block cuts a link, and unblock mends it. Cuts of one link add up.
func (w *world) block(from, to string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.blocked[[2]string{from, to}]++
}

func (w *world) unblock(from, to string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.blocked[[2]string{from, to}]--
}

// isBlocked reports whether nothing gets from one to the other.
func (w *world) isBlocked(from, to string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.blocked[[2]string{from, to}] > 0
}
