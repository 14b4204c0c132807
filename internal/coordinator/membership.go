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
	// WorkerTimeout is how long a worker may be silent before its windows count as gone; 0 says 10 s.
	WorkerTimeout time.Duration
	// RejoinGrace is how long windows whose holders are on record are not computed again after the start, because those
	// may come back; 0 says 5 s.
	RejoinGrace time.Duration
	// Locality gives every worker a part of each layer, so that it holds most of what its windows read.
	Locality bool
	// Replication is how many workers should hold a window; 0 says 1.
	Replication int
	// Broadcast tells all workers to drop windows; nil leaves it to their next Join.
	Broadcast func(protocol.Drop) error
	// Linger keeps a complete run open until it is told to end: workers come and go, and hold rows for readers.
	Linger bool
	// LingerFor ends that by itself; 0 does not.
	LingerFor time.Duration
	// Archive lists the windows that the archive of the run has, in groups; errors are for people. nil: there is none.
	Archive func(ctx context.Context, found func([]protocol.Archived)) error
	// Config goes into the Announcement.
	Config string
}

const (
	defaultLostAfter   = 10 * time.Second
	defaultRejoinGrace = 5 * time.Second
	// tickInterval is how often a coordinator looks who has fallen silent, and what has waited long enough.
	tickInterval = 100 * time.Millisecond
)

// ErrFenced is wrapped when another coordinator drives the run in a later epoch. Nothing more is committed here.
var ErrFenced = errors.New("another coordinator has taken over the run")

// membership is what a coordinator knows of its workers. The loop changes it; mu is for those who look on.
type membership struct {
	o        FleetOptions
	instance string
	byName   map[string]*member
	// otherVersion are workers of other versions of the messages that were told of, and theirs.
	otherVersion map[string]int
	now          func() time.Time
	lastTick     time.Time
	// lastStallCheck is when it was last looked for tasks that are overdue.
	lastStallCheck time.Time
	replication    replication
	lost           int // workers lost so far
	joins          int // workers that have joined so far
	// idlers counts the workers that were given windows and have reported none.
	idlers int
}

// member is a worker that has joined.
type member struct {
	protocol.Peer
	incarnation string
	replaced    []string // incarnations that another one has replaced
	// heard: the incarnation has said more than that it joins. Until then the one before may take the name back, once,
	// see superseded; reclaimed has those that did.
	heard             bool
	reclaimed         []string
	concurrency, busy int
	moved             uint64
	doing             []protocol.Doing // as of doingAt
	doingAt           time.Time
	lastHeartbeat     time.Time
	leaving           bool
	diskFull          bool // its disk
	knowsOver         bool // that the run is over
	// failed has the numbers of the last reports of failures; they may come again.
	failureReports []uint64
	// joining: its inventory is not complete; page is the next one, and listed what it has so far.
	joining bool
	page    int
	held    plan.WindowSet
	audits  int // of its windows, because they were its first
	// stalled is until when it is given nothing more, because it says that it works and does not report what it was given;
	// stalls counts how often that has happened since it last did.
	stalled time.Time
	stalls  int
	proven  bool // it has reported a window that it was asked for
	// lastReport is when it last did, and rate what work takes it.
	lastReport time.Time
	rate       rate
	serial     int // in the order in which workers have joined
}

const maxPast, maxFailed = 16, 64

// reportedBefore records a report with failures, and says whether it has come before.
func (f *membership) reportedBefore(r *protocol.Report) bool {
	m := f.byName[r.Worker]
	if m == nil || m.incarnation != r.Incarnation || len(r.Failures) == 0 || r.Number == 0 {
		return false
	}
	if slices.Contains(m.failureReports, r.Number) {
		return true
	}
	m.failureReports = append(m.failureReports[max(0, len(m.failureReports)+1-maxFailed):], r.Number)
	return false
}

func newMembership(o FleetOptions, now func() time.Time) *membership {
	if o.WorkerTimeout == 0 {
		o.WorkerTimeout = defaultLostAfter
	}
	if o.RejoinGrace == 0 {
		o.RejoinGrace = defaultRejoinGrace
	}
	o.Replication = max(1, o.Replication)
	return &membership{
		o: o, instance: rand.Text(), byName: make(map[string]*member), otherVersion: make(map[string]int), now: now,
		lastTick: now(),
	}
}

// working reports whether m can be given tasks.
func (m *member) working() bool { return m.present() && m.stalled.IsZero() }

// present reports whether m has joined and takes tasks.
func (m *member) present() bool { return m != nil && !m.joining && !m.leaving && !m.diskFull }

