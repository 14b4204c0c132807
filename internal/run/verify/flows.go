package verify

import (
	"slices"

	"pagoda/internal/run/plan"
)

// flows compares the ends of every edge between complete cells.
func (v *verifier) flows() {
	p := v.plan
	for _, l := range p.PlannedLayers {
		for i := range l.Plans {
			into, out := p.Edges(p.Index[l.Plans[i].Cell])
			for _, e := range append(into, out...) {
				v.flow(e, e.Child.Cell == l.Plans[i].Cell)
			}
		}
	}
}

// CountEdges counts the edges of a complete run on which the flow can be compared. The error is a *plan.FlowError.
func CountEdges(p *plan.Plan) (n int, err error) {
	for _, l := range p.PlannedLayers {
		for i := range l.Plans {
			into, _ := p.Edges(p.Index[l.Plans[i].Cell])
			for _, e := range into {
				counted, err := p.CheckEdge(e)
				if err != nil {
					return n, err
				}
				if counted {
					n++
				}
			}
		}
	}
	return n, nil
}

// flow compares the ends of an edge; it is met from both ends and counts when it is met from its child.
func (v *verifier) flow(e plan.Edge, fromChild bool) {
	counted, err := v.plan.CheckEdge(e)
	switch {
	case !fromChild:
	case counted:
		v.out.Edges++
	case e.Parent.Done == len(e.Parent.Parts) && e.Child.Done == len(e.Child.Parts):
		v.out.EdgesUnchecked++
	}
	id := e.Child.Window(0).ID()
	if err == nil || slices.ContainsFunc(v.out.Findings, func(f Finding) bool {
		return f.Kind == FindFlow && f.Text == err.Error()
	}) {
		return
	}
	v.find(FindFlow, id, err)
	// Which end is wrong cannot be told.
	v.forgetFrom(e.Parent, e.Child)
}

// forgetFrom forgets the records of cells, and those of all cells that were computed from them.
func (v *verifier) forgetFrom(cells ...*plan.Cell) {
	seen := make(map[*plan.Cell]bool)
	for len(cells) > 0 {
		c := cells[0]
		cells = cells[1:]
		if seen[c] {
			continue
		}
		seen[c] = true
		for part := range c.Parts {
			if c.Parts[part].Committed {
				v.forget = append(v.forget, c.WindowID(part))
			}
		}
		cells = append(cells, c.ChildCells...)
	}
}
