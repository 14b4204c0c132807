package pipeline

// wantAll makes everything pending that the plan lacks: windows that are not committed, and rows that the policy wants
// kept or that pending windows read. It returns the number of committed windows that are to be computed again.
func (p *Plan) wantAll(keep Keep) (again int) {
	// Children first: whether they are pending decides whether their parents' rows are wanted.
	for n := len(p.layers) - 1; n >= 0; n-- {
		again += p.wantLayer(keep, n)
	}
	return again
}

func (p *Plan) wantLayer(keep Keep, n int) (again int) {
	plans := p.layers[n].plans
	for i := len(plans) - 1; i >= 0; i-- {
		if c := p.cells[plans[i].Cell]; p.keeps(keep, c) {
			again += p.want(c)
		}
	}
	return again
}

// spare takes back what lineage has wanted and nobody needs any more, because somebody has come back with the rows: of
// the windows that are to be computed again those that no worker has been given. It returns their number, and the cells
// that have some.
func (p *Plan) spare(keep Keep) (spared int, cells []*cell) {
	// Children first, as in wantAll.
	for n := len(p.layers) - 1; n >= 0; n-- {
		for i := range p.layers[n].plans {
			c := p.cells[p.layers[n].plans[i].Cell]
			if c.pending == 0 || p.needs(keep, c) {
				continue
			}
			before := spared
			for i := range c.windows {
				if w := &c.windows[i]; w.state == WindowQueued && w.done && !w.audit {
					p.mustFire(c, i, evCancel)
					spared++
				}
			}
			if spared > before {
				cells = append(cells, c)
			}
		}
	}
	return spared, cells
}

// lose notes that a window could not be read, as f says. news is false when that was known: f is of a reader that
// looked the window up before it was last lost. gone says that nobody holds it any more; it and whatever it needs are
// then pending again. damage counts the loss against the window, and makes sure that the next computation is one.
func (p *Plan) lose(c *cell, i int, f *Failure, damage bool) (news, gone bool) {
	w := &c.windows[i]
	if w.holders == 0 || f.Loss < int(w.losses) {
		return false, false
	}
	workers := f.Holders
	if len(workers) == 0 {
		workers = p.holderNames(w)
	}
	before := w.holders
	gone = p.unhold(c, i, workers)
	if !gone {
		return w.holders != before, false
	}
	if damage {
		p.mu.Lock()
		w.losses = uint8(min(int(w.losses)+1, 255))
		p.mu.Unlock()
		w.fresh = true
	}
	p.want(c)
	return true, true
}

// holderNames names the holders of a window.
func (p *Plan) holderNames(w *window) []string { return p.holders.names(w.holders) }
