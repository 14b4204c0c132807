// Package forecast tells how long a plan would take on many workers: a simulation of the schedule, not work divided by
// workers. What keeps workers idle is the plan's shape: narrow layers at both ends, windows that wait for the last
// window of a parent, parents that have to be fetched first.
//
// The usual way in:
//
//	plan := forecast.Plan{{Windows: forecast.Uniform(1, 0.5, 1e6)}, {Parents: []int{0}, Windows: ...}, ...}
//	f, err := forecast.Simulate(plan, forecast.Fleet{Workers: 64, Bandwidth: 1e9, Overhead: 1e-3})
//
// The rules are those of the pipeline: a window is ready when all windows of all parents of its cell are done, ready
// windows are taken in plan order, by the worker that is idle longest, and a worker has one at a time. Before it
// computes a window a worker fetches what it does not have of the window's parents; it has what it computed and what it
// fetched before. Transfers are limited by the receiving worker's bandwidth alone: that many workers want the windows
// of one is not modelled, nor that a queue may prefer a worker that has the parents.
//
// Costs are numbers from outside, measured or predicted; the package has no clock.
package forecast
