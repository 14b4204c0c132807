package pipeline

import (
	"pagoda/internal/forecast"
	"pagoda/internal/puzzle"
)

// Forecast writes the plan as the simulation of schedules takes it: the cells in plan order, each window with the
// seconds that cost says it takes, and with its share of the cell's predicted bytes.
func (p *Plan) Forecast(cost func(c *puzzle.CellPlan, w puzzle.Window) float64) forecast.Plan {
	out := make(forecast.Plan, 0, p.nCells)
	for _, l := range p.layers {
		for i := range l.plans {
			c := p.cells[l.plans[i].Cell]
			f := forecast.Cell{Windows: make([]forecast.Window, c.Windows())}
			for _, parent := range c.parents {
				f.Parents = append(f.Parents, parent.order)
			}
			for k := range f.Windows {
				w := c.Window(k)
				f.Windows[k] = forecast.Window{
					Seconds: cost(c.CellPlan, w), Bytes: c.RowBytes * float64(w.Addresses) / float64(c.Addresses),
				}
			}
			out = append(out, f)
		}
	}
	return out
}
