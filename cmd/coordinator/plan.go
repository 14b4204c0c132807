package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"pagoda/internal/cli"
	"pagoda/internal/estimate"
	"pagoda/internal/render"
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
  coordinator plan configs/french.yaml --workers 1,64,1024 --bandwidth 1250`,
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
			p, err := estimate.Make(ctx, j, fleet.fleets())
			if err != nil {
				return err
			}
			if output != render.JSON {
				return a.print(p.Text())
			}
			b, err := json.MarshalIndent(p, "", "  ")
			if err != nil {
				return err
			}
			return a.print(append(b, '\n'))
		}),
	}
	f.add(cmd, a.catalog)
	fleet.add(cmd)
	addOutput(cmd, &output)
	return cmd
}

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

// fleets are the fleets that the flags name, in bytes and seconds.
func (f *fleetFlags) fleets() estimate.Fleets {
	return estimate.Fleets{Workers: f.workers, Bandwidth: f.bandwidth * (1 << 20), Overhead: f.overhead / 1000}
}
