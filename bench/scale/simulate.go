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

	"pagoda/internal/app/cli"
	"pagoda/internal/app/estimate"
	"pagoda/internal/catalog"
	"pagoda/internal/config"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/rundir"
	"pagoda/internal/run/simulate"
)

// replay measures the windows of the run in this process, and carries out its plan on simulated fleets of several
// sizes.
func replay(ctx context.Context, o *options) error {
	p, keep, err := build(o.config)
	if err != nil {
		return err
	}
	pl, err := plan.New(p)
	if err != nil {
		return err
	}
	f, each := estimate.Worker(pl, o.cores, keep, o.memory)
	if err := each.Check(o.memory, 0, ""); err != nil {
		return err
	}
	f.Bandwidth, f.Latency, f.Audits = o.bandwidth, o.latency, o.audits
	f.FetchedDisk, f.Disk = o.fetchedDisk, o.disk
	cost := estimate.GivenRate(o.step / 1e9).Of
	if o.step == 0 {
		measured, wall, err := measureWindows(ctx, p, filepath.Join(o.folder, "alone"))
		if err != nil {
			return err
		}
		cost = func(_ *puzzle.CellPlan, w puzzle.Window) float64 { return measured[w.ID()].took.Seconds() }
		f.Size = func(_ *puzzle.CellPlan, w puzzle.Window) float64 { return float64(measured[w.ID()].bytes) }
		fmt.Printf("%s: %d windows, %.2f s one after the other (%.2f s by the clock, commits and queue included)\n\n",
			o.config, len(measured), total(measured).Seconds(), wall.Seconds())
	}
	fmt.Printf("simulated: workers of %d cores, %.0f MB/s into and out of a worker, latency %s\n",
		o.cores, o.bandwidth/1e6, o.latency)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(
		w,
		"workers\tseconds\tspeed-up\tefficiency\tcritical path, s\tMB moved\tmoved/stored\taudits\tcoordinator\t"+
			"fetching\tfor memory\tidle\tfetched on disk, GB\tread from disk, GB\t",
	)
	for _, n := range o.sizes {
		f.Workers = n
		x, err := simulate.Run(ctx, p, cost, f)
		if err != nil {
			return err
		}
		cores := float64(n) * float64(o.cores) * x.Seconds // core seconds
		_, _ = fmt.Fprintf(w,
			"%d\t%.3f\t%.1f\t%.0f %%\t%.3f\t%.1f\t%.2f\t%d\t%.0f %%\t%.0f %%\t%.0f %%\t%.0f %%\t%.1f\t%.0f\t\n",
			n, x.Seconds, x.Work/x.Seconds, 100*x.Efficiency, x.CriticalPath, x.MovedBytes/1e6, x.MovedBytes/x.StoredBytes,
			x.Audited, 100*x.CoordinatorBusy, 100*x.Fetching/cores, 100*x.Room/cores, 100*x.Idle/cores, x.PeakShelf/1e9,
			x.ReadBytes/1e9)
	}
	return w.Flush()
}

// build returns the puzzle that a config and settings name, and the retention of its run.
func build(line string) (puzzle.Puzzle, plan.Retention, error) {
	fields := strings.Fields(line)
	if len(fields) == 0 {
		return nil, "", errors.New("no config is named")
	}
	o := config.Options{
		General: config.General(fields[0], catalog.All.Names(), cli.Machine(), nil),
		Puzzle:  catalog.All.Settings,
	}
	for i := 1; i < len(fields); i++ {
		if fields[i] == "--set" {
			continue
		}
		set, err := config.ParseSet(fields[i])
		if err != nil {
			return nil, "", err
		}
		o.Overrides = append(o.Overrides, set)
	}
	c, err := config.Load(fields[0], o)
	if err != nil {
		return nil, "", err
	}
	p, err := catalog.All.Build(c)
	return p, plan.Retention(c.Text("retention")), err
}

// A window is the measured time and size of one window.
type window struct {
	took  time.Duration
	bytes uint64 // as it is stored
}

// measureWindows carries out the run of p, one window at a time, and returns the time and size of each.
func measureWindows(ctx context.Context, p puzzle.Puzzle, dir string) (
	all map[puzzle.WindowID]window, wall time.Duration, err error,
) {
	folder, err := rundir.Create(dir, rundir.NewMeta(p.Identity(), ""), rundir.FolderOptions{})
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	all = map[puzzle.WindowID]window{}
	begin := time.Now()
	_, err = engine.Run(ctx, p, folder, engine.Options{
		Concurrency: 1, CacheBytes: 256 << 20,
		Events: coordinator.Events{Committed: func(c coordinator.Committed) {
			all[c.Window.ID()] = window{c.Took, c.Bytes}
		}},
	})
	if err != nil {
		return nil, 0, err
	}
	return all, time.Since(begin), nil
}

func total(all map[puzzle.WindowID]window) (sum time.Duration) {
	for _, w := range all {
		sum += w.took
	}
	return sum
}
