package plan

import (
	"fmt"
	"slices"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// A FlowError says that the two ends of an edge counted different flows. One of the two cells is wrong, or the kernel.
type FlowError struct {
	Parent, Child puzzle.Cell
	Out           uint128.Uint128 // passed to the child, by the parent's count
	In            uint128.Uint128 // taken from the parent, by the child's count
}

func (e *FlowError) Error() string {
	return fmt.Sprintf("flow is not conserved from cell %d/%s to cell %d/%s: the parent passed %s, the child took %s",
		e.Parent.Layer, e.Parent.Key, e.Child.Layer, e.Child.Key, e.Out, e.In)
}

// Edge is a pair of cells that may have a flow to compare.
type Edge struct{ Parent, Child *Cell }

// Edges returns the edges of c: to the neighbours in the plan, and to the cells that its own flows name.
func (p *Plan) Edges(c *Cell) (into, out []Edge) {
	for _, parent := range c.ParentCells {
		into = append(into, Edge{parent, c})
	}
	for _, f := range c.tally.In {
		if parent := p.Index[f.Cell]; parent != nil && !slices.Contains(c.ParentCells, parent) {
			into = append(into, Edge{parent, c})
		}
	}
	for _, child := range c.ChildCells {
		out = append(out, Edge{c, child})
	}
	for _, f := range c.tally.Out {
		if child := p.Index[f.Cell]; child != nil && !slices.Contains(c.ChildCells, child) {
			out = append(out, Edge{c, child})
		}
	}
	return into, out
}

// checkFlows checks the edges between c, which has just been completed, and its complete neighbours.
func (p *Plan) checkFlows(c *Cell) error {
	into, out := p.Edges(c)
	for _, e := range append(into, out...) {
		if _, err := p.CheckEdge(e); err != nil {
			return err
		}
	}
	return nil
}

// CheckEdge compares the ends of an edge, when both are complete and the child's plan says that it counts flows, or
// both count flows in that direction; where one of them does not mention the other, the flow it counted is 0.
func (p *Plan) CheckEdge(e Edge) (counted bool, err error) {
	parent, child := e.Parent, e.Child
	if parent.Done < len(parent.Parts) || child.Done < len(child.Parts) ||
		!child.Flows && (len(parent.tally.Out) == 0 || len(child.tally.In) == 0) {
		return false, nil
	}
	out, in := amount(parent.tally.Out, child.Cell), amount(child.tally.In, parent.Cell)
	if out != in {
		return true, &FlowError{Parent: parent.Cell, Child: child.Cell, Out: out, In: in}
	}
	return true, nil
}

// amount returns the flow with c, 0 when there is none. Flows are sorted, but so few that a search does not pay.
func amount(flows []puzzle.Flow, c puzzle.Cell) uint128.Uint128 {
	for i := range flows {
		if flows[i].Cell == c {
			return flows[i].Amount
		}
	}
	return uint128.Uint128{}
}
