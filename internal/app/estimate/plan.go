package estimate

import (
	"context"
	"fmt"

	"pagoda/internal/app/cli"
	"pagoda/internal/app/runs"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/quantity"
	"pagoda/internal/run/plan"
)

// A Plan predicts the cost of a run; its JSON form is a contract, described in docs/cli.md.
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
	// expected by the puzzle. Where MoreLayers is set and there are no others, the cost of later layers is not known.
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
	Fits       bool    `json:"fits"` // on this machine
	Obstacle   string  `json:"obstacle,omitempty"`
	// Notes say why there is nothing to compute, when that is known beforehand, and which figures are not predicted.
	Notes []string `json:"notes,omitempty"`
	// WorkerMemory and WorkerDisk are those of each worker of the fleets; no WorkerDisk: as much as it needs.
	WorkerMemory uint64 `json:"worker_memory_bytes,omitempty"`
	WorkerDisk   uint64 `json:"worker_disk_bytes,omitempty"`
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

// Make predicts the cost of a job's run: here, and on fleets.
func Make(ctx context.Context, j *runs.Job, fleets Fleets) (*Plan, error) {
	pl, err := cli.Await(ctx, func() (*plan.Plan, error) {
		return plan.ForecastTelling(j.Puzzle, func(layers, windows int) {
			fleets.say("planning: %d layers so far, with %d windows", layers, windows)
		})
	})
	if err != nil {
		return nil, err
	}
	use, pred := resources(j, pl)
	free, err := freeDisk(j)
	if err != nil {
		return nil, err
	}
	rate, err := fleets.rate(ctx, j.Puzzle, pl, use.CacheBytes)
	if err != nil {
		return nil, err
	}
	p := &Plan{
		Run: j.ID, Puzzle: j.Config.Text("puzzle"), Data: j.Dir,
		Layers: pred.Layers, Cells: pred.Cells, Windows: pred.Windows, Addresses: pred.Addresses,
		MoreLayers: pred.Partial || pred.Expected > 0, Planned: pred.Layers - pred.Expected,
		Concurrency: use.Concurrency, Keep: use.Retention,
		MemoryBytes: pred.MemoryBytes, WindowBytes: pred.WindowBytes,
		MemoryLimit: j.Config.Uint("memory_limit_bytes"), RowBytes: pred.RowBytes, DiskBytes: pred.DiskBytes, DiskFree: free,
		Fits: true,
	}
	if p.MoreLayers && !rate.Unknown {
		p.Notes = append(p.Notes, "the time is estimated from the first layers: later ones may take several times as long")
	}
	if !rate.Unknown && pred.Windows > 0 {
		fleets.replicas = int(j.Config.Uint("replicas"))
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
			use.Concurrency, quantity.Bytes(at.MemoryBytes)))
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