// names lists the workers that can be given tasks.
func (f *membership) names() []string {
	var out []string
	for name, m := range f.byName {
		if m.working() {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// alive returns those of some workers that have given a heartbeat of late.
func (f *membership) alive(names []string) (out []string) {
	for _, name := range names {
		if m := f.byName[name]; m != nil && !m.leaving && f.now().Sub(m.lastHeartbeat) < f.o.WorkerTimeout/2 {
			out = append(out, name)
		}
	}
	return out
}

// do has the loop carry out fn and waits for it. ok is false when the coordinator has ended.
func (c *Coordinator) do(ctx context.Context, fn func()) (ok bool) {
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
	// It may have carried this out last of all: a worker that has been told that the run is over would not hear of it
	// otherwise.
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// away is the answer of a coordinator that has ended: another may come.
const shuttingDown = "the coordinator is shutting down"

// Join implements protocol.CoordinatorService.
func (c *Coordinator) Join(ctx context.Context, j protocol.Join) (out protocol.JoinResponse) {
	if !c.do(ctx, func() { out = c.join(c.ctx, &j) }) {
		return protocol.JoinResponse{Error: shuttingDown}
	}
	return out
}

// Heartbeat implements protocol.CoordinatorService.
func (c *Coordinator) Heartbeat(ctx context.Context, b protocol.Heartbeat) (out protocol.HeartbeatResponse) {
	if !c.do(ctx, func() { out = c.heartbeat(c.ctx, &b) }) {
		return protocol.HeartbeatResponse{Error: shuttingDown}
	}
	return out
}

// Announcement says who drives the run, and whether it goes on.
func (c *Coordinator) Announcement() protocol.Announcement {
	a := protocol.Announcement{Run: c.run, Epoch: c.o.Epoch, Instance: c.members.instance, Config: c.members.o.Config}
	if !c.running() && !c.lingering() && !c.succeeded() {
		a.Over = true
		if c.err != nil {
			a.Error = protocol.Clip(c.err.Error())
		}
	}
	return a
}

// Heard records what another coordinator announces.
func (c *Coordinator) Heard(ctx context.Context, a protocol.Announcement) {
	if a.Run != c.run || a.Instance == c.members.instance {
		return
	}
	later := a.Epoch > c.o.Epoch || a.Epoch == c.o.Epoch && a.Instance > c.members.instance
	if later && !a.Over {
		c.do(ctx, func() { c.fence(a.Epoch) })
	}
}

// fence stops a coordinator whose epoch has ended.
func (c *Coordinator) fence(epoch uint64) {
	c.stopOn(fmt.Errorf("%w: it is in epoch %d, this one in epoch %d", ErrFenced, epoch, c.o.Epoch))
}

// succeeded reports whether another coordinator drives the run, or will in a moment: then nothing is over for workers.
//
// What a worker says of epochs proves nothing: it may have joined the successor, have worked for a coordinator whose
// folder is lost, or lie. Only Heard ends a coordinator, and announcements come on a subject that only coordinators may
// write to. Until one comes, workers of another epoch are told to join again, and nothing that they report is taken.
func (c *Coordinator) succeeded() bool {
	return errors.Is(c.err, ErrFenced) || errors.Is(c.err, errRefused)
}

// outcome says what becomes of a worker of a run that is over.
func (c *Coordinator) outcome(worker string) (stop bool, text string) {
	if c.running() || c.lingering() || c.succeeded() {
		return false, ""
	}
	if m := c.members.byName[worker]; m != nil {
		m.knowsOver = true
	}
	if c.err != nil {
		text = protocol.Clip(c.err.Error())
	}
	return true, text
}

// rejectReport answers a report that is not to be taken.
func (c *Coordinator) rejectReport(r *protocol.Report) (reply protocol.Reply, away bool) {
	if r.Run != c.run {
		return protocol.Reply{Error: fmt.Sprintf("this is run %s, not %s", c.run, protocol.Clip(r.Run)), Stop: true}, true
	}
	// Whoever has joined in a later epoch is not told how this one has ended.
	if c.succeeded() || r.Epoch > c.o.Epoch {
		return protocol.Reply{Rejoin: true}, true
	}
	if c.err != nil {
		_, text := c.outcome(r.Worker)
		return protocol.Reply{Error: text, Stop: true}, true
	}
	m := c.members.byName[r.Worker]
	if r.Epoch != c.o.Epoch || m == nil || m.incarnation != r.Incarnation {
		return protocol.Reply{Rejoin: true}, true
	}
	m.lastHeartbeat, m.heard = c.o.Now(), true
	if m.joining {
		// Its inventory may be older than what it reports now.
		for i := range r.Done {
			if cell, _, err := c.plan.Window(r.Done[i].Record.ID()); err == nil {
				m.held.Add(cell.Base + r.Done[i].Record.Part)
			}
		}
	}
	for i := range r.Failures {
		m.diskFull = m.diskFull || r.Failures[i].Kind == protocol.FailDiskFull
	}
	return protocol.Reply{}, false
}

// heartbeat records a heartbeat.
func (c *Coordinator) heartbeat(ctx context.Context, b *protocol.Heartbeat) protocol.HeartbeatResponse {
	reply := protocol.HeartbeatResponse{Epoch: c.o.Epoch}
	if b.Run != c.run {
		reply.Error = fmt.Sprintf("worker %s beats for run %s; this is run %s", b.Worker, protocol.Clip(b.Run), c.run)
		return reply
	}
	if c.succeeded() {
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
	m.lastHeartbeat, m.heard, m.busy, m.moved = c.o.Now(), true, b.Busy, b.Moved
	m.doing, m.doingAt = b.Doing, m.lastHeartbeat
	if b.Leaving && !m.leaving {
		m.leaving = true
		c.stopOn(c.reassign(ctx, b.Worker))
	}
	return reply
}

// superseded reports whether a process is to end because another one has taken its name. Joins may overtake each other,
// and that of a dead process may come after that of its successor: so who has joined last has to be heard of again
// before the one before it is sent away. Each may take the name back once, so that of two that live one ends.
func (m *member) superseded(incarnation string) bool {
	return slices.Contains(m.replaced, incarnation) && (m.heard || slices.Contains(m.reclaimed, incarnation))
}

// recognise returns the worker of that name, nil when it has not joined. stop says that the process that speaks for it
// is to end, and text why, if something is wrong.
func (c *Coordinator) recognise(worker, incarnation string) (m *member, stop bool, text string) {
	m = c.members.byName[worker]
	if m != nil && m.superseded(incarnation) {
		return m, true, fmt.Sprintf("another process has joined as worker %s: give each a name of its own", worker)
	}
	if text = c.refusal(worker); text != "" {
		return m, true, text
	}
	stop, text = c.outcome(worker)
	return m, stop, text
}

// expireMembers declares those lost who have been silent for too long.
func (c *Coordinator) expireMembers(ctx context.Context, now time.Time) error {
	f := c.members
	// Who did not listen cannot say who was silent: the process was stopped, or the machine, or nothing gets through.
	if gap := now.Sub(f.lastTick); gap > f.o.WorkerTimeout/2 || c.queueDown {
		for _, m := range f.byName {
			m.lastHeartbeat = m.lastHeartbeat.Add(gap)
		}
	}
	f.lastTick = now
	var gone []string
	for name, m := range f.byName {
		if now.Sub(m.lastHeartbeat) > f.o.WorkerTimeout {
			gone = append(gone, name)
		}
	}
	slices.Sort(gone)
	for _, name := range gone {
		m := f.byName[name]
		delete(f.byName, name)
		f.lost++
		lost := c.plan.EvictWorker(name)
		again := c.wantLost(lost)
		call(c.o.Events.WorkerLost, WorkerLost{Worker: name, Silent: now.Sub(m.lastHeartbeat), Windows: lost, Again: again})
		if err := c.reassign(ctx, name); err != nil {
			return err
		}
	}
	if len(gone) > 0 {
		return c.advance(ctx)
	}
	return nil
}

// reassign takes back the tasks that were directed to a worker.
func (c *Coordinator) reassign(ctx context.Context, worker string) error {
	ids := c.inflight.removeWorker(worker)
	for _, id := range ids {
		cell, _, err := c.plan.Window(id)
		if err != nil {
			return err
		}
		c.plan.Requeue(cell, id.Part)
	}
	c.members.replication.removeWorker(worker)
	if q, ok := c.queue.(protocol.Purger); ok {
		// Should it fail, the worker takes them when it comes back, which costs time only.
		_ = q.Purge(ctx, worker)
	}
	if len(ids) > 0 {
		return c.advance(ctx)
	}
	return nil
}

// tick does what time brings: workers fall silent, windows have waited, holders did not come back.
func (c *Coordinator) tick(ctx context.Context, now time.Time) error {
	if err := c.expireMembers(ctx, now); err != nil {
		return err
	}
	if err := errors.Join(c.checkSomebodyLeft(now), c.checkStalled(ctx, now)); err != nil {
		return err
	}
	c.noteWaiting(now)
	news, err := c.requeueDue(now)
	if err != nil {
		return err
	}
	news = news || c.heldBack // an owner that was to begin soon may have fallen silent
	c.retryArchive(now)
	if c.plan.AwaitedCount > 0 && c.graceOver(now) && !c.archive.listing {
		absent := c.plan.AwaitedCount
		again := c.plan.RejoinTimedOut(c.o.Retention)
		if again > 0 && c.archive.retry.IsZero() {
			c.listArchive() // it may have what these windows read
		}
		call(c.o.Events.RejoinTimedOut, RejoinTimedOut{Windows: absent, Again: again})
		news = true
	}
	if news {
		if err := c.advance(ctx); err != nil {
			return err
		}
	}
	return c.finish(ctx)
}

// drained reports whether every worker that lives knows that the run is over.
func (c *Coordinator) drained(ctx context.Context) (all bool) {
	ok := c.do(ctx, func() {
		all = true
		for _, m := range c.members.byName {
			all = all && (m.knowsOver || m.leaving || c.o.Now().Sub(m.lastHeartbeat) > c.members.o.WorkerTimeout)
		}
	})
	return all || !ok
}

// fetchEstimate adds up the rows of the parents of c that a worker does not hold.
func (c *Coordinator) fetchEstimate(cell *plan.Cell, worker string) (bytes uint64) {
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
