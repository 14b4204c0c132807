package pipeline

import (
	"fmt"
	"pagoda/internal/puzzle"
)

// locate implements Locator on a plan.
func (p *Plan) locate(run string, reader puzzle.Cell) ([]Located, error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	c := p.cells[reader]
	if c == nil {
		return nil, fmt.Errorf("cell %d/%s is not in the plan", reader.Layer, reader.Key)
	}
	out := make([]Located, len(c.parents))
	for i, parent := range c.parents {
		if parent.done < len(parent.windows) {
			return nil, fmt.Errorf("cell %d/%s, a parent of cell %d/%s, is not committed",
				parent.Layer, parent.Key, reader.Layer, reader.Key)
		}
		out[i] = p.located(run, parent)
	}
	return out, nil
}

// located describes a committed cell.
func (p *Plan) located(run string, c *cell) Located {
	l := Located{Cell: c.Cell, Tally: c.tally.Totals(), Windows: make([]LocatedWindow, len(c.windows))}
	for i := range c.windows {
		w := &c.windows[i]
		l.Windows[i] = LocatedWindow{
			Record: c.record(run, i), Holders: p.holders.peers(w.holders), Loss: int(w.losses),
		}
	}
	return l
}
