package plan

import (
	"slices"

	"pagoda/internal/run/protocol"
)

const (
	// encloseBytes bounds the parents in a task, by estimate. Workers ask for parents that do not fit.
	encloseBytes = 64 << 10
	// About the JSON sizes of the parts of a parent: a window with its record, a holder, a number of a tally.
	windowJSON, peerJSON, numberJSON = 280, 80, 60
)

// EncloseParents adds to a task the parents that its windows read, as far as they fit.
func (p *Plan) EncloseParents(run string, t *protocol.Task) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	var cells []*Cell // those enclosed, in the order of t.Parents
	left := encloseBytes
	for i := range t.Windows {
		w := &t.Windows[i]
		c := p.Index[w.Cell]
		if c == nil || w.Copy != nil || len(c.ParentCells) == 0 {
			continue
		}
		size := 0
		for _, parent := range c.ParentCells {
			if parent.Done < len(parent.Parts) {
				return // the loss of a parent is being told to the plan
			}
			if !slices.Contains(cells, parent) {
				size += p.sizeOf(parent)
			}
		}
		if size > left {
			continue
		}
		left -= size
		for _, parent := range c.ParentCells {
			k := slices.Index(cells, parent)
			if k < 0 {
				k = len(cells)
				cells = append(cells, parent)
				t.Parents = append(t.Parents, p.located(run, parent))
			}
			w.Reads = append(w.Reads, k)
		}
	}
}

// sizeOf estimates the size of a located cell as JSON.
func (p *Plan) sizeOf(c *Cell) int {
	n := numberJSON * (len(c.tally.Sums) + len(c.tally.Maxima))
	for i := range c.Parts {
		n += windowJSON + peerJSON*len(p.ReplicaSets.Names(c.Parts[i].Replicas))
	}
	return n
}
