//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"pagoda/internal/catalog"
	"pagoda/internal/cli"
	"pagoda/internal/config"
	"pagoda/internal/coordinator"
	"pagoda/internal/engine"
	"pagoda/internal/forecast"
	"pagoda/internal/plan"
	"pagoda/internal/puzzle"
	"pagoda/internal/rundir"
)

// simulate measures the windows of the run in this process, and replays its plan on fleets of several sizes.
func simulate(ctx context.Context, o *options) error {
	p, err := build(o.config)
	if err != nil {
		return err
	}
	costs, plan, wall, err := windowCosts(ctx, p, filepath.Join(o.folder, "alone"))
	if err != nil {
		return err
	}
	schedule := plan.Forecast(func(_ *puzzle.CellPlan, w puzzle.Window) float64 { return costs[w.ID()].Seconds() })
	fmt.Printf("%s: %d windows, %.2f s one after the other (%.2f s by the clock, commits and queue included)\n\n",
		o.config, len(costs), total(costs).Seconds(), wall.Seconds())
	fmt.Printf("simulated: %.0f MB/s into a worker, %s a window for its worker besides, %s for the coordinator\n",
		o.bandwidth/1e6, o.overhead, o.serial)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(w, "workers\tseconds\tspeed-up\tefficiency\tcritical path, s\tMB moved\t")
	for _, n := range o.sizes {
		f, err := forecast.Simulate(schedule, forecast.Fleet{
			Workers: n, Bandwidth: o.bandwidth, Overhead: o.overhead.Seconds(), Serial: o.serial.Seconds(),
		})
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(w, "%d\t%.3f\t%.1f\t%.0f %%\t%.3f\t%.1f\t\n", n, f.Seconds, f.Work/f.Seconds, 100*f.Efficiency,
			f.CriticalPath, f.Transferred/1e6)
	}
	return w.Flush()
}

// build makes the puzzle that a config and settings name.
func build(line string) (puzzle.Puzzle, error) {
	fields := strings.Fields(line)
	if len(fields) == 0 {
		return nil, errors.New("no config is named")
	}
	o := config.Options{General: config.General(fields[0], catalog.All.Names(), cli.Machine()), Puzzle: catalog.All.Settings}
	for i := 1; i < len(fields); i++ {
		if fields[i] == "--set" {
			continue
		}
		set, err := config.ParseSet(fields[i])
		if err != nil {
			return nil, err
		}
		o.Overrides = append(o.Overrides, set)
	}
	c, err := config.Load(fields[0], o)
	if err != nil {
		return nil, err
	}
	return catalog.All.Build(c)
}

// windowCosts carries out the run of p, one window at a time, and returns what each took.
func windowCosts(ctx context.Context, p puzzle.Puzzle, dir string) (
	costs map[puzzle.WindowID]time.Duration, plan *plan.Plan, wall time.Duration, err error,
) {
	folder, err := rundir.Create(dir, rundir.NewMeta(p.Identity(), ""), rundir.FolderOptions{})
	if err != nil {
		return nil, nil, 0, err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	costs = map[puzzle.WindowID]time.Duration{}
	begin := time.Now()
	out, err := engine.Run(ctx, p, folder, engine.Options{
		Concurrency: 1, CacheBytes: 256 << 20,
		Events: coordinator.Events{Committed: func(c coordinator.Committed) { costs[c.Window.ID()] = c.Took }},
	})
	if err != nil {
		return nil, nil, 0, err
	}
	return costs, out.Results, time.Since(begin), nil
}

func total(costs map[puzzle.WindowID]time.Duration) (sum time.Duration) {
	for _, c := range costs {
		sum += c
	}
	return sum
}
