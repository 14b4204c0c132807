package simulate

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
	"pagoda/internal/run/compute"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/rundir"
)

// checks are the invariants of a fleet under any faults. They watch messages, computations and disks, and know the
// results of the undisturbed run.
type checks struct {
	w *world

	mu        sync.Mutex
	epochs    map[*process]uint64 // of coordinators
	later     map[*process]uint64 // the highest epoch that a coordinator has heard of from others
	joins     map[*process]uint64 // the epoch that a worker has joined
	joinedAt  map[*process]time.Time
	counts    map[*process]int // windows that a coordinator has said it has
	stored    map[*station]map[puzzle.WindowID]blocks.Digest
	settled   map[puzzle.WindowID]bool // a report of the window was answered
	failed    map[puzzle.WindowID]bool
	computing map[*process]map[puzzle.WindowID]bool
	computed  map[puzzle.WindowID]int
	words     map[word]bool     // computations that were completed
	wiped     bool              // some disk was lost or damaged
	rotten    map[*station]bool // damaged disks. Later writes may be damaged as well.
	failing   bool              // Some disk was full or could not be read.
	drained   int               // Number of workers that have handed over all their windows.
	handed    int               // The most windows that others had to copy for that, at a time.
	cut       int               // Number of workers whose grace was over before.
}

// word is one computation of a window by a worker, under the name that it has in the ledger.
type word struct {
	worker string
	id     puzzle.WindowID
}

// maxComputed bounds how often one window is computed in a run, whatever happens.
const maxComputed = 60

func newChecks(w *world) *checks {
	return &checks{
		w: w, epochs: make(map[*process]uint64), later: make(map[*process]uint64), joins: make(map[*process]uint64),
		joinedAt: make(map[*process]time.Time), rotten: make(map[*station]bool),
		counts: make(map[*process]int), stored: make(map[*station]map[puzzle.WindowID]blocks.Digest),
		settled: make(map[puzzle.WindowID]bool), failed: make(map[puzzle.WindowID]bool),
		computing: make(map[*process]map[puzzle.WindowID]bool), computed: make(map[puzzle.WindowID]int),
		words: make(map[word]bool),
	}
}

// handsOver notes how far a worker is that was asked to leave.
func (c *checks) handsOver(s *station, h compute.HandsOver) {
	c.w.note(s.name, nil, "hands over: %d windows are left, last %t, unheard %t", h.ToCopy, h.Last, h.Unheard)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.handed = max(c.handed, h.ToCopy); h.Last && !h.Unheard && h.ToCopy == 0 {
		c.drained++
	}
}

// cutShort notes that a worker is killed before it has handed its windows over.
func (c *checks) cutShort() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut++
}

// fails notes that some disk is full or cannot be read: from then on processes may end because of it.
func (c *checks) fails() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failing = true
}

// assigned is a task that a coordinator submits.
func (c *checks) assigned(p *process, t *protocol.Task, tw *protocol.TaskWindow) {
	id := tw.ID()
	c.w.note(p.name, []puzzle.WindowID{id}, "gives %s to %q%s", id, t.To, flags(tw))
	c.mu.Lock()
	defer c.mu.Unlock()
	if tw.Fresh || tw.Audit {
		for _, s := range c.stored {
			delete(s, id)
		}
	}
}

func flags(tw *protocol.TaskWindow) (s string) {
	if tw.Fresh {
		s += ", fresh"
	}
	if tw.Audit {
		s += ", audit"
	}
	if tw.Copy != nil {
		s += ", copy"
	}
	return s
}

// inHand: a worker has a bounded number of tasks.
func (c *checks) inHand(p *process, slots, tasks int) {
	if most := 16 + 4*slots + 2*slots; tasks > most {
		c.w.violate("tasks in hand", nil, "%s has %d tasks in hand, at most %d are right", p.name, tasks, most)
	}
}

