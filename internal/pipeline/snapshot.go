package pipeline

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// WorkerStatus is what a coordinator knows of a worker.
type WorkerStatus struct {
	Name        string    `json:"name"`
	Address     string    `json:"address,omitempty"`
	State       string    `json:"state"`
	Concurrency int       `json:"concurrency"`
	Busy        int       `json:"busy"`            // slots that compute
	Tasks       int       `json:"tasks"`           // under way to it because it holds what they read
	Held        int       `json:"held"`            // windows
	Moved       uint64    `json:"moved,omitempty"` // bytes that it fetched from others
	Seen        time.Time `json:"seen"`            // its last sign of life
}

// States of a worker.
const (
	WorkerActive  = "active"
	WorkerJoining = "joining" // its inventory is not complete
	WorkerLeaving = "leaving" // it takes no more tasks, and counts as lost when it does not come back
	WorkerFull    = "full"    // its disk is full, and it ends
)

// QuarantinedWindow is a window that was set aside, for people.
type QuarantinedWindow struct {
	Window   string `json:"window"`
	Attempts int    `json:"attempts"`
	Error    string `json:"error"`
}

// FleetStatus is what a live run knows besides its plan.
type FleetStatus struct {
	Epoch       uint64              `json:"epoch,omitempty"` // of its coordinator
	Workers     []WorkerStatus      `json:"workers,omitempty"`
	WorkersLost int                 `json:"workers_lost,omitempty"` // since the start
	Awaited     int                 `json:"awaited,omitempty"`      // windows whose holders on record are not back
	Pending     int                 `json:"pending,omitempty"`      // windows to be computed, audits included
	Quarantined []QuarantinedWindow `json:"quarantined,omitempty"`
	// MovedBytes is the size of what workers had to fetch because they did not hold it, as the coordinator predicts it;
	// WorkerStatus.Moved is measured.
	MovedBytes uint64 `json:"moved_bytes,omitempty"`
	Audited    int    `json:"audited,omitempty"` // windows computed a second time and compared
	Copied     int    `json:"copied,omitempty"`  // windows copied for the sake of replicas
}

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
