package plan

import (
	"pagoda/internal/forecast"
	"pagoda/internal/puzzle"
)

// Forecast writes the plan as the simulation of schedules takes it: the cells in plan order, each window with the
// seconds that cost says it takes, and with its share of the cell's predicted bytes.
func (p *Plan) Forecast(cost func(c *puzzle.CellPlan, w puzzle.Window) float64) forecast.Plan {
	out := make(forecast.Plan, 0, p.CellCount)
	for _, l := range p.PlannedLayers {
		for i := range l.Plans {
			c := p.Index[l.Plans[i].Cell]
			f := forecast.Cell{Windows: make([]forecast.Window, c.Windows())}
			for _, parent := range c.ParentCells {
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