// computes: no process computes a window twice at a time, and no window is computed maxComputed times.
func (c *checks) computes(p *process, id puzzle.WindowID) (done func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.computing[p]
	if now == nil {
		now = make(map[puzzle.WindowID]bool)
		c.computing[p] = now
	}
	if now[id] && c.w.stationOf(p.name).name == p.name {
		c.w.violate("computed twice at a time", []puzzle.WindowID{id}, "%s computes %s in two slots", p.name, id)
	}
	now[id] = true
	if c.computed[id]++; c.computed[id] == maxComputed {
		c.w.violate("computed for ever", []puzzle.WindowID{id}, "%s is computed %d times", id, maxComputed)
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(now, id)
	}
}

// hasComputed notes that a process has computed a window.
func (c *checks) hasComputed(p *process, id puzzle.WindowID) {
	name := p.name
	if p.station == nil {
		name = protocol.OwnWorker
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.words[word{name, id}] = true
}

// joined: a worker joins later and later epochs, of coordinators of its own version. Of two that lead the same epoch
// for a while, one may be of another version.
func (c *checks) joined(p *process, j compute.Joined) {
	c.mu.Lock()
	defer c.mu.Unlock()
	other, same := "", false
	for leader, epoch := range c.epochs {
		switch {
		case epoch != j.Epoch:
		case leader.dialect.version == p.dialect.version || leader.isDead():
			same = true
		default:
			other = leader.name
		}
	}
	if other != "" && !same {
		c.w.violate("version", nil, "%s has joined %s, which is of another version", p.name, other)
	}
	if before := c.joins[p]; j.Epoch < before && time.Since(c.joinedAt[p]) < 10*time.Second {
		c.w.violate("older epoch joined", nil, "%s joins epoch %d %v after epoch %d", p.name, j.Epoch,
			time.Since(c.joinedAt[p]), before)
	}
	c.joins[p], c.joinedAt[p] = j.Epoch, time.Now()
}

// reports notes a report that a worker sends. The windows that it calls done are on the disk of the worker.
func (c *checks) reports(p *process, r *protocol.Report) {
	if p.isDead() {
		return
	}
	var ids []puzzle.WindowID
	for i := range r.Done {
		ids = append(ids, r.Done[i].Record.ID())
	}
	for i := range r.Failures {
		ids = append(ids, r.Failures[i].Window.ID())
	}
	c.w.note(p.name, ids, "reports %d done and %d failed, %v, epoch %d", len(r.Done), len(r.Failures), ids, r.Epoch)
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range r.Failures {
		f := &r.Failures[i]
		c.failed[f.Window.ID()] = true
		switch f.Kind {
		case protocol.FailMissing, protocol.FailCopy, protocol.FailDiskFull:
		default:
			// A window is not at fault when a parent's rows cannot be read, which are lost then.
			if !c.failing && !c.wiped || strings.Contains(f.Text, syscall.EIO.Error()) {
				c.w.violate("failure", ids, "%s could not compute %s: %s: %s", p.name, f.Window, f.Kind, f.Text)
			}
		}
	}
	s := p.station
	if s == nil {
		return
	}
	if c.stored[s] == nil {
		c.stored[s] = make(map[puzzle.WindowID]blocks.Digest)
	}
	for i := range r.Done {
		c.stored[s][r.Done[i].Record.ID()] = r.Done[i].Record.Digest
	}
}

// opened: a worker that comes back has the windows that it reported. Exceptions are lost and damaged disks, and windows
// that it was told to drop.
func (c *checks) opened(s *station, store *kv.Store) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.w.sc.Retention != "all" || c.rotten[s] {
		return
	}
	for id, digest := range c.stored[s] {
		rec, found, err := store.Record(id)
		if err == nil && found {
			err = store.Verify(context.Background(), rec)
		}
		if errors.Is(err, syscall.EIO) { // an unreadable window is lost
			delete(c.stored[s], id)
			continue
		}
		if err != nil || !found || rec.Digest != digest {
			c.w.violate("reported window lost", []puzzle.WindowID{id},
				"%s has reported %s, and after its crash it is not there (%v)", s.name, id, err)
		}
	}
}

