package coordinator

import (
	"context"
	"errors"
	"time"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/pause"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
)

// lingering reports whether the run is complete and its workers are kept.
func (c *Coordinator) lingering() bool {
	return c.fleet.Linger && c.Finished() && !c.leaving.Load()
}

// evictMembers notes that silent workers are gone, with the windows that they held. Nothing is computed again for it.
func (c *Coordinator) evictMembers(now time.Time) {
	for _, name := range c.members.Silent(now) {
		c.members.Remove(name)
		if c.plan.EvictWorker(name) > 0 {
			c.listArchive() // for readers
		}
	}
}

// Rows returns the windows of a committed cell with the live workers that hold them. Safe for concurrent use.
func (c *Coordinator) Rows(id puzzle.Cell) (protocol.Located, error) {
	return c.plan.LocateCell(c.run, id)
}

// Results returns the plan with the committed results, also while the run goes on.
func (c *Coordinator) Results() *plan.Plan { return c.plan }

// maxDrainPause is the longest pause between two looks at which workers know that the run is over.
const maxDrainPause = 20 * time.Millisecond

// WakeWorkers asks all workers for a heartbeat. They would hear news only with their next one, or with a task.
func (c *Coordinator) WakeWorkers() {
	if c.fleet.Broadcast != nil {
		_ = c.fleet.Broadcast(protocol.Drop{Run: c.run, Epoch: c.o.Epoch})
	}
}

// DrainWorkers waits until all workers know that the run is over, for a time.
func (c *Coordinator) DrainWorkers(ctx context.Context, most time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	if err := c.Err(); errors.Is(err, ErrFenced) || errors.Is(err, errRefused) {
		return // they belong to another coordinator
	}
	c.WakeWorkers()
	for next := time.Millisecond; !c.drained(ctx) && pause.For(ctx, next) == nil; next = min(2*next, maxDrainPause) {
	}
}
