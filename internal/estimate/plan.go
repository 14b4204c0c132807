package estimate

import (
	"context"
	"fmt"
	"math"
	"time"

	"pagoda/internal/cli"
	"pagoda/internal/plan"
	"pagoda/internal/plural"
	"pagoda/internal/puzzle"
	"pagoda/internal/runs"
	"pagoda/internal/simulate"
)

// A Plan is what a run will take; its JSON form is a contract, described in docs/cli.md.
type Plan struct {
	Run        string `json:"run"`
	Puzzle     string `json:"puzzle"`
	Data       string `json:"data"`
	Layers     int    `json:"layers"`
	Cells      int    `json:"cells"`
	Windows    int    `json:"windows"`
	Addresses  uint64 `json:"addresses,string"`
	MoreLayers bool   `json:"more_layers"` // later layers are decided on the way
	// Planned of the layers are planned. All figures are about the layers that LayerPlans has: the others of them are
	// expected by the puzzle. Where MoreLayers is set and there are no others, what later layers take is not known.
	Planned     int            `json:"planned_layers"`
	Concurrency int            `json:"concurrency"`
	Keep        plan.Retention `json:"retention"`
	MemoryBytes uint64         `json:"memory_bytes"`
	WindowBytes uint64         `json:"window_memory_bytes"` // of the largest window, parents included
	MemoryLimit uint64         `json:"memory_limit_bytes"`
	RowBytes    uint64         `json:"row_bytes"`
	DiskBytes   uint64         `json:"disk_bytes"`
	DiskFree    uint64         `json:"disk_free_bytes"`
	// CPUSeconds and Seconds predict the time; absent when the first layers are too small to tell.
	CPUSeconds float64 `json:"cpu_seconds,omitempty"`
	Seconds    float64 `json:"seconds,omitempty"`
	Fits       bool    `json:"fits"`
	Obstacle   string  `json:"obstacle,omitempty"`
	// Notes say why there is nothing to compute, when that is known beforehand, and what is not predicted.
	Notes []string `json:"notes,omitempty"`
	// Fleets tell the same run on several workers; absent like CPUSeconds.
	Fleets     []FleetPlan `json:"fleets,omitempty"`
	LayerPlans []LayerPlan `json:"layer_plans"`
}

// A LayerPlan is one layer of a Plan.
type LayerPlan struct {
	Layer     int    `json:"layer"`
	Cells     int    `json:"cells"`
	Windows   int    `json:"windows"`
	Addresses uint64 `json:"addresses,string"`
	Expected  bool   `json:"expected,omitempty"` // by the puzzle; not planned
}

// unbounded reports whether there are layers of which nothing is known.
func (p *Plan) unbounded() bool { return p.MoreLayers && p.Planned == p.Layers }

// Make predicts what the run of a job takes: here, and on fleets.
func Make(ctx context.Context, j *runs.Job, fleets Fleets) (*Plan, error) {
	pl, err := cli.Await(ctx, func() (*plan.Plan, error) { return plan.Forecast(j.Puzzle) })
	if err != nil {
		return nil, err
	}
	use, pred := resources(j, pl)
	free, err := freeDisk(j)
	if err != nil {
		return nil, err
	}
	rate, err := Calibrate(ctx, j.Puzzle, CalibrationTime)
	if err != nil {
		return nil, err
	}
	p := &Plan{
		Run: j.ID, Puzzle: j.Config.Text("puzzle"), Data: j.Dir,
		Layers: pred.Layers, Cells: pred.Cells, Windows: pred.Windows, Addresses: pred.Addresses,
		MoreLayers: pred.Partial || pred.Expected > 0, Planned: pred.Layers - pred.Expected, Concurrency: use.Concurrency, Keep: use.Retention,
		MemoryBytes: pred.MemoryBytes, WindowBytes: pred.WindowBytes,
		MemoryLimit: j.Config.Uint("memory_limit_bytes"), RowBytes: pred.RowBytes, DiskBytes: pred.DiskBytes, DiskFree: free,
		Fits: true,
	}
	if p.MoreLayers && !rate.Unknown {
		p.Notes = append(p.Notes, "the time is estimated from the first layers: later ones may take several times as long")
	}
	if !rate.Unknown && pred.Windows > 0 {
		if err := p.forecast(ctx, j, pl, rate, fleets); err != nil {
			return nil, err
		}
	}
	if pred.Windows == 0 { // answered before anything is computed: the summary says why
		sum, err := j.Puzzle.Summarise(pl)
		if err != nil {
			return nil, err
		}
		p.Notes = append(p.Notes, sum.Notes...)
	}
	if err := pred.Check(p.MemoryLimit, free, j.Dir); err != nil {
		p.Fits, p.Obstacle = false, err.Error()
	}
	if use.Budget != nil && pred.MemoryBytes <= p.MemoryLimit {
		at := pl.Predict(plan.Resources{Concurrency: use.Concurrency, Retention: use.Retention})
		p.Notes = append(p.Notes, fmt.Sprintf("windows wait for each other's memory: the %d largest at a time would take %s",
			use.Concurrency, plan.Bytes(at.MemoryBytes)))
		if n := use.Budget.Reduced; n > 0 {
			p.Notes = append(p.Notes, "windows of "+plural.Of(n, "cell")+
				" read their parents in parts, as there is no memory for the whole of them; that takes longer than predicted")
		}
	}
	for n := range pl.Layers() {
		cells := pl.Cells(n)
		l := LayerPlan{Layer: n, Cells: len(cells), Expected: n >= p.Planned}
		for i := range cells {
			l.Windows += cells[i].Windows()
			l.Addresses += cells[i].Addresses
		}
		p.LayerPlans = append(p.LayerPlans, l)
	}
	return p, nil
}

