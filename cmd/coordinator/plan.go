package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"pagoda/internal/cli"
	"pagoda/internal/estimate"
	"pagoda/internal/plan"
	"pagoda/internal/render"
	"pagoda/internal/rundir"
	"pagoda/internal/runs"
)

func (a *app) planCommand() *cobra.Command {
	var f settingFlags
	var fleet fleetFlags
	var output string
	cmd := &cobra.Command{
		Use:   "plan CONFIG",
		Short: "say what a run will take, before anything runs",
		Long: `Say what a run will take, before anything runs: layers, windows, feasible addresses, bounds on memory and disk,
and an estimated time, here and on 1, 16 and 64 workers of one core each. The time is estimated from the first layers,
which are computed in memory for a moment; for the workers it is found by a simulation of the schedule, in which a
worker has to fetch the parents that it did not compute. Nothing is created.`,
		Example: `  coordinator plan configs/french.yaml
  coordinator plan configs/french.yaml --concurrency 16 --set retention=summary
  coordinator plan configs/french.yaml --fleet 1,64,1024 --bandwidth 1250`,
		Args:              oneConfig,
		ValidArgsFunction: completeConfig,
		RunE: a.action(func(ctx context.Context, args []string) error {
			if err := errors.Join(checkOutput(output), fleet.check()); err != nil {
				return err
			}
			j, err := a.load(ctx, args[0], &f)
			if err != nil {
				return err
			}
			return a.plan(ctx, j, fleet, output)
		}),
	}
	f.add(cmd, a.catalog)
	fleet.add(cmd)
	addOutput(cmd, &output)
	return cmd
}

// fullPlan is what plan prints; its JSON form is a contract, described in docs/cli.md.
type fullPlan struct {
	Run         string         `json:"run"`
	Puzzle      string         `json:"puzzle"`
	Data        string         `json:"data"`
	Layers      int            `json:"layers"`
	Cells       int            `json:"cells"`
	Windows     int            `json:"windows"`
	Addresses   uint64         `json:"addresses,string"`
	MoreLayers  bool           `json:"more_layers"` // later layers are decided on the way
	Workers     int            `json:"concurrency"`
	Retention   plan.Retention `json:"retention"`
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
	Fleets     []planFleet `json:"fleets,omitempty"`
	LayerPlans []planLayer `json:"layer_plans"`
}

type planLayer struct {
	Layer     int    `json:"layer"`
	Cells     int    `json:"cells"`
	Windows   int    `json:"windows"`
	Addresses uint64 `json:"addresses,string"`
}

func (a *app) plan(ctx context.Context, j *runs.Job, fleet fleetFlags, output string) error {
	pl, err := await(ctx, func() (*plan.Plan, error) { return plan.New(j.Puzzle) })
	if err != nil {
		return err
	}
	use, pred := resources(j, pl)
	free, err := freeDisk(j)
	if err != nil {
		return err
	}
	rate, err := estimate.Calibrate(ctx, j.Puzzle, estimate.CalibrationTime)
	if err != nil {
		return err
	}
	p := fullPlan{
		Run: j.ID, Puzzle: j.Config.Text("puzzle"), Data: j.Dir,
		Layers: pred.Layers, Cells: pred.Cells, Windows: pred.Windows, Addresses: pred.Addresses,
		MoreLayers: pred.Partial, Workers: use.Concurrency, Retention: use.Retention, MemoryBytes: pred.MemoryBytes,
		MemoryLimit: j.Config.Uint("memory_limit_bytes"), RowBytes: pred.RowBytes, DiskBytes: pred.DiskBytes, DiskFree: free,
		Fits: true,
	}
	if !rate.Unknown && pred.Windows > 0 {
		if err := p.forecast(ctx, pl, rate, fleet); err != nil {
			return err
		}
	}
	if pred.Windows == 0 { // answered before anything is computed: the summary says why
		sum, err := j.Puzzle.Summarise(pl)
		if err != nil {
			return err
		}
		p.Notes = sum.Notes
	}
	if err := pred.Check(p.MemoryLimit, free, j.Dir); err != nil {
		p.Fits, p.Obstacle = false, err.Error()
	}
	for n := range pl.Layers() {
		cells := pl.Cells(n)
		l := planLayer{Layer: n, Cells: len(cells)}
		for i := range cells {
			l.Windows += cells[i].Windows()
			l.Addresses += cells[i].Addresses
		}
		p.LayerPlans = append(p.LayerPlans, l)
	}
	if output == render.JSON {
		b, err := json.MarshalIndent(&p, "", "  ")
		if err != nil {
			return err
		}
		return a.print(append(b, '\n'))
	}
	return a.print(p.text())
}

