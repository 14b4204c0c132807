package coordinator

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"pagoda/internal/plan"
	"pagoda/internal/protocol"
)

// FleetOptions say how a coordinator deals with workers that come and go. Zero durations say the defaults.
type FleetOptions struct {
	// Closed says that nobody but the worker in the coordinator's process can join, so there is nobody to wait for.
	Closed bool
	// LostAfter is how long a worker may be silent before its windows count as gone; 0 says 10 s.
	LostAfter time.Duration
	// ReturnGrace is how long windows whose holders are on record are not computed again after the start, because those
	// may come back; 0 says 5 s.
	ReturnGrace time.Duration
	// Locality gives every worker a part of each layer, so that it holds most of what its windows read.
	Locality bool
	// Replicas is how many workers should hold a window; 0 says 1.
	Replicas int
	// Broadcast tells all workers to drop windows; nil leaves it to their next Join.
	Broadcast func(protocol.Drop) error
	// Linger keeps a complete run open until it is told to end: workers come and go, and hold rows for whoever reads them.
	Linger bool
	// Config goes into the Announcement.
	Config string
}

const (
	defaultLostAfter   = 10 * time.Second
	defaultReturnGrace = 5 * time.Second
	// pulse is how often a coordinator looks who has fallen silent, and what has waited long enough.
	pulse = 100 * time.Millisecond
)

// ErrFenced is wrapped when another coordinator drives the run in a later epoch. Nothing more is committed here.
var ErrFenced = errors.New("another coordinator has taken over the run")

// fleet is what a coordinator knows of its workers. The loop changes it; mu is for those who look on.
type fleet struct {
	o        FleetOptions
	instance string
	members  map[string]*member
	lastLook time.Time
	copies   copies
	lost     int // workers lost so far
}

// member is a worker that has joined.
type member struct {
	protocol.Peer
	incarnation string
	past        []string // incarnations that another one has replaced
	slots, busy int
	moved       uint64
	seen        time.Time
	leaving     bool
	full        bool // its disk
	told        bool // that the run is over
	// failed has the numbers of the last reports of failures; they may come again.
	failed []uint64
	// joining: its inventory is not complete; page is the next one, and listed what it has so far.
	joining bool
	page    int
	listed  plan.WindowSet
}

const maxPast, maxFailed = 16, 64

// again takes notice of a report with failures, and says whether it has come before.
func (f *fleet) again(r *protocol.Report) bool {
	m := f.members[r.Worker]
	if m == nil || m.incarnation != r.Incarnation || len(r.Failures) == 0 || r.Number == 0 {
		return false
	}
	if slices.Contains(m.failed, r.Number) {
		return true
	}
	m.failed = append(m.failed[max(0, len(m.failed)+1-maxFailed):], r.Number)
	return false
}

func newFleet(o FleetOptions) *fleet {
	if o.LostAfter == 0 {
		o.LostAfter = defaultLostAfter
	}
	if o.ReturnGrace == 0 {
		o.ReturnGrace = defaultReturnGrace
	}
	o.Replicas = max(1, o.Replicas)
	return &fleet{o: o, instance: rand.Text(), members: make(map[string]*member), lastLook: time.Now()}
}

// working reports whether m can be given tasks.
func (m *member) working() bool { return m != nil && !m.joining && !m.leaving && !m.full }

