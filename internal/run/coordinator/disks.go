package coordinator

import (
	"time"

	"pagoda/internal/run/protocol"
	"pagoda/internal/run/status"
)

// disksEvery is how often the plan is compared with the disks of the workers, which tell of them as often.
const disksEvery = protocol.HeartbeatInterval

// disks says whether the rest of the run may fit on the disks of the workers.
type disks struct {
	looked  time.Time
	now     *status.Disks // nil: not known
	since   time.Time     // since when it has not fit on the disks of so many workers; zero: it has, or is not known
	workers int
	lack    bool // it was said that it may not fit
}

// noteDisks compares the rest of the plan with the disks of the workers. That it may not fit is said when no worker has
// come or gone for the time in which a silent one counts as gone: a fleet does not join all at once. It is an upper
// bound, and workers may still come, so nothing else follows.
func (c *Coordinator) noteDisks(now time.Time) {
	d := &c.disks
	if c.fleet.Closed || now.Sub(d.looked) < disksEvery {
		return
	}
	d.looked, d.now = now, nil
	room, known := c.members.Room()
	if !known || c.plan.AwaitedCount > 0 {
		d.since = time.Time{}
		return
	}
	need := c.plan.DiskAhead(c.o.Retention, min(c.fleet.Replication, room.Workers), room.Workers)
	s := status.Disks{
		NeedBytes: need, MoreLayers: !c.plan.Decided, RoomBytes: room.Bytes, Workers: room.Workers, Disks: room.Disks,
		Fits: need <= room.Bytes,
	}
	if !s.Fits && (d.since.IsZero() || d.workers != room.Workers) {
		d.since, d.workers = now, room.Workers
	}
	switch {
	case s.Fits:
		d.since = time.Time{}
	case !d.lack && now.Sub(d.since) < c.fleet.WorkerTimeout:
		return
	}
	d.now = &s
	if d.lack == s.Fits {
		d.lack = !s.Fits
		call(c.o.Events.Disks, s)
	}
}
