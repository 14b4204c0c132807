package pipeline

import (
	"fmt"

	"pagoda/internal/puzzle"
	"pagoda/internal/uint128"
)

// A FlowError says that the two ends of an edge counted different flows. One of the two cells is wrong, or the kernel.
type FlowError struct {
	Parent, Child puzzle.Cell
	Out           uint128.Uint128 // what the parent says it passed to the child
	In            uint128.Uint128 // what the child says it took from the parent
}

func (e *FlowError) Error() string {
	return fmt.Sprintf("flow is not conserved from cell %d/%s to cell %d/%s: the parent passed %s, the child took %s",
		e.Parent.Layer, e.Parent.Key, e.Child.Layer, e.Child.Key, e.Out, e.In)
}

// checkFlows checks the edges between c, which has just been completed, and its complete neighbours.
func (p *Plan) checkFlows(c *cell) error {
	check := func(parent, child *cell) error {
		_, err := p.checkEdge(parent, child)
		return err
	}
	for _, f := range c.tally.In {
		if err := check(p.cells[f.Cell], c); err != nil {
			return err
		}
	}
	for _, f := range c.tally.Out {
		if err := check(c, p.cells[f.Cell]); err != nil {
			return err
		}
	}
	// The neighbours that c itself is silent about.
	for _, parent := range c.parents {
		if err := check(parent, c); err != nil {
			return err
		}
	}
	for _, child := range c.children {
		if err := check(c, child); err != nil {
			return err
		}
	}
	return nil
}

// checkEdge compares the ends of an edge, when both are complete and count flows in that direction at all; where one of
// them does not mention the other, the flow it counted is 0.
func (p *Plan) checkEdge(parent, child *cell) (counted bool, err error) {
	if parent == nil || child == nil || parent.done < len(parent.windows) || child.done < len(child.windows) ||
		len(parent.tally.Out) == 0 || len(child.tally.In) == 0 {
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