// names lists the workers that can be given tasks.
func (f *fleet) names() []string {
	var out []string
	for name, m := range f.members {
		if m.working() {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// alive returns those of some workers that have given a sign of life of late.
func (f *fleet) alive(names []string) (out []string) {
	for _, name := range names {
		if m := f.members[name]; m != nil && !m.leaving && time.Since(m.seen) < f.o.LostAfter/2 {
			out = append(out, name)
		}
	}
	return out
}

// ask has the loop carry out fn and waits for it. ok is false when the coordinator has ended.
func (c *Coordinator) ask(ctx context.Context, fn func()) (ok bool) {
	done := make(chan struct{})
	select {
	case <-ctx.Done():
		return false
	case <-c.ended:
		return false
	case c.calls <- func() { fn(); close(done) }:
	}
	select {
	case <-done: // the loop carries out what it has taken
		return true
	case <-c.ended:
	}
	// It may have carried this out last of all: whoever has been told that the run is over would else not hear of it.
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// away is the answer of a coordinator that has ended: another may come.
const away = "the coordinator is shutting down"

// Join implements Desk.
func (c *Coordinator) Join(ctx context.Context, j protocol.Join) (out protocol.Welcome) {
	if !c.ask(ctx, func() { out = c.join(ctx, &j) }) {
		return protocol.Welcome{Error: away}
	}
	return out
}

// Beat implements Desk.
func (c *Coordinator) Beat(ctx context.Context, b protocol.Beat) (out protocol.BeatReply) {
	if !c.ask(ctx, func() { out = c.beat(ctx, &b) }) {
		return protocol.BeatReply{Error: away}
	}
	return out
}

// Announcement says who drives the run, and whether it goes on.
func (c *Coordinator) Announcement() protocol.Announcement {
	a := protocol.Announcement{Run: c.run, Epoch: c.o.Epoch, Instance: c.fleet.instance, Config: c.fleet.o.Config}
	if !c.running() && !c.lingers() && !errors.Is(c.err, ErrFenced) {
		a.Over = true
		if c.err != nil {
			a.Error = protocol.Clip(c.err.Error())
		}
	}
	return a
}

// Heard takes notice of what another coordinator announces.
func (c *Coordinator) Heard(ctx context.Context, a protocol.Announcement) {
	if a.Run != c.run || a.Instance == c.fleet.instance {
		return
	}
	later := a.Epoch > c.o.Epoch || a.Epoch == c.o.Epoch && a.Instance > c.fleet.instance
	if later && !a.Over {
		c.ask(ctx, func() { c.fence(a.Epoch) })
	}
}

// fence stops a coordinator whose epoch has ended.
func (c *Coordinator) fence(epoch uint64) {
	c.stopOn(fmt.Errorf("%w: it is in epoch %d, this one in epoch %d", ErrFenced, epoch, c.o.Epoch))
}

// fenced reports whether somebody who has seen the given epoch makes this coordinator a thing of the past.
func (c *Coordinator) fenced(epoch uint64) bool {
	if epoch > c.o.Epoch {
		c.fence(epoch)
	}
	return errors.Is(c.err, ErrFenced)
}

// verdict says what becomes of a worker of a run that is over.
func (c *Coordinator) verdict(worker string) (stop bool, text string) {
	if c.running() || c.lingers() {
		return false, ""
	}
	if m := c.fleet.members[worker]; m != nil {
		m.told = true
	}
	if c.err != nil {
		text = protocol.Clip(c.err.Error())
	}
	return true, text
}

// turnAway answers a report that is not to be taken.
func (c *Coordinator) turnAway(r *protocol.Report) (reply protocol.Reply, away bool) {
	if r.Run != c.run {
		return protocol.Reply{Error: fmt.Sprintf("this is run %s, not %s", c.run, protocol.Clip(r.Run)), Stop: true}, true
	}
	if c.fenced(r.Epoch) {
		return protocol.Reply{Rejoin: true}, true
	}
	if c.err != nil {
		_, text := c.verdict(r.Worker)
		return protocol.Reply{Error: text, Stop: true}, true
	}
	m := c.fleet.members[r.Worker]
	if r.Epoch != c.o.Epoch || m == nil || m.incarnation != r.Incarnation {
		return protocol.Reply{Rejoin: true}, true
	}
	m.seen = time.Now()
	if m.joining {
		// Its inventory may be older than what it reports now.
		for i := range r.Done {
			if cell, _, err := c.plan.Window(r.Done[i].Record.ID()); err == nil {
				m.listed.Add(cell.Base + r.Done[i].Record.Part)
			}
		}
	}
	for i := range r.Failures {
		m.full = m.full || r.Failures[i].Kind == protocol.FailDiskFull
	}
	return protocol.Reply{}, false
}

// beat takes notice of a sign of life.
func (c *Coordinator) beat(ctx context.Context, b *protocol.Beat) protocol.BeatReply {
	reply := protocol.BeatReply{Epoch: c.o.Epoch}
	if b.Run != c.run {
		reply.Error = fmt.Sprintf("worker %s beats for run %s; this is run %s", b.Worker, protocol.Clip(b.Run), c.run)
		return reply
	}
	if c.fenced(b.Epoch) {
		reply.Rejoin = true
		return reply
	}
	m, stop, text := c.recognise(b.Worker, b.Incarnation)
	if stop {
		reply.Stop, reply.Error = true, text
		return reply
	}
	if m == nil || m.incarnation != b.Incarnation || b.Epoch != c.o.Epoch {
		reply.Rejoin = true
		return reply
	}
	m.seen, m.busy, m.moved = time.Now(), b.Busy, b.Moved
	if b.Leaving && !m.leaving {
		m.leaving = true
		c.stopOn(c.redirect(ctx, b.Worker))
	}
	return reply
}

// recognise returns the worker of that name, nil when it has not joined. stop says that whoever speaks for it is to
// end, and text why, if something is wrong.
func (c *Coordinator) recognise(worker, incarnation string) (m *member, stop bool, text string) {
	m = c.fleet.members[worker]
	if m != nil && slices.Contains(m.past, incarnation) {
		return m, true, fmt.Sprintf("another process has joined as worker %s: give each a name of its own", worker)
	}
	stop, text = c.verdict(worker)
	return m, stop, text
}

// look declares those lost who have been silent for too long.
func (c *Coordinator) look(ctx context.Context, now time.Time) error {
	f := c.fleet
	// Who did not listen cannot say who was silent: the process was stopped, or the machine, or nothing gets through.
	if gap := now.Sub(f.lastLook); gap > f.o.LostAfter/2 || c.deaf {
		for _, m := range f.members {
			m.seen = m.seen.Add(gap)
		}
	}
	f.lastLook = now
	var gone []string
	for name, m := range f.members {
		if now.Sub(m.seen) > f.o.LostAfter {
			gone = append(gone, name)
		}
	}
	slices.Sort(gone)
	for _, name := range gone {
		m := f.members[name]
		delete(f.members, name)
		f.lost++
		lost := c.plan.RemoveWorker(name, nil)
		again := c.plan.WantAll(c.o.Keep)
		call(c.o.Events.WorkerLost, WorkerLost{Worker: name, Silent: now.Sub(m.seen), Windows: lost, Again: again})
		if err := c.redirect(ctx, name); err != nil {
			return err
		}
	}
	if len(gone) > 0 {
		return c.advance(ctx)
	}
	return nil
}

// redirect takes back the tasks that were directed to a worker.
func (c *Coordinator) redirect(ctx context.Context, worker string) error {
	ids := c.flights.recall(worker)
	for _, id := range ids {
		cell, _, err := c.plan.Window(id)
		if err != nil {
			return err
		}
		c.plan.Requeue(cell, id.Part)
	}
	c.fleet.copies.forget(worker)
	if q, ok := c.queue.(protocol.Withdrawer); ok {
		// Should it fail, the worker takes them when it comes back, which costs time only.
		_ = q.Withdraw(ctx, worker)
	}
	if len(ids) > 0 {
		return c.advance(ctx)
	}
	return nil
}

// tend does what time brings: workers fall silent, windows have waited, holders did not come back.
func (c *Coordinator) tend(ctx context.Context, now time.Time) error {
	if err := c.look(ctx, now); err != nil {
		return err
	}
	news, err := c.recall(now)
	if err != nil {
		return err
	}
	if c.plan.AwaitedCount > 0 && now.Sub(c.begun) > c.fleet.o.ReturnGrace {
		absent := c.plan.AwaitedCount
		again := c.plan.RejoinTimedOut(c.o.Keep)
		call(c.o.Events.GivenUp, GivenUp{Windows: absent, Again: again})
		news = true
	}
	if news {
		if err := c.advance(ctx); err != nil {
			return err
		}
	}
	return c.finish(ctx)
}

// allTold reports whether every worker that lives knows that the run is over.
func (c *Coordinator) allTold(ctx context.Context) (all bool) {
	ok := c.ask(ctx, func() {
		all = true
		for _, m := range c.fleet.members {
			all = all && (m.told || m.leaving || time.Since(m.seen) > c.fleet.o.LostAfter)
		}
	})
	return all || !ok
}

// moved adds up the rows of the parents of c that a worker does not hold.
func (c *Coordinator) moved(cell *plan.Cell, worker string) (bytes uint64) {
	last, holds := plan.ReplicaSet(0), false // neighbours share their holders, as a rule
	for _, parent := range cell.ParentCells {
		for i := range parent.Parts {
			w := &parent.Parts[i]
			if w.Replicas != last {
				last, holds = w.Replicas, slices.Contains(c.plan.ReplicaNames(w), worker)
			}
			if !holds {
				bytes += w.Bytes
			}
		}
	}
	return bytes
}
