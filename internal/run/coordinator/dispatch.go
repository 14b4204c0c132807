package coordinator

import (
	"context"
	"fmt"
	"slices"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
)

// submit passes tasks to the queue. While that is away, the watch finds them missing, again and again.
func (c *Coordinator) submit(ctx context.Context, tasks []protocol.Task) error {
	err := c.queue.Submit(ctx, tasks)
	if ctx.Err() != nil {
		return nil //nolint:nilerr // the coordinator ends: the next one submits what is left
	}
	if err := c.noteQueue(err); err != nil {
		return fmt.Errorf("submit %d tasks: %w", len(tasks), err)
	}
	return nil
}

// noteQueue notes by the queue's answer whether the queue is there, and passes on any other error.
func (c *Coordinator) noteQueue(err error) error {
	why := protocol.WhyDown(err)
	if why != c.queueDown {
		c.queueDown = why
		call(c.o.Events.QueueDown, QueueDown{Down: why != "", Err: err})
	}
	if why != "" {
		return nil
	}
	return err
}

// idle returns an error when nothing was assigned and nothing is awaited.
func (c *Coordinator) idle() error {
	p := c.plan
	switch {
	case c.account.Tasks() > 0 || c.failures.Retrying() || len(c.own.pending) > 0,
		p.AwaitedCount > 0 || p.Finished():
		return nil
	case p.QuarantinedCount > 0:
		return c.failures.Error()
	}
	return fmt.Errorf("%d windows are left and none of them can be computed: %s", p.PendingCount, p.Stuck())
}

// watch looks for tasks that the queue has lost, and sends their windows again.
func (c *Coordinator) watch(ctx context.Context) error {
	// A task is acknowledged after its report is answered, so the queue knows at least the tasks that are in flight.
	known, err := c.queue.Pending(ctx)
	if ctx.Err() != nil {
		return nil //nolint:nilerr // the coordinator ends, and no task is missed any more
	}
	if err := c.noteQueue(err); err != nil {
		return fmt.Errorf("tasks in the queue: %w", err)
	}
	if c.queueDown != "" {
		return nil
	}
	under := c.account.Out()
	if lost := under - known; lost > 0 {
		// Which of them are lost the queue cannot say. Those that are not come back twice, which does no harm.
		if err := c.plan.RequeueAll(c.account.Reset()); err != nil {
			return err
		}
		call(c.o.Events.Resubmitted, Resubmitted{Tasks: lost})
		return c.advance(ctx)
	}
	return nil
}

// Rows are dropped in groups: each costs a sync of the ledger, which holds up the coordinator.
const (
	dropCells = 64
	dropBytes = 64 << 20
)

// dropping has cells for the retention policy to look at.
type dropping struct {
	cells []*plan.Cell
	bytes uint64 // about those that are superfluous
}

func (d *dropping) add(cells ...*plan.Cell) { d.cells = append(d.cells, cells...) }

// queueDrop notes that c has been completed: it and its parents may have become superfluous.
func (c *Coordinator) queueDrop(cell *plan.Cell) {
	if c.o.Retention == plan.RetainAll {
		return
	}
	c.dropping.add(append([]*plan.Cell{cell}, cell.ParentCells...)...)
	for i := range cell.Parts {
		c.dropping.bytes += cell.Parts[i].Bytes
	}
}

// announceUnread tells the workers which parents of c, which has been completed, nothing reads any more. Best effort: a
// worker that does not hear it evicts them in its own time.
func (c *Coordinator) announceUnread(cell *plan.Cell) {
	if c.fleet.Broadcast == nil {
		return
	}
	for _, parent := range cell.ParentCells {
		if c.plan.Retains(plan.RetainSummary, parent) {
			continue
		}
		ids := make([]puzzle.WindowID, len(parent.Parts))
		for i := range ids {
			ids[i] = parent.WindowID(i)
		}
		for page := range slices.Chunk(ids, protocol.MaxDropPage) {
			_ = c.fleet.Broadcast(protocol.Drop{Run: c.run, Epoch: c.o.Epoch, Windows: page, Unread: true})
		}
	}
}

// drop removes the rows of the cells that have become superfluous: first from the ledger, then from the disks. Their
// holders on record are not waited for any more.
func (c *Coordinator) drop() error {
	p := c.plan
	if c.o.Retention == plan.RetainAll || !p.Decided ||
		len(c.dropping.cells) < dropCells && c.dropping.bytes < dropBytes && !p.Computed() {
		return nil
	}
	cells := c.dropping.cells
	c.dropping = dropping{}
	var ids []puzzle.WindowID
	var bytes uint64
	for _, cell := range cells {
		if p.Retains(c.o.Retention, cell) {
			continue
		}
		if p.GiveUp(cell); cell.Held == 0 {
			continue
		}
		for i := range cell.Parts {
			id := puzzle.WindowID{Cell: cell.Cell, Part: i}
			held, err := p.DropReplicas(id)
			if err != nil {
				return err
			}
			if held {
				ids = append(ids, id)
				bytes += cell.Parts[i].Bytes
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	if err := c.ledger.Unhold(ids...); err != nil {
		return err
	}
	if err := c.broadcastDrop(ids); err != nil {
		return err
	}
	call(c.o.Events.Dropped, Dropped{Windows: ids, Bytes: bytes})
	return nil
}
