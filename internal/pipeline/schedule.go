package pipeline

import (
	"container/heap"
	"fmt"

	"pagoda/internal/puzzle"
)

// want makes every window of c that nobody holds pending, and the same for the ancestors that this needs. It returns
// the number of windows among them that were done before and are computed again.
func (p *Plan) want(c *cell) (again int) {
	for stack := []*cell{c}; len(stack) > 0; {
		c := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		added := false
		for i := len(c.windows) - 1; i >= 0; i-- { // todo is taken from its end
			w := &c.windows[i]
			if w.state != WindowPlanned && w.state != WindowAbsent {
				continue
			}
			if w.done {
				again++
			}
			p.mustFire(c, i, evWant)
			added = true
		}
		if !added {
			continue
		}
		for _, parent := range c.parents {
			if parent.held < len(parent.windows) {
				stack = append(stack, parent)
			}
		}
	}
	return again
}

// requeue puts window i of c back on its todo list, when it is still assigned: its result may have come another way.
func (p *Plan) requeue(c *cell, i int) {
	if c.windows[i].state == WindowAssigned {
		p.mustFire(c, i, evRequeue)
	}
}

// list puts window i of c on its todo list.
func (p *Plan) list(c *cell, i int) {
	if w := &c.windows[i]; !w.listed {
		w.listed = true
		c.todo = append(c.todo, int32(i))
		if c.queued {
			p.readyWork += c.workPerWindow()
		}
	}
	p.enqueue(c)
}

// requestAudit has a committed window computed a second time.
func (p *Plan) requestAudit(c *cell, i int) error {
	w := &c.windows[i]
	if !w.done {
		return &TransitionError{Window: c.id(i), State: w.state, Event: eventNames[evAudit]}
	}
	w.audit = true
	switch {
	case w.state == WindowAwaited: // when it is known who holds it, see hold and stopAwaiting
	case w.state.toCompute(): // by whoever has it; then once more
	default:
		return p.fire(c, i, evAudit)
	}
	return nil
}

// enqueue puts c into the ready heap of its strip when it has something to do and all its parents are held.
func (p *Plan) enqueue(c *cell) {
	if !c.queued && len(c.todo) > 0 && c.parentsHeld() {
		c.queued = true
		p.readyWork += float64(len(c.todo)) * c.workPerWindow()
		heap.Push(&p.ready[c.strip], c)
	}
}

func (c *cell) parentsHeld() bool {
	for _, parent := range c.parents {
		if parent.held < len(parent.windows) {
			return false
		}
	}
	return true
}

// stepsPerWindow is what a window costs beside the steps that the puzzle predicts, in steps: some 50 microseconds.
const stepsPerWindow = 10_000

func (c *cell) workPerWindow() float64 { return stepsPerWindow + c.Work/float64(len(c.windows)) }

// next takes ready windows of some strips in plan order until their predicted work reaches target. It returns none when
// nothing is ready there.
func (p *Plan) next(in span, target float64, limit int) (ws []TaskWindow, work float64) {
	for len(ws) < limit && (len(ws) == 0 || work < target) {
		c := p.first(in)
		if c == nil {
			break
		}
		i := c.todo[len(c.todo)-1]
		c.todo = c.todo[:len(c.todo)-1]
		w := &c.windows[i]
		w.listed = false
		per := c.workPerWindow()
		p.readyWork -= per
		if len(c.todo) == 0 {
			p.dequeue(c)
		}
		if w.state != WindowQueued {
			continue // its result has come another way meanwhile
		}
		p.mustFire(c, int(i), evAssign)
		ws = append(ws, TaskWindow{Window: c.Window(int(i)), Fresh: w.fresh, Audit: w.audit && w.done})
		work += per
	}
	return ws, work
}

