package coordinator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pagoda/internal/run/coordinator/membership"
	"pagoda/internal/run/protocol"
)

// FleetOptions say how a coordinator deals with workers that come and go. Zero durations say the defaults.
type FleetOptions struct {
	// Closed says that only the worker in the coordinator's process can join, so there is no other to wait for.
	Closed bool
	// WorkerTimeout is how long a worker may be silent before its windows count as gone; 0 says 10 s.
	WorkerTimeout time.Duration
	// RejoinGrace is how long windows whose holders are on record are not computed again after the start, because those
	// may come back; 0 says 5 s.
	RejoinGrace time.Duration
	// Locality gives every worker a part of each layer, so that it holds most parents of its windows.
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
	// Config and Versions go into the Announcement.
	Config   string
	Versions protocol.Versions
}

const (
	defaultLostAfter   = 10 * time.Second
	defaultRejoinGrace = 5 * time.Second
	// tickInterval is how often a coordinator looks for silent workers, and for windows that have waited long enough.
	tickInterval = 100 * time.Millisecond
)

// ErrFenced is wrapped when another coordinator drives the run in a later epoch. Nothing more is committed here.
var ErrFenced = errors.New("another coordinator has taken over the run")

// withDefaults sets options that are not given.
func (o FleetOptions) withDefaults() FleetOptions {
	if o.WorkerTimeout == 0 {
		o.WorkerTimeout = defaultLostAfter
	}
	if o.RejoinGrace == 0 {
		o.RejoinGrace = defaultRejoinGrace
	}
	o.Replication = max(1, o.Replication)
	return o
}

// shuttingDown is the answer of a coordinator that has ended: another may come.
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

// Announcement says which coordinator drives the run, and whether it goes on.
func (c *Coordinator) Announcement() protocol.Announcement {
	a := protocol.Announcement{Run: c.run, Epoch: c.o.Epoch, Instance: c.instance, Config: c.fleet.Config,
		Versions: c.fleet.Versions}
	if !c.running() && !c.lingering() && !c.succeeded() {
		a.Over = true
		if c.err != nil {
			a.Error = protocol.Clip(c.err.Error())
		}
	}
	return a
}

// Heard takes another coordinator's announcement.
func (c *Coordinator) Heard(ctx context.Context, a protocol.Announcement) {
	if a.Run != c.run || a.Instance == c.instance {
		return
	}
	later := a.Epoch > c.o.Epoch || a.Epoch == c.o.Epoch && a.Instance > c.instance
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
// A worker's word about epochs proves nothing: it may have joined the successor, have worked for a coordinator whose
// folder is lost, or lie. Only Heard ends a coordinator, and announcements come on a subject that only coordinators may
// write to. Until one comes, workers of another epoch are told to join again, and nothing that they report is taken.
func (c *Coordinator) succeeded() bool {
	return errors.Is(c.err, ErrFenced) || errors.Is(c.err, errRefused)
}

// outcome reports whether a worker is to stop because the run is over, and why the run failed.
func (c *Coordinator) outcome(worker string) (stop bool, text string) {
	if c.running() || c.lingering() || c.succeeded() {
		return false, ""
	}
	if m := c.members.Get(worker); m != nil {
		m.KnowsOver = true
	}
	if c.err != nil {
		text = protocol.Clip(c.err.Error())
	}
	return true, text
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
	if b.Unfit != "" {
		c.unfit(b.Worker, b.Program, b.Unfit)
		return reply
	}
	m, stop, text := c.recognise(b.Worker, b.Incarnation)
	if stop {
		reply.Stop, reply.Error = true, text
		return reply
	}
	if !m.Is(b.Incarnation) || b.Epoch != c.o.Epoch {
		reply.Rejoin = true
		return reply
	}
	reply.QueueDown = c.queueDown
	drains, leaves := m.Beat(b, c.o.Now())
	if drains {
		c.stopOn(c.handOver(ctx, m))
	}
	if leaves {
		c.stopOn(c.reassign(ctx, b.Worker))
	}
	if m.Draining {
		reply.ToCopy, reply.Alone = c.toCopy(m), len(c.members.Working()) == 0
	}
	return reply
}

// unfit notes that a worker cannot take part.
func (c *Coordinator) unfit(worker, program, reason string) {
	if c.members.NoteUnfit(membership.Unfit{Worker: worker, Program: program, Reason: reason, Seen: c.o.Now()}) {
		call(c.o.Events.Unfit, Unfit{worker, program, reason})
	}
}

// recognise returns the worker of that name, nil when it has not joined. stop says that the process that speaks for it
// is to end, and text why, if something is wrong.
func (c *Coordinator) recognise(worker, incarnation string) (m *membership.Member, stop bool, text string) {
	m = c.members.Get(worker)
	if m.Superseded(incarnation) {
		return m, true, fmt.Sprintf("another process has joined as worker %s: give each a name of its own", worker)
	}
	if text = c.doubt.Refusal(worker); text != "" {
		return m, true, text
	}
	stop, text = c.outcome(worker)
	return m, stop, text
}

// expireMembers lets workers go that have been silent for too long.
func (c *Coordinator) expireMembers(ctx context.Context, now time.Time) error {
	c.members.Tick(now, c.queueDown != "")
	gone := c.members.Silent(now)
	for _, name := range gone {
		if err := c.letGo(ctx, name, WorkerLost{Silent: now.Sub(c.members.Get(name).LastHeard)}); err != nil {
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
	ids := c.account.RemoveWorker(worker)
	if err := c.plan.RequeueAll(ids); err != nil {
		return err
	}
	if q, ok := c.queue.(protocol.Purger); ok {
		// Should it fail, the worker takes them when it comes back, which costs time only.
		_ = q.Purge(ctx, worker)
	}
	if len(ids) > 0 {
		return c.advance(ctx)
	}
	return nil
}

// tick does the work that time brings: workers fall silent, windows have waited, holders did not come back.
func (c *Coordinator) tick(ctx context.Context, now time.Time) error {
	if err := c.expireMembers(ctx, now); err != nil {
		return err
	}
	if err := errors.Join(c.checkSomebodyLeft(now), c.checkStalled(ctx, now)); err != nil {
		return err
	}
	c.noteWaiting(now)
	c.noteDisks(now)
	due := c.failures.Due(now)
	if err := c.plan.RequeueAll(due); err != nil {
		return err
	}
	news := len(due) > 0 || c.heldBack // an owner that was to begin soon may have fallen silent
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
		for _, m := range c.members.All() {
			all = all && (m.KnowsOver || m.Ends() || c.o.Now().Sub(m.LastHeard) > c.fleet.WorkerTimeout)
		}
	})
	return all || !ok
}
