package plan

import (
	"container/heap"
	"fmt"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
)

// want makes every planned or absent window of c pending, and the same for the ancestors that this needs. It returns
// the number of windows among them that were done before and are computed again.
func (p *Plan) want(c *Cell) (again int) {
	for stack := []*Cell{c}; len(stack) > 0; {
		c := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		added := false
		for i := len(c.Parts) - 1; i >= 0; i-- { // todo is taken from its end
			w := &c.Parts[i]
			if w.State != WindowPlanned && w.State != WindowAbsent {
				continue
			}
			if w.Committed {
				again++
			}
			p.mustFire(c, i, evWant)
			added = true
		}
		if !added {
			continue
		}
		for _, parent := range c.ParentCells {
			if parent.Held < len(parent.Parts) {
				stack = append(stack, parent)
			}
		}
	}
	return again
}

// Requeue puts window i of c back on its todo list, when it is still assigned: its result may have come another way.
func (p *Plan) Requeue(c *Cell, i int) {
	if c.Parts[i].State == WindowAssigned {
		p.mustFire(c, i, evRequeue)
	}
}

// RequeueAll puts windows back on their todo lists, those that are still assigned.
func (p *Plan) RequeueAll(ids []puzzle.WindowID) error {
	for _, id := range ids {
		c, _, err := p.Window(id)
		if err != nil {
			return err
		}
		p.Requeue(c, id.Part)
	}
	return nil
}

// Quarantine sets window i of c aside: no worker computes it any more.
func (p *Plan) Quarantine(c *Cell, i int) error { return p.fire(c, i, evQuarantine) }

// list puts window i of c on its todo list.
func (p *Plan) list(c *Cell, i int) {
	s := c.shareOf(i)
	if w := &c.Parts[i]; !w.listed {
		w.listed = true
		s.todo = append(s.todo, int32(i))
		if s.queued {
			p.addReady(s, 1)
		}
	}
	p.enqueueShare(s)
}

// RequestAudit makes a committed window due for a second computation.
func (p *Plan) RequestAudit(c *Cell, i int) error {
	w := &c.Parts[i]
	if !w.Committed {
		return &TransitionError{Window: c.WindowID(i), State: w.State, Event: eventNames[evAudit]}
	}
	w.Audit = true
	if w.State.toCompute() {
		return nil // the computation in progress comes first
	}
	return p.fire(c, i, evAudit)
}

// enqueue puts the shares of c into the ready heaps of their partitions, those that have something to do, when all
// parents of c are held.
func (p *Plan) enqueue(c *Cell) {
	for i := range c.shares {
		p.enqueueShare(&c.shares[i])
	}
}

func (p *Plan) enqueueShare(s *share) {
	if !s.queued && len(s.todo) > 0 && s.cell.ParentsHeld() {
		s.queued = true
		p.addReady(s, len(s.todo))
		p.readyShares++
		heap.Push(&p.ready[s.partition], s)
	}
}

// ParentsHeld reports whether the rows of all parents can be read.
func (c *Cell) ParentsHeld() bool {
	for _, parent := range c.ParentCells {
		if parent.Held < len(parent.Parts) {
			return false
		}
	}
	return true
}

// stepsPerWindow is the cost of a window beside the steps that the puzzle predicts, in steps: some 50 microseconds.
const stepsPerWindow = 10_000

// WorkPerWindow predicts the cost of a window of the cell, in steps.
func (c *Cell) WorkPerWindow() float64 { return stepsPerWindow + c.Work/float64(len(c.Parts)) }

// Next takes ready windows of some partitions in plan order until their predicted work reaches target. It returns none
// when nothing is ready there.
func (p *Plan) Next(in PartitionRange, target float64, limit int) (ws []protocol.TaskWindow, work float64) {
	for len(ws) < limit && (len(ws) == 0 || work < target) {
		s := p.first(in)
		if s == nil {
			break
		}
		c, i := s.cell, s.todo[len(s.todo)-1]
		s.todo = s.todo[:len(s.todo)-1]
		w := &c.Parts[i]
		w.listed = false
		per := c.WorkPerWindow()
		p.addReady(s, -1)
		if len(s.todo) == 0 {
			p.dequeue(s)
		}
		if w.State != WindowQueued {
			continue // its result has come another way meanwhile
		}
		p.mustFire(c, int(i), evAssign)
		ws = append(ws, protocol.TaskWindow{Window: c.Window(int(i)), Fresh: w.Fresh, Audit: w.Audit && w.Committed})
		work += per
	}
	return ws, work
}

// first returns the first share in plan order of those in some partitions that have windows to be computed, nil when
// there is none.
func (p *Plan) first(in PartitionRange) (first *share) {
	for i := in.From; i < in.To; i++ {
		for len(p.ready[i]) > 0 {
			s := p.ready[i][0]
			if len(s.todo) > 0 && s.cell.ParentsHeld() {
				if first == nil || s.cell.order < first.cell.order {
					first = s
				}
				break
			}
			p.dequeue(s)
		}
	}
	return first
}

