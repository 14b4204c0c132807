package plan

import (
	"fmt"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
)

// Locate implements Locator on a plan.
func (p *Plan) Locate(run string, reader puzzle.Cell) ([]protocol.Located, error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	c := p.Index[reader]
	if c == nil {
		return nil, fmt.Errorf("cell %d/%s is not in the plan", reader.Layer, reader.Key)
	}
	out := make([]protocol.Located, len(c.ParentCells))
	for i, parent := range c.ParentCells {
		if parent.Done < len(parent.Parts) {
			return nil, fmt.Errorf("cell %d/%s, a parent of cell %d/%s, is not committed",
				parent.Layer, parent.Key, reader.Layer, reader.Key)
		}
		out[i] = p.located(run, parent)
	}
	return out, nil
}

// located describes a committed cell.
func (p *Plan) located(run string, c *Cell) protocol.Located {
	l := protocol.Located{Cell: c.Cell, Tally: c.tally.Totals(), Windows: make([]protocol.LocatedWindow, len(c.Parts))}
	for i := range c.Parts {
		w := &c.Parts[i]
		l.Windows[i] = protocol.LocatedWindow{
			Record: c.Record(run, i), Holders: p.ReplicaSets.Peers(w.Replicas), Loss: int(w.Losses),
		}
	}
	return l
}

// LocateCell describes a committed cell and where its rows are. The error wraps puzzle.ErrMissing when it is not
// committed. Safe for concurrent use.
func (p *Plan) LocateCell(run string, id puzzle.Cell) (protocol.Located, error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	c := p.Index[id]
	if c == nil || c.Done < len(c.Parts) {
		return protocol.Located{}, fmt.Errorf("%w: cell %d/%s is not committed", puzzle.ErrMissing, id.Layer, id.Key)
	}
	return p.located(run, c), nil
}
