package estimate

import (
	"context"
	"fmt"
	"math"
	"time"

	"pagoda/internal/app/runs"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/quantity"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/simulate"
)

// Fleets names the fleets whose time is predicted. Each worker computes as many windows at a time as the run's
// concurrency.
type Fleets struct {
	Workers   []int         // one fleet for each number of workers
	Most      int           // windows; larger runs are not simulated
	Bandwidth float64       // bytes a second into a worker, and as many out of it
	Latency   time.Duration // of a message, one way
	Memory    uint64        // bytes of a worker; 0: the limit of the run
	Disk      uint64        // bytes of a worker's disk; 0: as many as it needs
	replicas  int           // workers that hold each window; 0: one
	Rate      *Rate         // nil: measured on this machine
	Prices    *Prices       // nil: no cost is told
	// Progress is told often of the work under way; nil: nothing is told.
	Progress func(string)
}

// GivenRate is the rate of a machine that takes so many seconds for a predicted step.
func GivenRate(step float64) Rate { return Rate{Window: 50e-6, Work: step} }

// rate is the given rate, or that of a run on this machine whose cache has so many bytes.
func (f *Fleets) rate(ctx context.Context, p puzzle.Puzzle, pl *plan.Plan, cache uint64) (Rate, error) {
	if f.Rate != nil {
		return *f.Rate, nil
	}
	f.say("computing the first layers")
	return Calibrate(ctx, sample(p, pl, cache), CalibrationTime)
}

func (f *Fleets) say(format string, args ...any) {
	if f.Progress != nil {
		f.Progress(fmt.Sprintf(format, args...))
	}
}

// planned is a puzzle with the layers that are planned already, so that no simulation plans them again.
type planned struct {
	puzzle.Puzzle
	plan *plan.Plan
}

// Layer implements puzzle.Puzzle.
func (p planned) Layer(n int, _ puzzle.Results) ([]puzzle.CellPlan, error) {
	if n < p.plan.Layers() {
		return p.plan.Cells(n), nil
	}
	if p.plan.Decided {
		return nil, puzzle.ErrNoLayer
	}
	return nil, puzzle.ErrUndecided
}

// Reads implements puzzle.Reader: without it every window would seem to read the whole of its parents.
func (p planned) Reads(w puzzle.Window) ([]puzzle.Range, bool) { return puzzle.Reads(p.Puzzle, w) }

// A FleetPlan is the simulated cost of a run on a number of workers, each with a folder of its own.
type FleetPlan struct {
	Workers      int     `json:"workers"`
	Concurrency  int     `json:"concurrency"` // of each worker
	Seconds      float64 `json:"seconds"`
	CPUSeconds   float64 `json:"cpu_seconds"`
	CriticalPath float64 `json:"critical_path_seconds"` // no number of workers is faster
	Efficiency   float64 `json:"efficiency"`            // computing / (cores * seconds)
	Transferred  uint64  `json:"transferred_bytes"`
	Stored       uint64  `json:"stored_bytes"`
	// FetchingSeconds and IdleSeconds are core seconds without computing: waiting for windows of others, and without a
	// task.
	FetchingSeconds float64 `json:"fetching_core_seconds"`
	IdleSeconds     float64 `json:"idle_core_seconds"`
	// CoordinatorBusy is the share of the time that the coordinator and its queue compute.
	CoordinatorBusy float64 `json:"coordinator_busy"`
	MemoryBytes     uint64  `json:"memory_bytes"` // at most, of each worker, with all that it has fetched at a time
	DiskBytes       uint64  `json:"disk_bytes"`   // at most, of each worker: computed and fetched windows
	// Fits says that a worker has the memory and the disk, as far as its disk is known.
	Fits     bool   `json:"fits"`
	Obstacle string `json:"obstacle,omitempty"`
	Cost     *Cost  `json:"cost,omitempty"` // nil without prices
}

// Worker describes a fleet of workers that have so many bytes of memory, 0 for as many as they need: a worker keeps to
// them as a worker process does. The caller sets its Workers, and the network between them. each predicts one of them,
// without the windows that it fetches.
func Worker(pl *plan.Plan, concurrency int, keep plan.Retention, memory uint64) (
	fleet simulate.Fleet, each plan.Prediction,
) {
	fleet = simulate.Defaults
	fleet.Concurrency, fleet.Retention, fleet.FetchedDisk = concurrency, keep, math.MaxUint64
	if memory > 0 {
		fleet.FetchedBytes = FetchedBytes(memory)
		use, _ := Resources(pl, concurrency, keep, max(1, memory-min(memory, fleet.FetchedBytes)))
		fleet.Budget = use.Budget
	}
	return fleet, pl.Predict(plan.Resources{Concurrency: concurrency, Retention: keep, Budget: fleet.Budget})
}

