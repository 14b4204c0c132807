package coordinator

import (
	"context"
	"fmt"
	"slices"
	"time"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator/membership"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
)

// join takes one page of a worker's inventory.
func (c *Coordinator) join(ctx context.Context, j *protocol.Join) protocol.JoinResponse {
	out := protocol.JoinResponse{Epoch: c.o.Epoch}
	if j.Run != c.run {
		out.Error = fmt.Sprintf("worker %s joins run %s; this is run %s", j.Worker, protocol.Clip(j.Run), c.run)
		return out
	}
	if c.succeeded() {
		out.Error = protocol.Clip(c.err.Error())
		return out
	}
	if err := protocol.CheckVersion(j.Worker, j.Version); err != nil {
		c.unfit(j.Worker, j.Program, fmt.Sprintf("it speaks version %d of the messages, the coordinator version %d",
			j.Version, protocol.Version))
		out.Error = err.Error()
		return out
	}
	m, stop, text := c.recognise(j.Worker, j.Incarnation)
	if stop {
		out.Stop, out.Error = true, text
		return out
	}
	if wait := c.members.Barred(j.Worker, c.o.Now()); wait > 0 {
		c.times.barred = c.o.Now()
		out.Error = fmt.Sprintf("worker %s does not serve the windows that it holds, and may join again in %v",
			j.Worker, wait.Round(time.Second))
		return out
	}
	if j.Page == 0 {
		if text := c.makeRoom(ctx, j.Worker); text != "" {
			out.Error = text
			return out
		}
		m = c.admit(ctx, j)
	}
	if !m.Turn(j.Incarnation, j.Page, c.o.Now()) {
		out.Error = fmt.Sprintf("page %d of the inventory of worker %s is out of turn", j.Page, j.Worker)
		return out
	}
	for i := range j.Held {
		if c.reconcile(m, &j.Held[i]) {
			continue
		}
		out.Drop = append(out.Drop, j.Held[i].Window.ID())
	}
	if every := c.fleet.WorkerTimeout / beatsInTimeout; every < protocol.HeartbeatInterval {
		out.BeatMillis = every.Milliseconds()
	}
	if !j.More {
		c.stopOn(c.completeJoin(ctx, m))
	}
	return out
}

// admit begins an inventory.
func (c *Coordinator) admit(ctx context.Context, j *protocol.Join) *membership.Member {
	m, replaced := c.members.Name(j.Worker, j.Incarnation)
	if replaced {
		// The tasks of the process before it are gone with it.
		c.stopOn(c.reassign(ctx, j.Worker))
	}
	m.Begin(j)
	c.setPeers(j.Worker)
	return m
}

const (
	// beatsInTimeout is how many heartbeats a worker sends, at least, in the time after which a silent one is let go.
	beatsInTimeout = 4
	// maxReplicas is how many workers count as holders of a window because of their inventories: were it as many as say
	// so, the sets of holders would take memory with the square of the joins.
	maxReplicas = 16
	// maxLostClaims is how often the rows of a window may be lost until no inventory is believed that names it.
	maxLostClaims = 2
)

// makeRoom makes room for a worker that joins. It returns why there is none.
func (c *Coordinator) makeRoom(ctx context.Context, worker string) (text string) {
	gone, text := c.members.MakeRoom(worker, c.owns)
	if gone != "" {
		c.plan.EvictWorker(gone)
		c.stopOn(c.reassign(ctx, gone))
	}
	return text
}

// reconcile records a window that a worker says it has. It reports whether the worker should keep it.
func (c *Coordinator) reconcile(m *membership.Member, h *protocol.Held) (keep bool) {
	p := c.plan
	id := h.Window.ID()
	cell, w, err := p.Window(id)
	if err != nil {
		return id.Layer >= len(p.PlannedLayers) && !p.Decided // its layer may come
	}
	if cell.Window(id.Part) != h.Window || w.Committed && w.Digest != h.Digest {
		return false
	}
	if !w.Committed {
		// It was computed and never reported, and the task for it finds it there; or it was computed from wrong rows.
		return !c.doubt.Suspect(id)
	}
	if w.Fresh || w.Rows > 0 && !p.Retains(c.o.Retention, cell) {
		return false
	}
	if w.Losses >= maxLostClaims && w.Replicas == 0 {
		return true // earlier claims of it were false; a worker that computes it is believed
	}
	if names := p.ReplicaNames(w); len(names) >= maxReplicas && !slices.Contains(names, m.Name) {
		return true // there are others to be asked
	}
	(*plan.WindowSet)(&m.Held).Add(cell.Base + id.Part)
	if err := c.hold(id, m.Name); err != nil {
		return false
	}
	if !w.Audit {
		c.account.Complete(id)
	}
	return true
}

// completeJoin ends an inventory: the worker has no other windows.
func (c *Coordinator) completeJoin(ctx context.Context, m *membership.Member) error {
	m.Joining = false
	lost, brought := c.plan.RemoveWorker(m.Name, m.Held), len(m.Held) > 0
	m.Held = nil
	again := 0
	if lost > 0 && c.running() {
		again = c.wantLost(lost)
	}
	cancelled := 0
	if brought {
		var cells []*plan.Cell
		cancelled, cells = c.plan.CancelUnneeded(c.o.Retention)
		for _, cell := range cells {
			c.queueDrop(cell)
		}
	}
	call(c.o.Events.WorkerJoined, WorkerJoined{
		Worker:      m.Name,
		Program:     m.Program,
		Address:     m.Address,
		Concurrency: m.Concurrency,
		Held:        c.plan.HeldBy(m.Name),
		Missing:     lost,
		Again:       again,
		Cancelled:   cancelled,
	})
	if c.running() {
		c.replicate()
	}
	return c.proceed(ctx)
}

// broadcastDrop tells the fleet to drop rows.
func (c *Coordinator) broadcastDrop(ids []puzzle.WindowID) error {
	if c.fleet.Broadcast == nil {
		return nil
	}
	for part := range slices.Chunk(ids, protocol.MaxDropPage) {
		if err := c.fleet.Broadcast(protocol.Drop{Run: c.run, Epoch: c.o.Epoch, Windows: part}); err != nil {
			return err
		}
	}
	return nil
}
