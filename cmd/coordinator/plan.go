package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"

	"pagoda/internal/cli"
	"pagoda/internal/estimate"
	"pagoda/internal/render"
	"pagoda/internal/simulate"
)

func (a *app) planCommand() *cobra.Command {
	var f settingFlags
	var fleet fleetFlags
	var output string
	var cmd *cobra.Command
	cmd = &cobra.Command{
		Use:   "plan CONFIG",
		Short: "say what a run will take, before anything runs",
		Long: `Say what a run will take, before anything runs: layers, windows, feasible addresses, bounds on memory and disk,
and an estimated time, here and on 1, 16 and 64 workers that compute as many windows at a time as --concurrency says.
The time is estimated from the first layers, which are computed in memory for a moment. On workers it is found by a
simulation: the real coordinator hands its tasks to workers that compute nothing, in virtual time, over a network of the
given bandwidth and latency. Nothing is created. See docs/scaling.md.`,
		Example: `  coordinator plan configs/french.yaml
  coordinator plan configs/french.yaml --concurrency 16 --set retention=summary
  coordinator plan configs/french.yaml --workers 1,16,64 --concurrency 16 --bandwidth 1192 --latency 500us`,
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
			p, err := estimate.Make(ctx, j, fleet.fleets(cmd.Flags().Changed("workers")))
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
	bandwidth float64 // MiB/s into a worker, and out of it
	latency   time.Duration
}

func (f *fleetFlags) add(cmd *cobra.Command) {
	cmd.Flags().IntSliceVar(&f.workers, "workers", []int{1, 16, 64},
		"`numbers` of workers to tell the time for")
	cmd.Flags().Float64Var(&f.bandwidth, "bandwidth", 112,
		"`MiB/s` that a worker receives, and that it sends; the default is 1 Gbit/s")
	cmd.Flags().DurationVar(&f.latency, "latency", simulate.Defaults.Latency, "`time` that a message takes, one way")
	for _, flag := range []string{"workers", "bandwidth", "latency"} {
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
	if !(f.bandwidth > 0) || math.IsInf(f.bandwidth, 0) || f.latency < 0 {
		return &cli.UsageError{Err: fmt.Errorf("--bandwidth %v, --latency %v: want a rate above 0 and a time of 0 or more",
			f.bandwidth, f.latency)}
	}
	return nil
}

// unaskedWindows is the size of the largest run for which fleets are simulated that nobody asked for: some seconds.
const unaskedWindows = 200_000

// fleets are the fleets that the flags name, in bytes and seconds.
func (f *fleetFlags) fleets(asked bool) estimate.Fleets {
	most := unaskedWindows
	if asked {
		most = math.MaxInt
	}
	return estimate.Fleets{Workers: f.workers, Most: most, Bandwidth: f.bandwidth * (1 << 20), Latency: f.latency}
}