// forgets notes that a worker's disk is lost.
func (c *checks) forgets(s *station) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.stored, s)
	c.wiped = true
}

// rots notes that a worker's disk is damaged.
func (c *checks) rots(s *station) {
	c.forgets(s)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rotten[s] = true
}

// acknowledged: a task is acknowledged when all of its windows are settled.
func (c *checks) acknowledged(p *process, t *protocol.Task) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.isDead() || c.joins[p] != t.Epoch {
		return
	}
	for i := range t.Windows {
		id := t.Windows[i].ID()
		if t.Windows[i].Copy == nil && !c.settled[id] && !c.failed[id] {
			c.w.violate("acknowledged too soon", []puzzle.WindowID{id},
				"%s acknowledges the task of %s, which no coordinator has taken", p.name, id)
		}
	}
}

// leads notes the epoch of a coordinator: each has one of its own.
func (c *checks) leads(h *host, p *process, epoch uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h.epoch >= epoch {
		c.w.violate("epoch", nil, "%s leads epoch %d after epoch %d", h.name, epoch, h.epoch)
	}
	h.epoch = epoch
	c.epochs[p] = epoch
}

// heard notes that a coordinator has heard of another.
func (c *checks) heard(p *process, epoch uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.later[p] = max(c.later[p], epoch)
}

