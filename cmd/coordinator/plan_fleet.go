package main

import (
	"context"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"pagoda/internal/cli"
	"pagoda/internal/estimate"
	"pagoda/internal/forecast"
	"pagoda/internal/plan"
	"pagoda/internal/render"
)

// fleetFlags say for which fleets plan tells the time.
type fleetFlags struct {
	workers   []int
	bandwidth float64 // MiB/s into a worker
	overhead  float64 // milliseconds a window
}

func (f *fleetFlags) add(cmd *cobra.Command) {
	cmd.Flags().IntSliceVar(&f.workers, "workers", []int{1, 16, 64},
		"`numbers` of workers, of one core each, to tell the time for")
	cmd.Flags().Float64Var(&f.bandwidth, "bandwidth", 112,
		"`MiB/s` at which a worker fetches parents; the default is 1 Gbit/s")
	cmd.Flags().Float64Var(&f.overhead, "overhead", 1, "`milliseconds` that a window costs its worker in queue and report")
	for _, flag := range []string{"workers", "bandwidth", "overhead"} {
		if err := cmd.RegisterFlagCompletionFunc(flag, cobra.NoFileCompletions); err != nil {
			panic(err) // the flag is defined above
		}
	}
}

const maxFleet = 1 << 14

func (f *fleetFlags) check() error {
	for _, n := range f.workers {
		if n < 1 || n > maxFleet {
			return &cli.UsageError{Err: fmt.Errorf("--workers: %d workers; want 1 to %d", n, maxFleet)}
		}
	}
	if !(f.bandwidth > 0) || math.IsInf(f.bandwidth, 0) || !(f.overhead >= 0) || math.IsInf(f.overhead, 0) {
		return &cli.UsageError{Err: fmt.Errorf("--bandwidth %v, --overhead %v: want a rate above 0 and a time of 0 or more",
			f.bandwidth, f.overhead)}
	}
	return nil
}

// planFleet tells what a run takes on a number of workers, each with one core and a folder of its own.
type planFleet struct {
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
func (p *fullPlan) forecast(ctx context.Context, pl *plan.Plan, r estimate.Rate, f fleetFlags) error {
	costs := pl.Forecast(r.Of)
	on := func(fleet forecast.Fleet) (forecast.Forecast, error) {
		return await(ctx, func() (forecast.Forecast, error) { return forecast.Simulate(costs, fleet) })
	}
	here, err := on(forecast.Fleet{Workers: max(1, p.Workers)})
	if err != nil {
		return err
	}
	p.CPUSeconds, p.Seconds = here.Work, here.Seconds
	each := pl.Predict(plan.Resources{Concurrency: 1, Retention: p.Retention})
	for _, n := range f.workers {
		x, err := on(forecast.Fleet{Workers: n, Bandwidth: f.bandwidth * (1 << 20), Overhead: f.overhead / 1000})
		if err != nil {
			return err
		}
		p.Fleets = append(p.Fleets, planFleet{
			Workers: n, Seconds: x.Seconds, CPUSeconds: x.Work + f.overhead/1000*float64(x.Windows),
			CriticalPath: x.CriticalPath, Efficiency: x.Efficiency,
			Transferred: uint64(x.Transferred), MemoryBytes: each.MemoryBytes, DiskBytes: each.DiskBytes,
		})
	}
	return nil
}

// fleetText adds the times on fleets to the text of a plan.
func (p *fullPlan) fleetText(s *render.Sheet) {
	if len(p.Fleets) == 0 {
		return
	}
	s.Columns()
	s.Printf("\n")
	s.Numbers()
	s.Printf("workers\ttime\tefficiency\tlongest chain\tfetched\tmemory each\tdisk, all\t\n")
	for _, f := range p.Fleets {
		s.Printf("%d\t%s\t%.0f %%\t%s\t%s\t%s\t%s\t\n", f.Workers, brief(f.Seconds), 100*f.Efficiency,
			brief(f.CriticalPath), plan.Bytes(f.Transferred), plan.Bytes(f.MemoryBytes), plan.Bytes(f.DiskBytes))
	}
	s.Columns()
}

// brief is duration in a column, where small times are to be compared.
func brief(seconds float64) string {
	if seconds < 1 {
		return fmt.Sprintf("%.2gs", seconds)
	}
	return duration(seconds)
}
