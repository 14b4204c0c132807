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

// noteConduct takes the time of a check off the budgets of holders, and the time for which the worker has waited whose
// accusation it proves. It lets holders go that serve nothing. The needed windows that they hold are computed again at
// once, not when one reader after the other has waited.
func (c *Coordinator) noteConduct(
	ctx context.Context, worker string, waited time.Duration, found map[string]error, asked time.Time,
) error {
	now := c.o.Now()
	for _, name := range slices.Sorted(maps.Keys(found)) {
		err := found[name]
		if c.members.Get(name) == nil || c.owns(name) {
			continue
		}
		if err == nil {
			c.servedIn(name, now.Sub(asked))
			continue
		}
		c.members.Costs.Tasks(worker).Return(c.servedIn(name, waited))
		c.servedIn(name, max(now.Sub(asked), membership.LeastCost))
		if errors.Is(err, protocol.ErrUnreachable) && !c.silentHolder(name, asked) {
			continue // it may be gone, with its disk or without; that shows soon
		}
		if !c.members.Costs.Unserved(name, now) {
			continue
		}
		if err := c.letGo(ctx, name, WorkerLost{Unserved: true}); err != nil {
			return err
		}
	}
	return nil
}

// servedIn takes the time for which rows were waited for off the budget of their holder. It returns how much of it was
// there.
func (c *Coordinator) servedIn(holder string, took time.Duration) time.Duration {
	defer c.setPeers(holder)
	return c.members.Costs.Serving(holder).Take(took)
}

// setPeers has readers wait for the workers of a party as long as the budget of the party says.
func (c *Coordinator) setPeers(worker string) {
	costs := c.members.Costs
	for name, m := range c.members.All() {
		if protocol.Party(name) == protocol.Party(worker) {
			m.Patience = int(costs.Serving(name).ReadPatience().Milliseconds())
			c.plan.SetPeer(m.Peer)
		}
	}
}

// silentHolder reports whether a worker that could not be reached in a check says that it lives.
func (c *Coordinator) silentHolder(name string, asked time.Time) bool {
	m := c.members.Get(name)
	if m == nil {
		return false
	}
	now := c.o.Now()
	if m.Wait(checkTime) < leastAsked { // a check tells little, and the worker has held up others enough
		return len(c.members.Alive([]string{name}, now)) > 0
	}
	return now.Sub(asked) >= leastAsked && m.LastHeard.After(asked)
}

// letGo does without a worker, until it joins again.
func (c *Coordinator) letGo(ctx context.Context, name string, e WorkerLost) error {
	if m := c.members.Get(name); m.Ends() && !e.Unserved {
		e.Left = true
	} else {
		c.counts.workersLost++
	}
	c.members.Remove(name)
	e.Worker, e.Windows = name, c.plan.EvictWorker(name)
	e.Again = c.wantLost(e.Windows)
	call(c.o.Events.WorkerLost, e)
	return c.reassign(ctx, name)
}