// AnyReady reports whether there is a window that can be computed and that no worker has.
func (p *Plan) AnyReady() bool { return p.first(p.AllPartitions()) != nil }

// NothingReady reports whether AnyReady would certainly report false, without looking through the partitions.
func (p *Plan) NothingReady() bool { return p.readyShares == 0 }

// dequeue removes s, the first of its ready heap.
func (p *Plan) dequeue(s *share) {
	heap.Pop(&p.ready[s.partition])
	p.readyShares--
	s.queued = false
	p.addReady(s, -len(s.todo))
	if len(s.todo) == 0 {
		s.todo = nil
	}
}

// addReady notes that so many windows of a share have become ready, or are so no more.
func (p *Plan) addReady(s *share, windows int) {
	work := float64(windows) * s.cell.WorkPerWindow()
	p.ReadyWork = max(0, p.ReadyWork+work) // not less by rounding
	p.readyWork[s.partition] = max(0, p.readyWork[s.partition]+work)
}

// ReadyIn returns the predicted work of the ready windows of some partitions.
func (p *Plan) ReadyIn(in PartitionRange) (work float64) {
	for _, w := range p.readyWork[in.From:in.To] {
		work += w
	}
	return work
}

// FirstWork returns the predicted work of the next ready window of a partition, 0 when there is none.
func (p *Plan) FirstWork(partition int) float64 {
	if s := p.first(PartitionRange{partition, partition + 1}); s != nil {
		return s.cell.WorkPerWindow()
	}
	return 0
}

// AddReplica notes that a worker holds the rows of a window. It makes the children ready that waited for it.
func (p *Plan) AddReplica(id puzzle.WindowID, worker string) error {
	c, w, err := p.Window(id)
	if err != nil {
		return err
	}
	switch {
	case w.State == WindowAuditAwaited:
		err = p.fire(c, id.Part, evHold)
	case !w.Audit && w.State != WindowHeld:
		err = p.fire(c, id.Part, evHold)
	}
	if err != nil {
		return err
	}
	p.mu.Lock()
	before := w.Replicas
	p.ReplicaSets.set(w, p.ReplicaSets.with(before, worker))
	p.mu.Unlock()
	w.Fresh = false
	if before != 0 {
		return nil
	}
	c.Held++
	if c.Held == len(c.Parts) {
		for _, child := range c.ChildCells {
			p.enqueue(child)
		}
	}
	return nil
}

// ReplicasWith names the holders of w once worker is one of them.
func (p *Plan) ReplicasWith(w *Window, worker string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ReplicaSets.Names(p.ReplicaSets.with(w.Replicas, worker))
}

// DropReplicas notes that no worker holds the rows of a window any more. It reports whether one did.
func (p *Plan) DropReplicas(id puzzle.WindowID) (bool, error) {
	c, w, err := p.Window(id)
	if err != nil || w.Replicas == 0 {
		return false, err
	}
	p.mu.Lock()
	p.ReplicaSets.set(w, 0)
	p.mu.Unlock()
	p.unheld(c, id.Part)
	return true, nil
}

// unheld notes that window i of c has lost its last holder.
func (p *Plan) unheld(c *Cell, i int) {
	c.Held--
	if c.Parts[i].State == WindowHeld {
		p.mustFire(c, i, evLose)
	}
}

// Retains reports whether the rows of c are to stay: because the policy says so, or because they will be read.
func (p *Plan) Retains(keep Retention, c *Cell) bool {
	return c.Pending > 0 || p.needs(keep, c)
}

// needs reports whether the rows of c are needed, apart from those that are being computed.
func (p *Plan) needs(keep Retention, c *Cell) bool {
	if keep == RetainAll || !p.Decided || c.Done < len(c.Parts) {
		return true
	}
	for _, child := range c.ChildCells {
		if !child.complete() {
			return true
		}
	}
	return len(c.ChildCells) == 0 && keep == RetainLast
}

// shareHeap orders shares by the place of their cells in the plan. A cell has one share in a partition.
type shareHeap []*share

func (h shareHeap) Len() int           { return len(h) }
func (h shareHeap) Less(i, j int) bool { return h[i].cell.order < h[j].cell.order }
func (h shareHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *shareHeap) Push(x any)        { *h = append(*h, x.(*share)) }
func (h *shareHeap) Pop() any {
	old := *h
	s := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return s
}

// Stuck names a cell with pending windows, and the parent cell that it waits for.
func (p *Plan) Stuck() string {
	for _, l := range p.PlannedLayers {
		for i := range l.Plans {
			c := p.Index[l.Plans[i].Cell]
			if c.Pending == 0 {
				continue
			}
			for _, parent := range c.ParentCells {
				if parent.Held < len(parent.Parts) {
					return fmt.Sprintf("cell %d/%s waits for cell %d/%s, of which %d of %d windows are held",
						c.Layer, c.Key, parent.Layer, parent.Key, parent.Held, len(parent.Parts))
				}
			}
			return fmt.Sprintf("cell %d/%s", c.Layer, c.Key)
		}
	}
	return "nothing is pending"
}
