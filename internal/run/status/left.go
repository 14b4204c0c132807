package status

import (
	"math"
	"time"

	"pagoda/internal/run/plan"
)

// Left is the time that a run still takes: between Low and High, in seconds, most of the time.
type Left struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// A Forecast predicts the time that is left, from the rest of the plan and from the time that each layer has taken so
// far. The zero value is not usable, see NewForecast. Not safe for concurrent use.
type Forecast struct {
	layers map[int]*spent
	// Of late, with a memory that grows with the run: the time of windows, and the wall time.
	took, wall   float64
	begun, last  time.Time
	step         float64 // mean seconds of the first layers, in which there is little to do
	lastCommit   time.Time
	sinceLast    float64 // seconds of the windows committed since the last look
	newlyCommits int
	paused       float64 // seconds since the last look that found a new window
}

// spent is the computed part of a layer: predicted effort, and the time it took.
type spent struct{ effort, took float64 }

// NewForecast returns a Forecast of a run that begins now.
func NewForecast(now time.Time) *Forecast {
	return &Forecast{layers: make(map[int]*spent), begun: now, last: now, lastCommit: now}
}

// Committed notes that a window of a layer was committed, which took a worker some time.
func (f *Forecast) Committed(layer int, effort float64, took time.Duration) {
	f.newlyCommits++
	if took <= 0 {
		return // it was there already
	}
	s := f.layers[layer]
	if s == nil {
		s = new(spent)
		f.layers[layer] = s
	}
	s.effort += effort
	s.took += took.Seconds()
	f.sinceLast += took.Seconds()
}

const (
	// memory is how long the recent past lasts at least, in seconds; later it is a quarter of the run.
	memory = 5
	// measuredShare is the share of a layer that tells of the rest of it, and measuredTime its least time, in seconds.
	measuredShare, measuredTime = 0.2, 0.02
	// pool is how many layers are looked at together: one alone may be an odd one.
	pool = 3
	// The time by effort changes from layer to layer. The middle of the range assumes that it goes on changing as it did
	// of late. doubt widens the range with each layer, for as many layers as reach says; farther ones are like the last of
	// these. margin widens all of it.
	doubt, reach = 1.12, 5
	mostTrend    = 1.3
	margin       = 0.35
	// measuredRun is the share of the run that has to be measured before anything is said.
	measuredRun = 0.02
	// quiet is how long nothing may be committed, beside three times the time of the longest window.
	quiet = 10 * time.Second
)

// Look predicts the time that is left of the rest of a plan; nil says that it is not known: nothing has been measured
// yet, or nothing happens any more.
func (f *Forecast) Look(now time.Time, rest []plan.Rest) *Left {
	dt := now.Sub(f.last).Seconds()
	f.last = now
	f.paused += dt
	if f.newlyCommits > 0 {
		// Time in which nothing is committed counts when something is: until then it may be one long window.
		keep := math.Pow(0.5, f.paused/max(memory, now.Sub(f.begun).Seconds()/4))
		f.took, f.wall = f.took*keep+f.sinceLast, f.wall*keep+f.paused
		f.sinceLast, f.paused = 0, 0
		f.newlyCommits, f.lastCommit = 0, now
	}
	f.learnStep(now)
	measured := f.measured(rest)
	if f.wall == 0 || !f.enough(measured, rest) {
		return nil
	}
	var low, high, path, longest, steps float64
	trend := f.trend(measured)
	for _, r := range rest {
		if r.Windows == 0 {
			continue
		}
		rate, distance := f.rate(r.Layer, measured)
		distance = min(distance, reach)
		rate *= math.Pow(trend, distance)
		slow := rate * math.Pow(doubt, distance)
		low += r.Effort * rate / math.Pow(doubt, distance)
		high += r.Effort * slow
		path += r.Longest * slow
		steps += f.step
		longest = max(longest, r.Longest*rate)
	}
	silent := now.Sub(f.lastCommit)
	if silent > quiet+time.Duration(3*longest*float64(time.Second)) {
		return nil
	}
	parallel := f.took / f.wall
	// At the end not all slots have something to do: then the chain of the longest windows decides, and the time from one
	// layer to the next.
	low, high = low/parallel*(1-margin), (max(high/parallel, path)+steps)*(1+margin)
	return &Left{Low: max(0, low-silent.Seconds()), High: high}
}

// enough reports whether enough was measured to say anything.
func (f *Forecast) enough(measured []int, rest []plan.Rest) bool {
	var done, all float64
	for _, r := range rest {
		all += r.Whole
	}
	for _, n := range measured {
		done += f.layers[n].effort
	}
	return done > 0 && done >= measuredRun*all && f.took > 0
}

// firstLayers is how many layers tell the time of a layer in which there is little to do.
const firstLayers = 5

// learnStep notes how long the first layers have taken.
func (f *Forecast) learnStep(now time.Time) {
	if f.step > 0 || len(f.layers) < firstLayers {
		return
	}
	f.step = now.Sub(f.begun).Seconds() / float64(len(f.layers))
}

// trend returns the factor by which the time by effort has changed of late, from one measured layer to the next.
func (f *Forecast) trend(layers []int) float64 {
	if len(layers) < 2*pool {
		return 1
	}
	mean := func(part []int) float64 {
		var sum spent
		for _, n := range part {
			sum.effort += f.layers[n].effort
			sum.took += f.layers[n].took
		}
		return sum.took / sum.effort
	}
	n := len(layers)
	change := math.Pow(mean(layers[n-pool:])/mean(layers[n-2*pool:n-pool]), 1./pool)
	return min(max(change, 1), mostTrend)
}

// measured lists the layers of which enough was computed.
func (f *Forecast) measured(rest []plan.Rest) (layers []int) {
	for _, r := range rest {
		if s := f.layers[r.Layer]; s != nil && s.took >= measuredTime && s.effort >= measuredShare*r.Whole {
			layers = append(layers, r.Layer)
		}
	}
	return layers
}

// rate returns the time by effort in a layer, by the measured layers nearest to it, and the distance of the first of
// these. layers is not empty, and ascends.
func (f *Forecast) rate(layer int, layers []int) (rate, distance float64) {
	from, to := 0, len(layers)
	for to-from > pool { // the farther end goes
		if layer-layers[from] > layers[to-1]-layer {
			from++
		} else {
			to--
		}
	}
	var sum spent
	distance = math.Inf(1)
	for _, n := range layers[from:to] {
		sum.effort += f.layers[n].effort
		sum.took += f.layers[n].took
		distance = min(distance, math.Abs(float64(n-layer)))
	}
	return sum.took / sum.effort, distance
}
