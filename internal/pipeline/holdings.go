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
					p.unheld(c, part)
					lost++
				}
			}
		}
	}
	return lost
}

// await notes that a committed window has holders on record who may come back: until giveUp, it is not computed again.
func (p *Plan) await(id puzzle.WindowID) error {
	c, w, err := p.window(id)
	if err != nil || w.state == WindowHeld || w.state == WindowAwaited {
		return err
	}
	return p.fire(c, id.Part, evAwait)
}

// giveUp ends all waiting, and makes what is needed pending. It returns how many windows are computed again.
func (p *Plan) giveUp(keep Keep) (again int) {
	p.stopAwaiting()
	return p.wantAll(keep)
}

func (p *Plan) stopAwaiting() {
	for _, c := range p.cells {
		for i := range c.windows {
			w := &c.windows[i]
			if w.state != WindowAwaited {
				continue
			}
			p.mustFire(c, i, evGiveUp)
			if w.audit {
				p.mustFire(c, i, evAudit)
			}
		}
	}
}

// unhold notes that some workers do not hold the rows of a window after all. It reports whether nobody does now, and
// did before.
func (p *Plan) unhold(c *cell, i int, workers []string) (lost bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := &c.windows[i]
	if w.holders == 0 {
		return false
	}
	p.holders.set(w, p.holders.without(w.holders, workers...))
	if w.holders != 0 {
		return false
	}
	p.unheld(c, i)
	return true
}
