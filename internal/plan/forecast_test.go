package plan

import (
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/forecast"
	"pagoda/internal/plan/plantest"
	"pagoda/internal/puzzle"
)

// On one worker a plan takes what its windows take, whatever its shape.
func TestForecast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		paper := plantest.Random(t)
		paper.Undecided = 0
		p, err := New(paper)
		if err != nil {
			t.Fatal(err)
		}
		windows, slots := 0, 0.0
		for _, layer := range paper.Layers {
			for i := range layer {
				layer[i].RowBytes = 3 * float64(layer[i].Addresses)
				windows += layer[i].Windows()
				slots += float64(layer[i].Addresses)
			}
		}
		plan := p.Forecast(func(c *puzzle.CellPlan, w puzzle.Window) float64 {
			if w.Cell != c.Cell {
				t.Errorf("window %s of cell %v", w, c.Cell)
			}
			return 7 * float64(w.Addresses)
		})
		got, err := forecast.Simulate(plan, forecast.Fleet{Workers: 1})
		if err != nil || got.Seconds != 7*slots || got.Windows != windows {
			t.Errorf("%+v, %v: want %g s, %d windows", got, err, 7*slots, windows)
		}
		bytes, edges := 0.0, 0
		for _, c := range plan {
			edges += len(c.Parents)
			for _, w := range c.Windows {
				bytes += w.Bytes
			}
		}
		for _, layer := range paper.Layers {
			for i := range layer {
				edges -= len(layer[i].Parents)
			}
		}
		if bytes < 3*slots*(1-1e-12) || bytes > 3*slots*(1+1e-12) || edges != 0 {
			t.Errorf("%g bytes, want %g; %d edges too many", bytes, 3*slots, edges)
		}
	})
}
