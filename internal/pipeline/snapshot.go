package pipeline

import (
	"cmp"
	"context"
	"slices"
)

// Status returns the state of a coordinator that runs, or has run.
func (c *Coordinator) Status(ctx context.Context) (s FleetStatus) {
	if !c.ask(ctx, func() { s = c.state() }) {
		select {
		case <-c.ended: // nobody changes anything any more
			s = c.state()
		default:
		}
	}
	return s
}

// state describes the coordinator, from its loop.
func (c *Coordinator) state() FleetStatus {
	s := FleetStatus{
		Epoch: c.o.Epoch, Awaited: c.plan.nAwaited, Pending: c.plan.nPending, MovedBytes: c.movedBytes, Audited: c.audits,
	}
	for _, q := range c.quarantine {
		s.Quarantined = append(s.Quarantined, QuarantinedWindow{
			Window: q.Window.String(), Attempts: q.Attempts, Error: Clip(q.Err.Error()),
		})
	}
	s.WorkersLost, s.Copied = c.fleet.lost, c.fleet.copies.settled
	for name, m := range c.fleet.members {
		s.Workers = append(s.Workers, WorkerStatus{
			Name: name, Address: m.Address, State: m.state(), Concurrency: m.slots, Busy: m.busy,
			Tasks: c.flights.directed[name].tasks, Held: c.plan.holders.held(name), Moved: m.moved, Seen: m.seen,
		})
	}
	slices.SortFunc(s.Workers, func(a, b WorkerStatus) int { return cmp.Compare(a.Name, b.Name) })
	return s
}

func (m *member) state() string {
	switch {
	case m.full:
		return WorkerFull
	case m.leaving:
		return WorkerLeaving
	case m.joining:
		return WorkerJoining
	}
	return WorkerActive
}
