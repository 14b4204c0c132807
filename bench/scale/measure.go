//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"pagoda/test/testbed"
)

// limit is how long one run of a fleet may take.
const limit = 30 * time.Minute

// measure carries out the run on fleets of processes of this machine.
func measure(ctx context.Context, o *options, root string) error {
	bin := filepath.Join(o.folder, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	if err := testbed.Build(root, bin); err != nil {
		return err
	}
	alone, want, err := single(ctx, o, root, bin)
	if err != nil {
		return err
	}
	fmt.Printf("\nprocesses of this machine; transfers take %s each way and %d Mbit/s; one process: %.2f s\n",
		o.delay, o.rate/1e6, alone.Seconds())
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(w, "workers\tseconds\tspeed-up\tefficiency\tCPU s of workers\tMB moved\tmoved/stored\taudits\t"+
		"CPU ms of queue and coordinator a window\t")
	var first time.Duration
	for _, n := range o.workers {
		r, err := one(ctx, o, root, bin, n)
		if err != nil {
			return err
		}
		if r.result != want {
			return fmt.Errorf("%d workers: the result differs from that of one process", n)
		}
		if first == 0 {
			first = r.wall * time.Duration(n)
		}
		_, _ = fmt.Fprintf(w, "%d\t%.2f\t%.2f\t%.0f %%\t%.2f\t%.1f\t%.2f\t%d\t%.3f\t\n", n, r.wall.Seconds(),
			first.Seconds()/r.wall.Seconds(), 100*first.Seconds()/r.wall.Seconds()/float64(n), r.workers.Seconds(),
			float64(r.moved)/1e6, float64(r.moved)/float64(max(1, r.status.Bytes)), r.status.Audited,
			1e3*r.others.Seconds()/float64(max(1, r.status.Windows)))
	}
	return w.Flush()
}

// single carries out the run in one process with one worker.
func single(ctx context.Context, o *options, root, bin string) (time.Duration, string, error) {
	begin := time.Now()
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "coordinator"), append(append(
		[]string{"run"},
		strings.Fields(
			o.config,
		)...), "--data", filepath.Join(o.folder, "single"), "--concurrency", "1", "--output", "json")...)
	cmd.Dir = root
	out, err := cmd.Output()
	if failed := new(exec.ExitError); errors.As(err, &failed) {
		return 0, "", fmt.Errorf("the run in one process: %w: %s", err, failed.Stderr)
	}
	return time.Since(begin), string(out), err
}

// A reading is the cost of one fleet's run, and its result.
type reading struct {
	wall            time.Duration
	workers, others time.Duration // CPU
	moved           int64         // bytes
	status          testbed.Status
	result          string
}

func one(ctx context.Context, o *options, root, bin string, n int) (r reading, err error) {
	dir, err := os.MkdirTemp(o.folder, "fleet-")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	begin := time.Now()
	f, err := testbed.NewFleet(testbed.FleetOptions{
		Bin: bin, Dir: dir, Logs: dir, Root: root, Run: strings.Fields(o.config), Workers: n, Delay: o.delay, Rate: o.rate,
		Proxies: func(int) bool { return true },
	})
	defer func() { err = errors.Join(err, f.Close()) }()
	if err != nil {
		return r, err
	}
	select {
	case e := <-f.Ended:
		if e.Code != 0 {
			return r, fmt.Errorf("%d workers: the coordinator ended with exit code %d\n%s", n, e.Code, f.Tail(f.Coordinator))
		}
	case <-time.After(limit):
		return r, fmt.Errorf("%d workers: not done after %s\n%s", n, limit, f.Tail(f.Coordinator))
	case <-ctx.Done():
		return r, ctx.Err()
	}
	r.wall, r.result = time.Since(begin), f.Result.String()
	r.status, _ = f.Status()
	for _, w := range f.Workers {
		w.Finish()
		cpu, _ := w.Usage()
		r.workers += cpu
		r.moved += w.Proxy.Bytes.Load()
	}
	for _, p := range []*testbed.Process{f.NATS, f.Coordinator} {
		p.Finish()
		cpu, _ := p.Usage()
		r.others += cpu
	}
	return r, nil
}
