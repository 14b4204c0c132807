package forecast

import "fmt"

// A Plan is what has to be computed: cells in plan order, parents before children.
type Plan []Cell

// A Cell is a set of windows that become ready together.
type Cell struct {
	// Parents are indices into the plan, below the cell's own, none of them twice.
	Parents []int
	Windows []Window
}

// A Window is what one window takes.
type Window struct {
	Seconds float64 // to compute and commit it on one worker
	Bytes   float64 // stored; what a worker that reads it and does not have it must fetch
}

// Uniform returns n windows that take the same.
func Uniform(n int, seconds, bytes float64) []Window {
	w := make([]Window, n)
	for i := range w {
		w[i] = Window{seconds, bytes}
	}
	return w
}

// A Fleet is who computes.
type Fleet struct {
	Workers   int     // one window at a time each; at least 1
	Bandwidth float64 // bytes a second into a worker; 0: transfers take no time
	Overhead  float64 // seconds a window costs its worker besides: queue, report
	Serial    float64 // seconds a window costs the coordinator, which hands out one after the other
}

// A Forecast is what a plan takes on a fleet.
type Forecast struct {
	Seconds      float64 // until the last window is done
	Work         float64 // seconds of all windows, without overhead and transfer
	CriticalPath float64 // seconds of the longest chain of windows that wait for each other: no fleet is faster
	Efficiency   float64 // Work / (Workers * Seconds)
	Transferred  float64 // bytes that workers fetched
	Windows      int
}

// check returns the number of windows.
func (p Plan) check(f Fleet) (windows int, err error) {
	if f.Workers < 1 || !sound(f.Bandwidth) || !sound(f.Overhead) || !sound(f.Serial) {
		return 0, fmt.Errorf("forecast for %d workers, %g bytes/s, %g s and %g s a window: want at least one worker, "+
			"and finite numbers that are not negative", f.Workers, f.Bandwidth, f.Overhead, f.Serial)
	}
	for i := range p {
		if len(p[i].Windows) == 0 {
			return 0, fmt.Errorf("forecast: cell %d has no windows", i)
		}
		for k, q := range p[i].Parents {
			if q < 0 || q >= i {
				return 0, fmt.Errorf("forecast: parent %d of cell %d does not come before it", q, i)
			}
			for _, other := range p[i].Parents[:k] {
				if other == q {
					return 0, fmt.Errorf("forecast: parent %d of cell %d is named twice", q, i)
				}
			}
		}
		for _, w := range p[i].Windows {
			if !sound(w.Seconds) || !sound(w.Bytes) {
				return 0, fmt.Errorf("forecast: a window of cell %d takes %g s and %g bytes", i, w.Seconds, w.Bytes)
			}
		}
		windows += len(p[i].Windows)
	}
	return windows, nil
}

func sound(x float64) bool { return x >= 0 && x-x == 0 }

// totals returns the work and the critical path.
func (p Plan) totals(f Fleet) (work, path float64) {
	end := make([]float64, len(p))
	for i := range p {
		longest := 0.0
		for _, w := range p[i].Windows {
			work += w.Seconds
			longest = max(longest, w.Seconds)
		}
		for _, q := range p[i].Parents {
			end[i] = max(end[i], end[q])
		}
		end[i] += longest + f.Overhead
		path = max(path, end[i])
	}
	return work, path
}