// forecast predicts the times: here, without any transfer, and on fleets.
func (p *Plan) forecast(ctx context.Context, j *runs.Job, pl *plan.Plan, r Rate, f Fleets) error {
	concurrency, keep := max(1, p.Concurrency), p.Keep
	if pl.Expected > 0 {
		keep = plan.RetainAll // until its layers are told, a run drops nothing
	}
	layers := planned{j.Puzzle, pl}
	if p.Windows > simulatedHere {
		for n := range pl.Layers() {
			for _, c := range pl.Cells(n) {
				p.CPUSeconds += float64(c.Windows())*r.Window + r.Work*c.Work
			}
		}
		// So many windows wait for each other as good as never.
		p.Seconds = p.CPUSeconds / float64(concurrency)
	} else {
		x, err := simulate.Run(ctx, layers, r.Of, simulate.Fleet{Workers: 1, Concurrency: concurrency, Retention: keep})
		if err != nil {
			return err
		}
		p.CPUSeconds, p.Seconds = x.Work, x.Seconds
	}
	switch {
	case len(f.Workers) == 0:
		return nil
	case p.unbounded():
		p.Notes = append(p.Notes, "fleets are not simulated: their later layers are not known")
		return nil
	case pl.Expected > 0:
		p.Notes = append(p.Notes, "fleets are not simulated: the guess of the layers does not say what their windows read")
		return nil
	case p.Windows > f.Most:
		p.Notes = append(p.Notes, fmt.Sprintf(
			"fleets are not simulated for %d windows unless --workers names them: it takes a minute or more", p.Windows))
		return nil
	}
	if f.Memory == 0 {
		f.Memory = p.MemoryLimit
	}
	p.WorkerMemory, p.WorkerDisk = f.Memory, f.Disk
	fleet, each := Worker(pl, concurrency, keep, f.Memory)
	fleet.Bandwidth, fleet.Latency = f.Bandwidth, f.Latency
	for _, n := range f.Workers {
		fleet.Workers = n
		fleet.Progress = func(done, all int) {
			f.say("simulating %s: %d of %d windows", plural.Of(n, "worker"), done, all)
		}
		x, err := simulate.Run(ctx, layers, r.Of, fleet)
		if err != nil {
			return err
		}
		// Copies are not simulated: they count for the disks alone.
		x.PeakHeld *= float64(min(max(1, f.replicas), n))
		p.Fleets = append(p.Fleets, f.told(&x, &each, n, concurrency))
	}
	return nil
}

// simulatedHere is the size of the largest run that is simulated on this machine: a second or two.
const simulatedHere = 50_000

// told makes a FleetPlan of the outcome of a simulation.
func (f *Fleets) told(x *simulate.Outcome, each *plan.Prediction, workers, concurrency int) FleetPlan {
	p := FleetPlan{
		Workers: workers, Concurrency: concurrency, Seconds: x.Seconds, CPUSeconds: x.Work,
		CriticalPath: x.CriticalPath, Efficiency: x.Efficiency,
		Transferred: uint64(x.MovedBytes), Stored: uint64(x.StoredBytes),
		FetchingSeconds: x.Fetching, IdleSeconds: x.Idle, CoordinatorBusy: x.CoordinatorBusy,
		MemoryBytes: each.MemoryBytes + uint64(x.PeakFetched), DiskBytes: uint64(x.PeakHeld + x.PeakShelf),
	}
	switch fetched := min(f.Memory, FetchedBytes(f.Memory)); {
	case f.Memory > 0 && each.MemoryBytes > f.Memory-fetched:
		p.Obstacle = fmt.Sprintf("a worker needs %s of memory for its largest window alone and what it fetches, and has %s",
			quantity.Bytes(each.MemoryBytes+fetched), quantity.Bytes(f.Memory))
	case f.Disk > 0 && p.DiskBytes > f.Disk:
		p.Obstacle = fmt.Sprintf("a worker needs up to %s of disk, and has %s",
			quantity.Bytes(p.DiskBytes), quantity.Bytes(f.Disk))
	}
	p.Fits = p.Obstacle == ""
	if f.Prices != nil {
		p.Cost = f.Prices.Cost(workers, concurrency, p.Seconds, p.MemoryBytes, p.Transferred)
	}
	return p
}