func (p *fullPlan) text() []byte {
	var s render.Sheet
	s.Numbers()
	s.Printf("layer\tcells\twindows\taddresses\t\n")
	for _, l := range p.LayerPlans {
		s.Printf("%d\t%d\t%d\t%d\t\n", l.Layer, l.Cells, l.Windows, l.Addresses)
	}
	s.Columns()
	s.Printf("\n")
	more := ""
	if p.MoreLayers {
		more = " at least: later layers are decided on the way"
	}
	s.Printf("run\t%s\n", p.Run)
	s.Printf("data folder\t%s\n", p.Data)
	s.Printf("layers\t%d%s\n", p.Layers, more)
	s.Printf("windows\t%d in %d cells\n", p.Windows, p.Cells)
	s.Printf("addresses\t%d\n", p.Addresses)
	s.Printf("memory\tat most %s at concurrency %d, of %s allowed\n",
		plan.Bytes(p.MemoryBytes), p.Workers, plan.Bytes(p.MemoryLimit))
	s.Printf("disk\tat most %s with keep %s (rows %s), of %s free\n",
		plan.Bytes(p.DiskBytes), p.Retention, plan.Bytes(p.RowBytes), plan.Bytes(p.DiskFree))
	for _, note := range p.Notes {
		s.Printf("note\t%s\n", note)
	}
	if p.Windows == 0 {
		s.Printf("time\tnone: there is nothing to compute\n")
	} else if p.CPUSeconds > 0 {
		s.Printf("time\tabout %s at concurrency %d, %s of cpu time\n",
			duration(p.Seconds), p.Workers, duration(p.CPUSeconds))
	} else {
		s.Printf("time\tunknown: the windows of the first layers are too small to tell\n")
	}
	p.fleetText(&s)
	if !p.Fits {
		s.Printf("verdict\tdoes not fit: %s\n", p.Obstacle)
	}
	return s.Bytes()
}

// duration is a time in seconds for people, with about two digits.
func duration(seconds float64) string {
	switch d := time.Duration(seconds * float64(time.Second)); {
	case seconds > 1e9:
		return fmt.Sprintf("%.2g years", seconds/(365.25*86400))
	case d < time.Second:
		return "a second"
	case d < 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d < 10*time.Minute:
		return d.Round(time.Second).String()
	case d < 48*time.Hour:
		return d.Round(time.Minute).String()
	default:
		return fmt.Sprintf("%.1f days", d.Hours()/24)
	}
}

// resources says how a job is carried out, and what that takes.
func resources(j *runs.Job, pl *plan.Plan) (plan.Resources, plan.Prediction) {
	return cli.Resources(pl, int(j.Config.Uint("concurrency")), plan.Retention(j.Config.Text("retention")),
		j.Config.Uint("memory_limit_bytes"))
}

// freeDisk is what the run may use of the disk: what is free, and what its folder holds already.
func freeDisk(j *runs.Job) (uint64, error) {
	free, err := rundir.FreeDisk(j.Dir)
	if err != nil || free == 0 {
		return free, cli.AdviseFolder(err, j.Dir)
	}
	err = filepath.WalkDir(j.Dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			free += uint64(info.Size())
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // a file that a live run has just replaced
		return 0, cli.AdviseFolder(err, j.Dir)
	}
	return free, nil
}

// preflight says whether the machine can hold the run. In a fleet, rows are spread over its workers, and a process that
// computes nothing needs no memory for windows.
func preflight(j *runs.Job, fleet bool) (plan.Resources, error) {
	pl, err := plan.New(j.Puzzle)
	if err != nil {
		return plan.Resources{}, err
	}
	use, pred := resources(j, pl)
	limit, free := j.Config.Uint("memory_limit_bytes"), uint64(0)
	if !fleet {
		if free, err = freeDisk(j); err != nil {
			return use, err
		}
	}
	if j.Config.Uint("concurrency") == 0 {
		limit = 0
	}
	var lack *plan.ResourceError
	if err := pred.Check(limit, free, j.Dir); errors.As(err, &lack) {
		hint := "less concurrency, smaller window_addresses or a higher memory_limit_bytes help"
		if lack.What == "disk" {
			hint = "retention: last or summary needs less, or choose a folder on a larger disk with --data"
		}
		return use, cli.Hint(&cli.UsageError{Err: err}, hint)
	} else if err != nil {
		return use, err
	}
	return use, nil
}
