package pipeline

import "pagoda/internal/puzzle"

// Holdings come and go with the workers that have them.

// bits is a set of windows by their number in the plan.
type bits []uint64

func (b *bits) add(i int) {
	for i/64 >= len(*b) {
		*b = append(*b, 0)
	}
	(*b)[i/64] |= 1 << (i % 64)
}

func (b bits) has(i int) bool { return i/64 < len(b) && b[i/64]>>(i%64)&1 != 0 }

// withdraw notes that a worker no longer holds any window but those in stay. It returns how many windows have no
// holder now; what of them is needed has to be wanted again, see wantAll.
func (p *Plan) withdraw(worker string, stay bits) (lost int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	after := make([]holderSet, len(p.holders.sets)+1)
	for s := range after {
		after[s] = p.holders.without(holderSet(s), worker)
	}
	for _, l := range p.layers {
		for i := range l.plans {
			c := p.cells[l.plans[i].Cell]
			for part := range c.windows {
				w := &c.windows[part]
				left := after[w.holders]
				if left == w.holders || stay.has(c.base+part) {
					continue
				}
				if p.holders.set(w, left); left == 0 {
					c.held--
					lost++
				}
			}
		}
	}
	return lost
}

// await notes that a window has holders on record who may come back: until giveUp, it is not computed again.
func (p *Plan) await(id puzzle.WindowID) error {
	_, w, err := p.window(id)
	if err == nil && w.holders == 0 && !w.awaited {
		w.awaited = true
		p.nAwaited++
	}
	return err
}

// arrived ends the waiting for window i of c. If it is pending, for an audit, it can be handed out now.
func (p *Plan) arrived(c *cell, i int) {
	if w := &c.windows[i]; w.awaited {
		w.awaited = false
		p.nAwaited--
		p.relist(c, i)
	}
}

// giveUp ends all waiting, and makes what is needed pending. It returns how many windows are computed again.
func (p *Plan) giveUp(keep Keep) (again int) {
	p.stopAwaiting()
	return p.wantAll(keep)
}

func (p *Plan) stopAwaiting() {
	for _, c := range p.cells {
		for i := range c.windows {
			p.arrived(c, i)
		}
	}
}

// unhold notes that some workers do not hold the rows of a window after all. It reports whether nobody does now, and
// did before.
func (p *Plan) unhold(c *cell, w *window, workers []string) (lost bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if w.holders == 0 {
		return false
	}
	p.holders.set(w, p.holders.without(w.holders, workers...))
	if w.holders != 0 {
		return false
	}
	c.held--
	return true
}
