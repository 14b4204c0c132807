//go:build linux

// Command scale says how far a run scales: on processes of this machine, and by simulation on a cluster.
//
//	go run ./bench/scale -config configs/english.yaml                           # the simulation alone
//	go run ./bench/scale -config configs/english.yaml -fleet 1,2,4,8            # and real worker processes; needs root
//
// The simulation carries out the run once in this process, one window at a time, to measure what every window takes;
// then the real coordinator carries the plan out on simulated workers with those costs. No fleet beats the critical
// path. With -step it does not measure, and takes costs and sizes as they are predicted, for runs that take too long:
// without audits it then says what "coordinator plan --step" says, which calls the same functions.
//
// The fleet is one NATS server, one coordinator and worker processes, each with a network of its own that can be made
// slow (-delay, -rate). Results are compared with those of one process; a difference is an error.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

type options struct {
	config    string
	workers   []int
	sizes     []int
	bandwidth float64
	cores     int
	audits    float64
	step      float64
	memory    uint64
	// Of a worker's disk: bytes for fetched windows, and bytes a second.
	fetchedDisk uint64
	disk        float64
	latency     time.Duration
	delay       time.Duration
	rate        uint64
	folder      string
}

func main() {
	var o options
	var fleet, simulate string
	flag.StringVar(&o.config, "config", "configs/english.yaml", "the run: a `config and settings`, separated by spaces")
	flag.StringVar(&fleet, "fleet", "", "`numbers` of worker processes to measure with, such as 1,2,4,8")
	flag.StringVar(&simulate, "simulate", "16,64,256,1024", "`numbers` of workers to simulate")
	flag.Float64Var(
		&o.bandwidth,
		"bandwidth",
		1e8,
		"simulated `bytes` per second into a worker, and out of it; 0: no limit",
	)
	flag.IntVar(&o.cores, "cores", 1, "simulated `number` of windows that a worker computes at a time")
	flag.Float64Var(&o.audits, "audits", 0.02, "simulated `share` of windows that are computed a second time")
	flag.Float64Var(&o.step, "step", 0,
		"simulated `nanoseconds` of a predicted step, with 50 microseconds a window; the run is not carried out then")
	flag.Uint64Var(&o.memory, "memory", 0, "simulated `bytes` of memory of a worker; 0: no limit")
	flag.Uint64Var(&o.fetchedDisk, "fetched-disk", math.MaxUint64,
		"simulated `bytes` of a worker's disk for fetched windows that there is no memory for; 0: they are forgotten")
	flag.Float64Var(&o.disk, "disk", 0, "simulated `bytes` per second of a worker's disk; 0: no limit")
	flag.DurationVar(&o.latency, "latency", 500*time.Microsecond, "simulated `time` that a message takes, one way")
	flag.DurationVar(&o.delay, "delay", 500*time.Microsecond, "`delay` of transfers in the fleet, each way")
	flag.Uint64Var(&o.rate, "rate", 1e9, "`bits` per second that a worker of the fleet can receive; 0: no limit")
	flag.StringVar(&o.folder, "folder", "", "`folder` for programs and data, removed afterwards; default: a new one")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := errors.Join(numbers(&o.workers, fleet), numbers(&o.sizes, simulate))
	if err == nil {
		err = run(ctx, &o)
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func numbers(to *[]int, text string) error {
	for _, s := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' }) {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return fmt.Errorf("%q: want numbers of workers with commas between them", text)
		}
		*to = append(*to, n)
	}
	return nil
}

func run(ctx context.Context, o *options) error {
	if o.folder == "" {
		dir, err := os.MkdirTemp("", "pagoda-scale-")
		if err != nil {
			return err
		}
		o.folder = dir
	}
	defer func() { _ = os.RemoveAll(o.folder) }()
	if err := os.MkdirAll(o.folder, 0o755); err != nil {
		return err
	}
	root, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	if err := replay(ctx, o); err != nil {
		return err
	}
	if len(o.workers) == 0 {
		fmt.Println("\nno worker processes were measured; -fleet 1,2,4,8 does, as root")
		return nil
	}
	if os.Geteuid() != 0 {
		return errors.New("-fleet needs root: each process gets a network of its own")
	}
	return measure(ctx, o, root)
}
