package simulate

import (
	"maps"
	"slices"
	"time"
)

// The targets of faults.
const (
	onNothing = iota
	onWorker
	onHost
	onLink
	onAny
)

// faultKind is a kind of faults. begin starts the fault and returns the function that ends it, nil when the fault ends
// by itself.
type faultKind struct {
	on    int
	begin func(w *world, f *fault) (end func())
}

// drain has a worker hand its windows over, as on SIGTERM, and leave. Then its disk is gone, and it begins anew.
const drain = "drain a worker"

// drains reports whether the scenario is one of TestDrains.
func (sc *scenario) drains() bool { return len(sc.Faults) > 0 && sc.Faults[0].Kind == drain }

// faultKinds are all kinds of faults, by name.
var faultKinds map[string]faultKind

var faultNames []string

func init() {
	faultKinds = map[string]faultKind{
		// Processes.
		"kill a worker": {onWorker, func(w *world, f *fault) func() {
			s := w.stationOf(f.A)
			s.away = true
			s.crash(int(f.Share * 100))
			return s.returns
		}},
		"kill a worker, disk lost": {onWorker, func(w *world, f *fault) func() {
			s := w.stationOf(f.A)
			s.away = true
			s.crash(0)
			s.wipe()
			return s.returns
		}},
		"stop a worker": {onWorker, func(w *world, f *fault) func() {
			s := w.stationOf(f.A)
			s.away = true
			s.leave()
			return s.returns
		}},
		"freeze": {onAny, func(w *world, f *fault) func() {
			w.mu.Lock()
			p := w.procs[f.A]
			w.mu.Unlock()
			if p != nil {
				p.freeze(f.For)
			}
			return nil
		}},
		"kill the coordinator": {onHost, func(w *world, f *fault) func() {
			h := w.hostOf(f.A)
			h.crash(int(f.Share * 100))
			return func() { w.lead(h) }
		}},
		"stop the coordinator": {onHost, func(w *world, f *fault) func() {
			h := w.hostOf(f.A)
			h.leave()
			return func() { w.lead(h) }
		}},
		"a second coordinator": {onHost, func(w *world, f *fault) func() {
			from, to := w.hosts[0], w.hosts[1]
			if f.Share < 0.5 {
				from, to = to, from
			}
			if from.p != nil && !from.p.isDead() && (to.p == nil || to.p.isDead()) {
				from.copyTo(to)
				to.start()
			}
			return nil
		}},
		"slow machine": {onAny, func(w *world, f *fault) func() {
			slow := func(by float64) {
				w.mu.Lock()
				defer w.mu.Unlock()
				w.slower[f.A] += by
			}
			by := 30 * f.Share
			slow(by)
			return func() { slow(-by) }
		}},
		// Upgrades: another program takes the place of one; for good, unless the others cannot work with it.
		"later worker": {onWorker, func(w *world, f *fault) func() {
			s := w.stationOf(f.A)
			s.dialect.later = true
			s.leave()
			return nil
		}},
		"later coordinator": {onHost, func(w *world, f *fault) func() {
			h := w.hostOf(f.A)
			h.dialect.later = true
			h.leave()
			return nil
		}},
		"worker of another version": {onWorker, func(w *world, f *fault) func() {
			s := w.stationOf(f.A)
			return exchange(func(by int) {
				s.dialect.version += by
				s.leave()
			})
		}},
		"coordinator of another version": {onHost, func(w *world, f *fault) func() {
			h := w.hostOf(f.A)
			return exchange(func(by int) {
				h.dialect.version += by
				h.leave()
			})
		}},
		// Disks.
		"disk full": {onWorker, func(w *world, f *fault) func() {
			s := w.stationOf(f.A)
			d := s.disk
			w.checks.fails()
			d.setFull(true)
			return func() {
				d.setFull(false)
				s.disk.setFull(false) // another disk than d after a crash
			}
		}},
		"disk of the coordinator full": {onHost, func(w *world, f *fault) func() {
			h := w.hostOf(f.A)
			d := h.disk
			if d == nil {
				return nil
			}
			w.checks.fails()
			d.setFull(true)
			return func() {
				d.setFull(false)
				h.disk.setFull(false)
			}
		}},
		"bits flip": {onWorker, func(w *world, f *fault) func() {
			s := w.stationOf(f.A)
			w.checks.rots(s)
			for i := range uint64(1 + int(f.Share*5)) {
				name := s.disk.bits.flip("data", hashed(w.sc.Seed, "file", i), hashed(w.sc.Seed, "bit", i))
				w.note(f.A, nil, "a bit flips in %q", name)
			}
			return nil
		}},
		"disk cannot be read": {onWorker, func(w *world, f *fault) func() {
			s := w.stationOf(f.A)
			d := s.disk
			w.checks.fails()
			w.checks.rots(s) // the worker may be told to drop unreadable windows, and report them again
			d.setUnread(f.Share)
			return func() {
				d.setUnread(0)
				s.disk.setUnread(0) // another disk than d after a crash
			}
		}},
		// The archive.
		"archive away": {onNothing, func(w *world, _ *fault) func() {
			w.bucket.setAway(1)
			return func() { w.bucket.setAway(-1) }
		}},
		"archive damaged": {onNothing, func(w *world, f *fault) func() {
			w.bucket.damage(f.Share)
			return nil
		}},
		// The network.
		"cut": {onLink, func(w *world, f *fault) func() {
			w.block(f.A, f.B)
			w.block(f.B, f.A)
			return func() {
				w.unblock(f.A, f.B)
				w.unblock(f.B, f.A)
				w.broker.reconnected()
			}
		}},
		"cut one way": {onLink, func(w *world, f *fault) func() {
			w.block(f.A, f.B)
			return func() {
				w.unblock(f.A, f.B)
				w.broker.reconnected()
			}
		}},
		"isolate": {onAny, func(w *world, f *fault) func() {
			others := append(w.names(), "q")
			for _, o := range others {
				w.block(f.A, o)
				w.block(o, f.A)
			}
			return func() {
				for _, o := range others {
					w.unblock(f.A, o)
					w.unblock(o, f.A)
				}
				w.broker.reconnected()
			}
		}},
		"slow link": {onLink, func(w *world, f *fault) func() {
			link, by := [2]string{f.A, f.B}, time.Duration(f.Share*float64(3*time.Second))
			add := func(d time.Duration) {
				w.mu.Lock()
				defer w.mu.Unlock()
				w.slow[link] += d
			}
			add(by)
			return func() { add(-by) }
		}},
		"noise": {onAny, func(w *world, f *fault) func() {
			o := &odds{lose: f.Share * 0.3, repeat: f.Share * 0.3, delay: f.Share * 0.3}
			return w.disturb(o, [2]string{f.A, "q"}, [2]string{"q", f.A})
		}},
		// The queue.
		"tasks lost, repeated, out of order": {onNothing, func(w *world, f *fault) func() {
			o := &odds{lose: f.Share * 0.3, repeat: f.Share * 0.4, delay: f.Share}
			return w.disturb(o, [2]string{"q", "q"})
		}},
		"queue away": {onNothing, func(w *world, f *fault) func() {
			w.broker.away(f.For, f.Share < 0.5)
			return nil
		}},
		"queue emptied": {onNothing, func(w *world, _ *fault) func() {
			w.broker.clear(true, "")
			return nil
		}},
	}
	faultNames = slices.Sorted(maps.Keys(faultKinds))
	// TestDrains alone has it: beside other faults a window may be computed again.
	faultKinds[drain] = faultKind{onWorker, func(w *world, f *fault) func() {
		s := w.stationOf(f.A)
		s.away = true
		if s.p != nil {
			s.p.drain()
		}
		return func() {
			if s.p != nil && !s.p.isDead() {
				w.checks.cutShort()
				s.p.kill()
			}
			s.wipe()
			s.returns()
		}
	}}
}

