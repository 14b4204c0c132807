package pipeline

import "pagoda/internal/puzzle"

// maxLosses bounds how often one window may be lost before the run stops: a store that could not keep it will not learn
// to, see DamagedError.
const maxLosses = 2

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

// lose notes that a window could not be read by somebody who was told that it had been lost loss times. It reports
// whether that is news; the window and whatever it needs are then pending again.
func (p *Plan) lose(id puzzle.WindowID, loss int) (news bool, err error) {
	c, w, err := p.window(id)
	if err != nil || w.holders == 0 || loss < int(w.losses) {
		return false, err
	}
	p.mu.Lock()
	w.losses++
	p.mu.Unlock()
	if _, err := p.release(id); err != nil {
		return false, err
	}
	w.fresh = true
	p.want(c)
	return true, nil
}
