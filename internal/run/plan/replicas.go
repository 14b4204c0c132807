package plan

import (
	"slices"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
)

// Replicas come and go with the workers that hold them.

// WindowSet is a set of windows by their number in the plan.
type WindowSet []uint64

// Add adds a window.
func (b *WindowSet) Add(i int) {
	for i/64 >= len(*b) {
		*b = append(*b, 0)
	}
	(*b)[i/64] |= 1 << (i % 64)
}

// Has reports whether a window is in the set.
func (b WindowSet) Has(i int) bool { return i/64 < len(b) && b[i/64]>>(i%64)&1 != 0 }

// RemoveWorker notes that a worker no longer holds any window but those in stay. It returns how many windows have no
// holder now; those of them that are needed have to be wanted again, see WantAll.
func (p *Plan) RemoveWorker(worker string, stay WindowSet) (lost int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ReplicaSets.Count(worker) == 0 {
		return 0
	}
	after := make([]ReplicaSet, len(p.ReplicaSets.sets)+1)
	for s := range after {
		after[s] = p.ReplicaSets.without(ReplicaSet(s), worker)
	}
	for _, l := range p.PlannedLayers {
		for i := range l.Plans {
			c := p.Index[l.Plans[i].Cell]
			for part := range c.Parts {
				w := &c.Parts[part]
				left := after[w.Replicas]
				if left == w.Replicas || stay.Has(c.Base+part) {
					continue
				}
				if p.ReplicaSets.set(w, left); left == 0 {
					p.unheld(c, part)
					lost++
				}
			}
		}
	}
	return lost
}

// EvictWorker notes that a worker is gone, with all that it holds, see RemoveWorker.
func (p *Plan) EvictWorker(worker string) (lost int) {
	lost = p.RemoveWorker(worker, nil)
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.ReplicaSets.peers, worker)
	return lost
}

// Await notes that the holders of a committed window may come back: until RejoinTimedOut it is not computed again.
func (p *Plan) Await(id puzzle.WindowID) error {
	c, w, err := p.Window(id)
	if err != nil || w.State == WindowHeld || w.State.awaited() {
		return err
	}
	return p.fire(c, id.Part, evAwait)
}

// AwaitAbsent notes that needed committed windows without a holder may be had yet: until they are given up, they are
// not computed again. It returns their number.
func (p *Plan) AwaitAbsent(keep Retention) (n int) {
	for _, c := range p.Index {
		if c.Held == len(c.Parts) || !p.Retains(keep, c) {
			continue
		}
		for i := range c.Parts {
			if c.Parts[i].State == WindowAbsent {
				p.mustFire(c, i, evAwait)
				n++
			}
		}
	}
	return n
}

// RejoinTimedOut ends all waiting, and makes the needed windows pending. It returns how many windows are computed
// again.
func (p *Plan) RejoinTimedOut(keep Retention) (again int) {
	p.StopAwaiting()
	return p.WantAll(keep)
}

// StopAwaiting gives up all windows whose replicas on record were awaited.
func (p *Plan) StopAwaiting() {
	for _, c := range p.Index {
		p.GiveUp(c)
	}
}

// GiveUp is StopAwaiting for the windows of c.
func (p *Plan) GiveUp(c *Cell) {
	for i := range c.Parts {
		if c.Parts[i].State.awaited() {
			p.mustFire(c, i, evGiveUp)
		}
	}
}

// SetPeer notes where, and for how long, others ask a worker for windows.
func (p *Plan) SetPeer(peer protocol.Peer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ReplicaSets.compact()
	p.ReplicaSets.setPeer(peer)
}

// HeldBy counts the windows that a worker holds.
func (p *Plan) HeldBy(worker string) int { return p.ReplicaSets.Count(worker) }

// HeldByOnly counts the windows that a worker holds and no other does, but those that go too.
func (p *Plan) HeldByOnly(worker string, goes func(worker string) bool) (n int) {
	for i := range p.ReplicaSets.sets {
		s := &p.ReplicaSets.sets[i]
		stays := func(name string) bool { return !goes(name) }
		if s.windows > 0 && slices.Contains(s.names, worker) && !slices.ContainsFunc(s.names, stays) {
			n += s.windows
		}
	}
	return n
}

// removeReplicas notes that some workers do not hold the rows of a window after all. It reports whether the last holder
// has just been removed.
func (p *Plan) removeReplicas(c *Cell, i int, workers []string) (lost bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := &c.Parts[i]
	if w.Replicas == 0 {
		return false
	}
	p.ReplicaSets.set(w, p.ReplicaSets.without(w.Replicas, workers...))
	if w.Replicas != 0 {
		return false
	}
	p.unheld(c, i)
	return true
}
