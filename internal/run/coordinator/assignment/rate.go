package assignment

import (
	"math"
	"slices"
)

// A Rate is the time that a unit of predicted work takes. Predictions are rough, so it leans on the recent past: all
// time and all work, that of the last tenth of a second most.
type Rate struct {
	NsPerWork               float64
	timeSpent, workMeasured float64 // of late
}

// Learn adds a computation.
func (r *Rate) Learn(nanos int64, work float64) {
	const memory = 1e8
	left := 1 - min(float64(nanos)/memory, 0.5)
	r.timeSpent = r.timeSpent*left + float64(nanos)
	r.workMeasured = r.workMeasured*left + work
	r.NsPerWork = r.timeSpent / r.workMeasured
}

// ns is the time for a unit of work, or else that of all where nothing was learned.
func (r *Rate) ns(all *Rate) float64 {
	if r.workMeasured <= 0 {
		return all.NsPerWork
	}
	return r.NsPerWork
}

// guessNsPerWork is the time of a unit of work, in nanoseconds, while nothing is known of it.
const guessNsPerWork = 10.

// Rates are those of a run's workers.
type Rates struct {
	All  Rate // of all workers together
	Here Rate // of the coordinator, as it has seen itself
	by   map[string]*Rate
}

// NewRates returns the rates of a run in which nothing was computed.
func NewRates() *Rates {
	return &Rates{All: Rate{NsPerWork: guessNsPerWork}, by: make(map[string]*Rate)}
}

// Of returns the rate of a worker.
func (r *Rates) Of(worker string) *Rate {
	if r.by[worker] == nil {
		r.by[worker] = new(Rate)
	}
	return r.by[worker]
}

// Speed is how fast a worker computes, as a multiple of all workers' mean of late, by its own word; 0: not known.
func (r *Rates) Speed(worker string) float64 {
	if own := r.by[worker]; own != nil && own.NsPerWork > 0 {
		return math.Round(1000*r.All.NsPerWork/own.NsPerWork) / 1000
	}
	return 0
}

// Learn adds a computation of a worker, by its own word.
func (r *Rates) Learn(worker string, nanos int64, work float64) {
	r.All.Learn(nanos, work)
	r.Of(worker).Learn(nanos, work)
}

// Pace returns the time of a unit of work, in nanoseconds, without a worker's own word about its own tasks: that of the
// fastest other worker that is present, and no less than the coordinator's own. For tasks of any worker it needs the
// word of two. So a worker that takes its time, and says that its windows took so long, gains no patience by it. One
// that claims to take no time cannot make the coordinator give up others early.
func (r *Rates) Pace(to string, present func(worker string) bool) float64 {
	var others []float64
	for name, rate := range r.by {
		if name != to && rate.NsPerWork > 0 && present(name) {
			others = append(others, rate.NsPerWork)
		}
	}
	pace := guessNsPerWork
	if len(others) > 1 || len(others) == 1 && to != "" {
		pace = slices.Min(others)
	}
	return max(pace, r.Here.NsPerWork)
}