// exchange changes a program, and changes it back in the end. What runs processes starts the new one.
func exchange(change func(by int)) (end func()) {
	change(1)
	return func() { change(-1) }
}

// disturb has links do what odds say until the end is called.
func (w *world) disturb(o *odds, links ...[2]string) (end func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range links {
		w.lossy[l] = o
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, l := range links {
			if w.lossy[l] == o {
				delete(w.lossy, l)
			}
		}
	}
}

// schedule has the faults happen in their time.
func (w *world) schedule() {
	for i := range w.sc.Faults {
		f := &w.sc.Faults[i]
		w.after(f.At+time.Duration(i), func() {
			w.note("**", nil, "fault %d: %s %s %s, for %v", i, f.Kind, f.A, f.B, f.For)
			end := faultKinds[f.Kind].begin(w, f)
			w.after(f.For, func() {
				w.note("**", nil, "fault %d is over", i)
				if end != nil {
					end()
				}
			})
		})
	}
}

func (w *world) stationOf(name string) *station {
	for _, s := range w.stations {
		if s.name == name {
			return s
		}
	}
	return w.stations[0]
}

func (w *world) hostOf(name string) *host {
	for _, h := range w.hosts {
		if h.name == name {
			return h
		}
	}
	return w.hosts[0]
}

// lead starts a coordinator on a host when none lives.
func (w *world) lead(h *host) {
	if w.led() {
		return
	}
	if h.disk == nil { // it never had the folder
		h = w.hosts[0]
	}
	h.start()
}

// returns starts a worker again that was away.
func (s *station) returns() {
	s.away = false
	if s.p == nil || s.p.isDead() {
		s.start()
	}
}

// wipe gives the station a new disk.
func (s *station) wipe() {
	s.w.checks.forgets(s)
	s.wiped++
	s.disk = newDisk(s.w.sc.Seed, uint64(100*s.wiped+s.index()))
}