// answered notes a report and its answer. A coordinator takes reports of its own epoch only, and its ledger keeps their
// windows for good.
func (c *checks) answered(h *host, p *process, r *protocol.Report, a *protocol.Reply) {
	if p.isDead() || a.Error != "" || a.Rejoin {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.Epoch != c.epochs[p] {
		c.w.violate("old epoch", nil, "%s of epoch %d has taken a report of epoch %d", h.name, c.epochs[p], r.Epoch)
	}
	for i := range r.Done {
		id := r.Done[i].Record.ID()
		c.settled[id] = true // a window that is passed over is settled too: the coordinator does not wait for it
		if a.Refused == "" {
			h.known[id] = true
		}
	}
}

// folder: the ledger of an opened folder holds all windows that its host has answered for, and no wrong record.
func (c *checks) folder(h *host, f *rundir.Folder) {
	have := make(map[puzzle.WindowID]bool)
	err := f.Ledger.Load(func(e kv.Entry) error {
		c.rightEntry(h, &e)
		have[e.Record.ID()] = true
		return nil
	})
	if err != nil {
		c.w.violate("ledger", nil, "%s: %v", h.name, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for id := range h.known {
		if !have[id] {
			c.w.violate("commit lost", []puzzle.WindowID{id}, "%s has answered for %s, and it is not in its ledger", h.name, id)
		}
	}
	h.known = have
}

// rightEntry: an entry of a ledger has the record of the undisturbed run, and the words of workers that have computed
// the window, each by itself: one that has only copied it says nothing about it.
func (c *checks) rightEntry(h *host, e *kv.Entry) {
	c.right(h, &e.Record)
	c.mu.Lock()
	defer c.mu.Unlock()
	id := e.Record.ID()
	for _, name := range e.By {
		if !c.words[word{name, id}] {
			c.w.violate("word", []puzzle.WindowID{id}, "%s has %s as computed by %s, which has not computed it",
				h.name, id, name)
		}
	}
}

// right: a record is that of the undisturbed run.
func (c *checks) right(h *host, rec *kv.Record) {
	id := rec.ID()
	want, ok := c.w.shape.want[id]
	if !ok || !want.SameContent(rec) {
		c.w.violate("result", []puzzle.WindowID{id}, "%s has %s with digest %s, the undisturbed run %s",
			h.name, id, rec.Digest, want.Digest)
	}
}

// copied notes that a host has a copy of another's folder.
func (c *checks) copied(from, to *host) {
	c.mu.Lock()
	defer c.mu.Unlock()
	to.known = make(map[puzzle.WindowID]bool)
	for id := range from.known {
		to.known[id] = true
	}
	to.epoch = from.epoch
}

// events watches a coordinator.
func (c *checks) events(h *host, p *process, f *rundir.Folder) coordinator.Events {
	w := c.w
	return coordinator.Events{
		Resumed: func(e coordinator.Resumed) {
			w.note(h.name, nil, "resumes with %d windows, %d left", e.Windows, e.Left)
			c.mu.Lock()
			defer c.mu.Unlock()
			c.counts[p] = e.Windows
		},
		Committed: func(e coordinator.Committed) {
			if !p.isDead() {
				c.committed(h, p, f, &e)
			}
		},
		Lost: func(e coordinator.Lost) {
			w.note(h.name, []puzzle.WindowID{e.Window}, "%s has lost %s: %s", e.Worker, e.Window, e.Cause)
			c.mu.Lock()
			defer c.mu.Unlock()
			for _, s := range c.stored {
				delete(s, e.Window)
			}
		},
		Retry: func(e coordinator.Retry) {
			w.note(h.name, []puzzle.WindowID{e.Window}, "retries %s after %s: %v", e.Window, e.Worker, e.Err)
		},
		Quarantined: func(e coordinator.Quarantined) {
			w.violate("quarantine", []puzzle.WindowID{e.Window}, "%s gives %s up: %v", h.name, e.Window, e.Err)
		},
		Refused: func(e coordinator.Refused) {
			w.violate("honest worker refused", nil, "%s: %+v", h.name, e)
		},
		WorkerJoined: func(e coordinator.WorkerJoined) {
			w.note(h.name, nil, "%s joins with %d windows, %d missing", e.Worker, e.Held, e.Missing)
		},
		WorkerLost: func(e coordinator.WorkerLost) {
			w.note(h.name, nil, "%s is lost with %d windows, %d are computed again", e.Worker, e.Windows, e.Again)
		},
		Resubmitted: func(e coordinator.Resubmitted) { w.note(h.name, nil, "submits %d tasks again", e.Tasks) },
		Stalled:     func(e coordinator.Stalled) { w.note(h.name, nil, "%s stalls with %d tasks", e.Worker, e.Tasks) },
		QueueDown:   func(e coordinator.QueueDown) { w.note(h.name, nil, "queue down: %t", e.Down) },
		ReportRefused: func(e coordinator.ReportRefused) {
			w.note(h.name, nil, "passes over %d windows of %s: %s", e.Windows, e.Worker, e.Reason)
		},
		ArchiveListed: func(e coordinator.ArchiveListed) {
			w.note(h.name, nil, "the archive has %d windows, %d are spared: %v", e.Windows, e.Spared, e.Err)
		},
		ArchiveLost: func(e coordinator.ArchiveLost) {
			w.note(h.name, nil, "the archive is lost with %d windows, %d are computed again", e.Windows, e.Again)
		},
		RejoinTimedOut: func(e coordinator.RejoinTimedOut) {
			w.note(h.name, nil, "waits no longer for the holders of %d windows", e.Windows)
		},
	}
}

// committed is a window that a coordinator calls committed: it is in the ledger, right, and counted once.
func (c *checks) committed(h *host, p *process, f *rundir.Folder, e *coordinator.Committed) {
	id := e.Window.ID()
	again := ""
	if e.Again {
		again = ", again"
	}
	c.w.note(h.name, []puzzle.WindowID{id}, "has committed %s of %s%s, %d of %d", id, e.Worker, again, e.Done, e.Total)
	entry, found, err := f.Ledger.Entry(id)
	if err != nil || !found {
		c.w.violate("commit", []puzzle.WindowID{id}, "%s calls %s committed, it is not in the ledger (%v)", h.name, id, err)
		return
	}
	c.rightEntry(h, &entry)
	c.mu.Lock()
	defer c.mu.Unlock()
	if later := c.later[p]; later > c.epochs[p] {
		c.w.violate("fence", []puzzle.WindowID{id}, "%s of epoch %d commits %s after it has heard of epoch %d",
			h.name, c.epochs[p], id, later)
	}
	if !e.Again {
		c.counts[p]++
	} else if c.w.sc.drains() && c.cut == 0 {
		c.w.violate("drained window lost", []puzzle.WindowID{id}, "%s had %s, which %s has computed again, though all "+
			"workers that left had handed their windows over", h.name, id, e.Worker)
	}
	if e.Done < c.counts[p] || e.Done > e.Total {
		c.w.violate("count", []puzzle.WindowID{id}, "%s says that %d of %d windows are done, it has told of %d",
			h.name, e.Done, e.Total, c.counts[p])
	}
}

// workerEnded: a worker ends with an error only when its disk is to blame.
func (c *checks) workerEnded(s *station, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.failing && !errors.Is(err, context.Canceled) {
		c.w.violate("worker", nil, "%s ended with: %v", s.name, err)
	}
}

// coordinatorEnded: a coordinator ends with an error only when another follows it, or when it was told to.
func (c *checks) coordinatorEnded(h *host, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.failing && !errors.Is(err, context.Canceled) && !errors.Is(err, coordinator.ErrFenced) {
		c.w.violate("run", nil, "%s ended with: %v", h.name, err)
	}
}

// ended: plan and ledger agree when a coordinator ends, and those of a complete run are those of the undisturbed run.
func (c *checks) ended(h *host, f *rundir.Folder, p *plan.Plan, err error) {
	n := 0
	lerr := f.Ledger.Load(func(e kv.Entry) error {
		n++
		c.rightEntry(h, &e)
		_, win, err := p.Window(e.Record.ID())
		if err != nil || !win.Committed || win.Digest != e.Record.Digest {
			c.w.violate("plan and ledger", []puzzle.WindowID{e.Record.ID()}, "%s: %s is in the ledger, not in the plan (%v)",
				h.name, e.Record.ID(), err)
		}
		return nil
	})
	if lerr != nil {
		if !c.failing {
			c.w.violate("ledger", nil, "%s: %v", h.name, lerr)
		}
		return
	}
	if p.CommittedCount != n && !c.failing {
		c.w.violate("plan and ledger", nil, "%s: the plan has %d windows, the ledger %d", h.name, p.CommittedCount, n)
	}
	if err != nil {
		return
	}
	if due, derr := f.Ledger.AuditsDue(); derr != nil || len(due) > 0 {
		c.w.violate("audits", due, "%s calls the run complete, and audits are due: %v (%v)", h.name, due, derr)
	}
	want := c.w.shape
	if !p.Complete() || n != len(want.want) {
		c.w.violate("complete", nil, "%s calls the run complete with %d of %d windows", h.name, n, len(want.want))
	}
	for l := range want.plan.Layers() {
		a, _ := want.plan.Layer(l)
		b, ok := p.Layer(l)
		if !ok || !reflect.DeepEqual(sums(a), sums(b)) {
			c.w.violate("tally", nil, "%s: layer %d adds up to %v, in the undisturbed run to %v", h.name, l, sums(b), sums(a))
		}
	}
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	select {
	case <-c.w.over:
	default:
		c.w.winner = h
		close(c.w.over)
	}
}

func sums(t puzzle.Tally) map[string]string {
	out := make(map[string]string)
	for _, s := range t.Sums {
		out["sum "+s.Name] = s.Value.String()
	}
	for _, s := range t.Maxima {
		out["max "+s.Name] = s.Value.String()
	}
	return out
}
