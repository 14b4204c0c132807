package estimate

import (
	"context"

	"pagoda/internal/cli"
	"pagoda/internal/forecast"
	"pagoda/internal/plan"
	"pagoda/internal/runs"
)

// A Plan is what a run will take; its JSON form is a contract, described in docs/cli.md.
type Plan struct {
	Run         string         `json:"run"`
	Puzzle      string         `json:"puzzle"`
	Data        string         `json:"data"`
	Layers      int            `json:"layers"`
	Cells       int            `json:"cells"`
	Windows     int            `json:"windows"`
	Addresses   uint64         `json:"addresses,string"`
	MoreLayers  bool           `json:"more_layers"` // later layers are decided on the way
	Concurrency int            `json:"concurrency"`
	Keep        plan.Retention `json:"retention"`
	MemoryBytes uint64         `json:"memory_bytes"`
	MemoryLimit uint64         `json:"memory_limit_bytes"`
	RowBytes    uint64         `json:"row_bytes"`
	DiskBytes   uint64         `json:"disk_bytes"`
	DiskFree    uint64         `json:"disk_free_bytes"`
	// CPUSeconds and Seconds predict the time; absent when the first layers are too small to tell.
	CPUSeconds float64 `json:"cpu_seconds,omitempty"`
	Seconds    float64 `json:"seconds,omitempty"`
	Fits       bool    `json:"fits"`
	Obstacle   string  `json:"obstacle,omitempty"`
	// Notes say why there is nothing to compute, when that is known beforehand.
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
}

// Make predicts what the run of a job takes: here, and on fleets.
func Make(ctx context.Context, j *runs.Job, fleets Fleets) (*Plan, error) {
	pl, err := cli.Await(ctx, func() (*plan.Plan, error) { return plan.New(j.Puzzle) })
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
		MoreLayers: pred.Partial, Concurrency: use.Concurrency, Keep: use.Retention, MemoryBytes: pred.MemoryBytes,
		MemoryLimit: j.Config.Uint("memory_limit_bytes"), RowBytes: pred.RowBytes, DiskBytes: pred.DiskBytes, DiskFree: free,
		Fits: true,
	}
	if !rate.Unknown && pred.Windows > 0 {
		if err := p.forecast(ctx, pl, rate, fleets); err != nil {
			return nil, err
		}
	}
	if pred.Windows == 0 { // answered before anything is computed: the summary says why
		sum, err := j.Puzzle.Summarise(pl)
		if err != nil {
			return nil, err
		}
		p.Notes = sum.Notes
	}
	if err := pred.Check(p.MemoryLimit, free, j.Dir); err != nil {
		p.Fits, p.Obstacle = false, err.Error()
	}
	for n := range pl.Layers() {
		cells := pl.Cells(n)
		l := LayerPlan{Layer: n, Cells: len(cells)}
		for i := range cells {
			l.Windows += cells[i].Windows()
			l.Addresses += cells[i].Addresses
		}
		p.LayerPlans = append(p.LayerPlans, l)
	}
	return p, nil
}

// Fleets says for which fleets a time is predicted.
type Fleets struct {
	Workers   []int   // one fleet for each number of workers, of one core each
	Bandwidth float64 // bytes a second at which a worker fetches parents
	Overhead  float64 // seconds that a window costs its worker in queue and report
}

// A FleetPlan tells what a run takes on a number of workers, each with one core and a folder of its own.
type FleetPlan struct {
	Workers      int     `json:"workers"`
	Seconds      float64 `json:"seconds"`
	CPUSeconds   float64 `json:"cpu_seconds"`
	CriticalPath float64 `json:"critical_path_seconds"` // no number of workers is faster
	Efficiency   float64 `json:"efficiency"`            // computing / (workers * seconds)
	Transferred  uint64  `json:"transferred_bytes"`
	MemoryBytes  uint64  `json:"memory_bytes"` // at most, of each worker
	DiskBytes    uint64  `json:"disk_bytes"`   // at most, of all workers, without copies of what they fetched
}

// forecast predicts the times: here, without any transfer, and on fleets.
func (p *Plan) forecast(ctx context.Context, pl *plan.Plan, r Rate, f Fleets) error {
	costs := pl.Forecast(r.Of)
	on := func(fleet forecast.Fleet) (forecast.Forecast, error) {
		return cli.Await(ctx, func() (forecast.Forecast, error) { return forecast.Simulate(costs, fleet) })
	}
	here, err := on(forecast.Fleet{Workers: max(1, p.Concurrency)})
	if err != nil {
		return err
	}
	p.CPUSeconds, p.Seconds = here.Work, here.Seconds
	each := pl.Predict(plan.Resources{Concurrency: 1, Retention: p.Keep})
	for _, n := range f.Workers {
		x, err := on(forecast.Fleet{Workers: n, Bandwidth: f.Bandwidth, Overhead: f.Overhead})
		if err != nil {
			return err
		}
		p.Fleets = append(p.Fleets, FleetPlan{
			Workers: n, Seconds: x.Seconds, CPUSeconds: x.Work + f.Overhead*float64(x.Windows),
			CriticalPath: x.CriticalPath, Efficiency: x.Efficiency,
			Transferred: uint64(x.Transferred), MemoryBytes: each.MemoryBytes, DiskBytes: each.DiskBytes,
		})
	}
	return nil
}