// first returns the first cell in plan order of those in some strips that have windows to be computed, nil when there
// is none.
func (p *Plan) first(in span) (first *cell) {
	for i := in.from; i < in.to; i++ {
		for len(p.ready[i]) > 0 {
			c := p.ready[i][0]
			if len(c.todo) > 0 && c.parentsHeld() {
				if first == nil || c.order < first.order {
					first = c
				}
				break
			}
			p.dequeue(c)
		}
	}
	return first
}

// dequeue removes c, the first of its ready heap.
func (p *Plan) dequeue(c *cell) {
	heap.Pop(&p.ready[c.strip])
	c.queued = false
	p.readyWork -= float64(len(c.todo)) * c.workPerWindow()
	if p.readyWork < 0 {
		p.readyWork = 0 // rounding
	}
	if len(c.todo) == 0 {
		c.todo = nil
	}
}

// hold notes that a worker holds the rows of a window. It makes the children ready that waited for it.
func (p *Plan) hold(id puzzle.WindowID, worker string) error {
	c, w, err := p.window(id)
	if err != nil {
		return err
	}
	switch {
	case w.audit && w.state == WindowAwaited:
		err = p.fire(c, id.Part, evAudit)
	case !w.audit && w.state != WindowHeld:
		err = p.fire(c, id.Part, evHold)
	}
	if err != nil {
		return err
	}
	p.mu.Lock()
	before := w.holders
	p.holders.set(w, p.holders.with(before, worker))
	p.mu.Unlock()
	w.fresh = false
	if before != 0 {
		return nil
	}
	c.held++
	if c.held == len(c.windows) {
		for _, child := range c.children {
			p.enqueue(child)
		}
	}
	return nil
}

// holdersWith names the holders of w once worker is one of them.
func (p *Plan) holdersWith(w *window, worker string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.holders.names(p.holders.with(w.holders, worker))
}

// release notes that nobody holds the rows of a window any more. It reports whether somebody did.
func (p *Plan) release(id puzzle.WindowID) (bool, error) {
	c, w, err := p.window(id)
	if err != nil || w.holders == 0 {
		return false, err
	}
	p.mu.Lock()
	p.holders.set(w, 0)
	p.mu.Unlock()
	p.unheld(c, id.Part)
	return true, nil
}

// unheld notes that nobody holds the rows of window i of c any more.
func (p *Plan) unheld(c *cell, i int) {
	c.held--
	if c.windows[i].state == WindowHeld {
		p.mustFire(c, i, evLose)
	}
}

// keeps reports whether the rows of c are to stay: because the policy says so, or because they will be read.
func (p *Plan) keeps(keep Keep, c *cell) bool {
	return c.pending > 0 || p.needs(keep, c)
}

// needs reports whether the rows of c are needed, apart from those that are being computed.
func (p *Plan) needs(keep Keep, c *cell) bool {
	if keep == KeepAll || !p.decided || c.done < len(c.windows) {
		return true
	}
	for _, child := range c.children {
		if child.done < len(child.windows) || child.pending > 0 {
			return true
		}
	}
	return len(c.children) == 0 && keep == KeepLast
}

// cellHeap orders cells by their place in the plan.
type cellHeap []*cell

func (h cellHeap) Len() int           { return len(h) }
func (h cellHeap) Less(i, j int) bool { return h[i].order < h[j].order }
func (h cellHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *cellHeap) Push(x any)        { *h = append(*h, x.(*cell)) }
func (h *cellHeap) Pop() any {
	old := *h
	c := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return c
}

// stuck names a pending window and what it waits for.
func (p *Plan) stuck() string {
	for _, l := range p.layers {
		for i := range l.plans {
			c := p.cells[l.plans[i].Cell]
			if c.pending == 0 {
				continue
			}
			for _, parent := range c.parents {
				if parent.held < len(parent.windows) {
					return fmt.Sprintf("cell %d/%s waits for cell %d/%s, of which %d of %d windows are held",
						c.Layer, c.Key, parent.Layer, parent.Key, parent.held, len(parent.windows))
				}
			}
			return fmt.Sprintf("cell %d/%s", c.Layer, c.Key)
		}
	}
	return "nothing is pending"
}
