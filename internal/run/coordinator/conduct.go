package coordinator

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"pagoda/internal/run/coordinator/membership"
	"pagoda/internal/run/protocol"
)

// leastAsked is how long a check takes at least that says something of a worker. A shorter one knows from an earlier
// check that the worker could not be reached, and the worker may have come back since.
const leastAsked = time.Second

// noteConduct writes the findings of a check into the records of holders, and lets holders go that serve nothing. The
// needed windows that they hold are computed again at once, not when one reader after the other has waited.
func (c *Coordinator) noteConduct(ctx context.Context, found map[string]error, asked time.Time) error {
	now := c.o.Now()
	for _, name := range slices.Sorted(maps.Keys(found)) {
		m, err := c.members.Get(name), found[name]
		if m == nil || c.owns(name) {
			continue
		}
		faults := membership.Misserved
		switch {
		case err == nil:
			c.members.Served(name)
			continue
		case errors.Is(err, protocol.ErrUnreachable):
			if !c.silentHolder(name, asked) {
				continue // it may be gone, with its disk or without; that shows soon
			}
			faults = membership.Withheld
		}
		if !c.members.Unserved(name, faults, now) {
			continue
		}
		c.members.Pardon()
		if err := c.letGo(ctx, name, WorkerLost{Unserved: true}); err != nil {
			return err
		}
	}
	return nil
}

// silentHolder reports whether a worker that could not be reached in a check says that it lives.
func (c *Coordinator) silentHolder(name string, asked time.Time) bool {
	m := c.members.Get(name)
	return m != nil && c.o.Now().Sub(asked) >= leastAsked && m.LastHeard.After(asked)
}

// letGo does without a worker, until it joins again.
func (c *Coordinator) letGo(ctx context.Context, name string, e WorkerLost) error {
	c.members.Remove(name)
	c.workersLost++
	e.Worker, e.Windows = name, c.plan.EvictWorker(name)
	e.Again = c.wantLost(e.Windows)
	call(c.o.Events.WorkerLost, e)
	return c.reassign(ctx, name)
}
