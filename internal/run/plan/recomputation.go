package plan

import (
	"pagoda/internal/run/protocol"
)

// WantAll makes all windows pending that the plan lacks: windows that are not committed, and rows that the policy wants
// kept or that pending windows read. It returns the number of committed windows that are to be computed again.
func (p *Plan) WantAll(keep Retention) (again int) {
	// Children first: whether they are pending decides whether their parents' rows are wanted.
	for n := len(p.PlannedLayers) - 1; n >= 0; n-- {
		again += p.WantLayer(keep, n)
	}
	return again
}

// WantLayer is WantAll for one layer and for the layers that it needs.
func (p *Plan) WantLayer(keep Retention, n int) (again int) {
	plans := p.PlannedLayers[n].Plans
	for i := len(plans) - 1; i >= 0; i-- {
		if c := p.Index[plans[i].Cell]; p.Retains(keep, c) {
			again += p.want(c)
		}
	}
	return again
}

// AgainCount counts the committed windows that a worker is to compute again because their rows are lost. Audited
// windows, also those whose rows are lost too, and quarantined windows are not among them. It is called by the
// goroutine that changes the plan.
func (p *Plan) AgainCount() (again int) {
	for _, l := range p.PlannedLayers {
		for i := range l.Plans {
			c := p.Index[l.Plans[i].Cell]
			if c.Pending == 0 || c.Done == 0 {
				continue // as nearly all are: a status is made every second
			}
			for j := range c.Parts {
				w := &c.Parts[j]
				if w.Committed && !w.Audit && (w.State == WindowQueued || w.State == WindowAssigned) {
					again++
				}
			}
		}
	}
	return again
}

// CancelUnneeded cancels recomputations that are not needed any more, because a worker has come back with the rows:
// those that no worker has been given. It returns their number, and the cells that have some.
func (p *Plan) CancelUnneeded(keep Retention) (cancelled int, cells []*Cell) {
	// Children first, as in WantAll.
	for n := len(p.PlannedLayers) - 1; n >= 0; n-- {
		for i := range p.PlannedLayers[n].Plans {
			c := p.Index[p.PlannedLayers[n].Plans[i].Cell]
			if c.Pending == 0 || p.needs(keep, c) {
				continue
			}
			before := cancelled
			for i := range c.Parts {
				if w := &c.Parts[i]; w.State == WindowQueued && w.Committed && !w.Audit {
					p.mustFire(c, i, evCancel)
					cancelled++
				}
			}
			if cancelled > before {
				cells = append(cells, c)
			}
		}
	}
	return cancelled, cells
}

// Lose notes that a window could not be read, as f says. news is false when that was known: f is of a reader that
// looked the window up before it was last lost. gone says that it has no holder any more; it and whatever it needs are
// then pending again. damage counts the loss against the window, and makes sure that the next computation is one.
func (p *Plan) Lose(c *Cell, i int, f *protocol.Failure, damage bool) (news, gone bool) {
	w := &c.Parts[i]
	if w.Replicas == 0 || f.Loss < int(w.Losses) {
		return false, false
	}
	workers := f.Holders
	if len(workers) == 0 {
		workers = p.ReplicaNames(w)
	}
	before := w.Replicas
	gone = p.removeReplicas(c, i, workers)
	if !gone {
		return w.Replicas != before, false
	}
	if damage {
		p.mu.Lock()
		w.Losses = uint8(min(int(w.Losses)+1, 255))
		p.mu.Unlock()
		w.Fresh = true
	}
	p.want(c)
	return true, true
}

// ReplicaNames names the holders of a window.
func (p *Plan) ReplicaNames(w *Window) []string { return p.ReplicaSets.Names(w.Replicas) }
