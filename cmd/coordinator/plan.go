package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pagoda/internal/app/cli"
	"pagoda/internal/app/estimate"
	"pagoda/internal/output/render"
	"pagoda/internal/puzzle/quantity"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/run/simulate"
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
given bandwidth and latency. Each of them has the memory of --worker-memory and the disk of --worker-disk. With --step
the time of a predicted step is given and not measured: then the same command says the same on every machine. Nothing is
created. With prices it says what the run costs on each number of workers. What takes longer is told on stderr. See
docs/scaling.md.`,
		Example: `  coordinator plan configs/french.yaml
  coordinator plan configs/french.yaml --concurrency 16 --set retention=summary
  coordinator plan configs/french.yaml --workers 1,16,64 --concurrency 16 --bandwidth 10Gbit --worker-memory 32GiB
  coordinator plan configs/french.yaml --price-core-hour 0.04 --price-gb-hour 0.005 --price-gb 0.01`,
		Args:              oneFile("config"),
		ValidArgsFunction: completeConfig,
		RunE: a.action(func(ctx context.Context, args []string) error {
			fleets, err := fleet.fleets(cmd.Flags().Changed("workers"))
			if err := errors.Join(checkOutput(output), err); err != nil {
				return err
			}
			t := tellEvery(a.stderr, tellInterval)
			defer t.stop()
			fleets.Progress = t.say
			t.say("reading the config")
			j, err := a.load(ctx, args[0], &f)
			if err != nil {
				return err
			}
			p, err := estimate.Make(ctx, j, fleets)
			if err != nil {
				return err
			}
			if output != render.JSON {
				s := render.Sheet{Style: a.style()}
				s.Problem(&j.Problem)
				return a.print(append(s.Bytes(), p.Text(s.Style)...))
			}
			b, err := render.Marshal(p, &j.Problem)
			if err != nil {
				return err
			}
			return a.print(b)
		}),
	}
	f.add(cmd, a.catalog)
	fleet.add(cmd)
	addOutput(cmd, &output)
	return cmd
}

// fleetFlags say for which fleets plan tells the time.
type fleetFlags struct {
	workers                 []int
	bandwidth, memory, disk string
	latency                 time.Duration
	step                    float64 // nanoseconds
	prices                  priceFlags
}

func (f *fleetFlags) add(cmd *cobra.Command) {
	cmd.Flags().IntSliceVar(&f.workers, "workers", []int{1, 16, 64},
		"`numbers` of workers to tell the time for")
	cmd.Flags().StringVar(&f.bandwidth, "bandwidth", "1Gbit",
		"what a worker receives in a second, and sends: 10Gbit, 1.25GB, 112MiB; a number alone is MiB (`rate`)")
	cmd.Flags().DurationVar(&f.latency, "latency", simulate.Defaults.Latency, "`time` that a message takes, one way")
	cmd.Flags().StringVar(&f.memory, "worker-memory", "",
		"memory of each worker, such as 32GiB; unless given, memory_limit_bytes (`size`)")
	cmd.Flags().StringVar(&f.disk, "worker-disk", "",
		"disk of each worker, such as 500GB; unless given, as much as it needs (`size`)")
	cmd.Flags().Float64Var(&f.step, "step", 0, "`nanoseconds` that a predicted step takes, which is not measured then")
	f.prices.add(cmd)
	cmd.Flags().Float64Var(&f.prices.GB, "price-gb", 0, "`price` of a GB that workers fetch from each other")
	completeNothing(cmd, "workers", "bandwidth", "latency", "worker-memory", "worker-disk", "step", "price-gb")
}

const maxFleet = 1 << 14

// unaskedWindows is the size of the largest run whose fleets are simulated without a request: some seconds.
const unaskedWindows = 50_000

// fleets are the fleets that the flags name, in bytes and seconds.
func (f *fleetFlags) fleets(asked bool) (estimate.Fleets, error) {
	out := estimate.Fleets{Workers: f.workers, Most: unaskedWindows, Latency: f.latency}
	if asked {
		out.Most = math.MaxInt
	}
	for _, n := range f.workers {
		if n < 1 || n > maxFleet {
			return out, &cli.UsageError{Err: fmt.Errorf("--workers: %d workers; want 1 to %d", n, maxFleet)}
		}
	}
	if f.latency < 0 {
		return out, &cli.UsageError{Err: fmt.Errorf("--latency %v: want a time of 0 or more", f.latency)}
	}
	if !(f.step >= 0) || math.IsInf(f.step, 0) {
		return out, &cli.UsageError{Err: fmt.Errorf("--step %v: want a time of 0 or more", f.step)}
	}
	var err error
	if out.Prices, err = f.prices.prices(); err != nil {
		return out, err
	}
	if f.step > 0 {
		r := estimate.GivenRate(f.step / 1e9)
		out.Rate = &r
	}
	if out.Bandwidth, err = quantity.ParseRate(f.bandwidth); err != nil {
		return out, usage(fmt.Sprintf("--bandwidth: %s: %v", setting.Quote(f.bandwidth), err),
			"write --bandwidth 10Gbit, 1.25GB or 112MiB, all of them a second; a number alone is MiB")
	}
	for _, size := range []struct {
		flag, text string
		to         *uint64
	}{{"worker-memory", f.memory, &out.Memory}, {"worker-disk", f.disk, &out.Disk}} {
		if size.text == "" {
			continue
		}
		if *size.to, err = quantity.ParseSize(strings.TrimSuffix(size.text, "B")); err != nil {
			return out, usage("--"+size.flag+": "+err.Error(), "write --"+size.flag+" 32GiB")
		}
	}
	return out, nil
}