// Fleets says for which fleets a time is predicted. Each worker computes as many windows at a time as the run's
// concurrency says.
type Fleets struct {
	Workers   []int         // one fleet for each number of workers
	Most      int           // windows of the largest run for which they are simulated
	Bandwidth float64       // bytes a second into a worker, and as many out of it
	Latency   time.Duration // of a message, one way
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

// A FleetPlan tells what a run takes on a number of workers, each with a folder of its own, by a simulation.
type FleetPlan struct {
	Workers      int     `json:"workers"`
	Concurrency  int     `json:"concurrency"` // of each worker
	Seconds      float64 `json:"seconds"`
	CPUSeconds   float64 `json:"cpu_seconds"`
	CriticalPath float64 `json:"critical_path_seconds"` // no number of workers is faster
	Efficiency   float64 `json:"efficiency"`            // computing / (cores * seconds)
	Transferred  uint64  `json:"transferred_bytes"`
	Stored       uint64  `json:"stored_bytes"`
	// FetchingSeconds and IdleSeconds are what the cores spend without computing, in core seconds: waiting for windows of
	// others, and without a task.
	FetchingSeconds float64 `json:"fetching_core_seconds"`
	IdleSeconds     float64 `json:"idle_core_seconds"`
	// CoordinatorBusy is the share of the time that the coordinator and its queue compute.
	CoordinatorBusy float64 `json:"coordinator_busy"`
	MemoryBytes     uint64  `json:"memory_bytes"` // at most, of each worker, with all that it has fetched at a time
	DiskBytes       uint64  `json:"disk_bytes"`   // at most, of each worker: what it has computed, and what it has fetched
}

// forecast predicts the times: here, without any transfer, and on fleets.
func (p *Plan) forecast(ctx context.Context, j *runs.Job, pl *plan.Plan, r Rate, f Fleets) error {
	here := simulate.Fleet{Workers: 1, Concurrency: max(1, p.Concurrency), Retention: p.Keep}
	layers := planned{j.Puzzle, pl}
	if pl.Expected > 0 {
		here.Retention = plan.RetainAll // until its layers are told, a run drops nothing
	}
	if p.unbounded() {
		p.Notes = append(p.Notes, "fleets are not simulated: their later layers are not known")
		f.Workers = nil
	}
	if p.Windows > f.Most {
		for n := range pl.Layers() {
			for _, c := range pl.Cells(n) {
				p.CPUSeconds += float64(c.Windows())*r.Window + r.Work*c.Work
			}
		}
		// So many windows wait for each other as good as never.
		p.Seconds = p.CPUSeconds / float64(here.Concurrency)
		p.Notes = append(p.Notes, fmt.Sprintf(
			"fleets are not simulated for %d windows unless --workers names them: it takes minutes", p.Windows))
		return nil
	}
	x, err := simulate.Run(ctx, layers, r.Of, here)
	if err != nil {
		return err
	}
	p.CPUSeconds, p.Seconds = x.Work, x.Seconds
	// A worker with the same limit on its memory keeps to it as a worker process does.
	var fetched uint64
	if p.MemoryLimit > 0 {
		fetched = FetchedBytes(p.MemoryLimit)
	}
	use, _ := Resources(pl, here.Concurrency, p.Keep, p.MemoryLimit-min(p.MemoryLimit, fetched))
	each := pl.Predict(plan.Resources{Concurrency: here.Concurrency, Retention: p.Keep, Budget: use.Budget})
	for _, n := range f.Workers {
		fleet := simulate.Defaults
		fleet.Workers, fleet.Concurrency, fleet.Retention = n, here.Concurrency, here.Retention
		fleet.Bandwidth, fleet.Latency = f.Bandwidth, f.Latency
		fleet.Budget, fleet.FetchedBytes, fleet.FetchedDisk = use.Budget, fetched, math.MaxUint64
		x, err := simulate.Run(ctx, layers, r.Of, fleet)
		if err != nil {
			return err
		}
		p.Fleets = append(p.Fleets, FleetPlan{
			Workers: n, Concurrency: fleet.Concurrency, Seconds: x.Seconds, CPUSeconds: x.Work,
			CriticalPath: x.CriticalPath, Efficiency: x.Efficiency,
			Transferred: uint64(x.MovedBytes), Stored: uint64(x.StoredBytes),
			FetchingSeconds: x.Fetching, IdleSeconds: x.Idle, CoordinatorBusy: x.CoordinatorBusy,
			MemoryBytes: each.MemoryBytes + uint64(x.PeakFetched), DiskBytes: uint64(x.PeakHeld + x.PeakShelf),
		})
	}
	return nil
}
