package coordinator

import (
	"cmp"
	"context"
	"slices"
	"time"

	"pagoda/internal/run/coordinator/membership"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/status"
)

// Status returns the state of a coordinator that runs, or has run.
func (c *Coordinator) Status(ctx context.Context) (s status.FleetStatus) {
	if !c.do(ctx, func() { s = c.state() }) {
		select {
		case <-c.ended: // nothing changes any more
			s = c.state()
		default:
		}
	}
	return s
}

// state describes the coordinator, from its loop.
func (c *Coordinator) state() status.FleetStatus {
	s := status.FleetStatus{
		Epoch:      c.o.Epoch,
		Awaited:    c.plan.AwaitedCount,
		Pending:    c.plan.PendingCount,
		Again:      c.plan.AgainCount(),
		MovedBytes: c.counts.movedBytes,
		Audited:    c.counts.audits,
		Recomputed: c.own.done,
		Refused:    c.doubt.Parties(),
		Grid:       c.plan.Grid(),
		Rest:       c.plan.Rest(),
		Waiting:    c.describeWaiting(c.o.Now()),
	}
	for _, r := range s.Rest {
		s.Ready += r.Ready
	}
	words := c.plan.Words(c.doubt.Refusals())
	words.Audits = c.o.LeastAudits
	if s.Words = &words; !c.fleet.Closed {
		s.AuditFraction, s.AuditBy = c.o.AuditFraction, status.AuditByWorkers
		if c.o.AuditAlone {
			s.AuditBy = status.AuditByCoordinator
		}
	}
	for _, q := range c.failures.Aside() {
		s.Quarantined = append(s.Quarantined, status.QuarantinedWindow{
			Window: q.Window.String(), Attempts: q.Attempts, Error: protocol.Clip(q.Err.Error()),
		})
	}
	if c.running() {
		s.QueueDown, s.Disks = c.queueDown, c.disks.now // nothing looks after these when the run is over
	}
	s.Program = c.fleet.Versions.Program
	for _, u := range c.members.ListUnfit(c.o.Now()) {
		s.Unfit = append(s.Unfit, status.UnfitWorker{Name: u.Worker, Program: u.Program, Reason: u.Reason, Seen: u.Seen})
	}
	s.WorkersLost, s.Copied = c.counts.workersLost, c.account.Copies.Made()
	for name, m := range c.members.All() {
		s.Workers = append(s.Workers, status.WorkerStatus{
			Name: name, Program: m.Program, Address: m.Address, State: state(m), Concurrency: m.Concurrency, Busy: m.Busy,
			Doing: c.doing(m), Tasks: c.account.Load(name).Tasks, Held: c.plan.HeldBy(name),
			Moved: m.Moved, Runs: m.Runs, Seen: m.LastHeard, ToCopy: c.toCopy(m),
			Speed: c.account.Rates.Speed(name), WaitMillis: m.DiskWait.Milliseconds(), Disk: (*status.Disk)(m.Disk),
		})
	}
	slices.SortFunc(s.Workers, func(a, b status.WorkerStatus) int { return cmp.Compare(a.Name, b.Name) })
	return s
}

// doing lists the windows that a worker worked on at its last heartbeat, as far as the plan has them.
func (c *Coordinator) doing(m *membership.Member) (list []status.Doing) {
	for _, d := range m.Doing {
		if _, _, err := c.plan.Window(d.Window); err != nil {
			continue
		}
		since := m.DoingAt.Add(-time.Duration(d.Millis) * time.Millisecond)
		list = append(list, status.Doing{Window: d.Window.String(), Copy: d.Copy, Since: since})
	}
	return list
}

func state(m *membership.Member) string {
	switch {
	case m.DiskFull:
		return status.WorkerFull
	case m.Ends():
		return status.WorkerLeaving
	case m.Joining:
		return status.WorkerJoining
	}
	return status.WorkerActive
}
