package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/spf13/cobra"

	"pagoda/internal/app/cli"
	"pagoda/internal/fleet/keys"
	"pagoda/internal/puzzle/quantity"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/rundir"
)

// An app is one call of the program.
type app struct {
	stdout, stderr *os.File
	environ        []string
	started        bool // later errors are no mistakes in the command line
}

// main runs the program and returns the exit code.
func (a *app) main(args []string) int {
	ctx, stop := cli.Signals(context.Background(), os.Exit)
	defer stop()
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil && !a.started {
		err = cli.Hint(&cli.UsageError{Err: errors.New(cli.PlainFlag(err.Error()))}, "worker --help lists the flags")
	}
	if err != nil {
		cli.Report(a.stderr, cli.Colour(a.stderr, a.environ), err)
	}
	return cli.Code(err)
}

// settings are the values of the flags.
type settings struct {
	cli.Network
	data        string
	concurrency int
	label       string
	run         string // the only run to serve; "" is any
	once        bool
	atATime     int // runs served at a time
	grace       time.Duration
	patience    time.Duration // 0: without end
	memory      uint64        // bytes for the whole process
	fetchedDisk uint64        // bytes for windows of others
}

func (a *app) root() *cobra.Command {
	var s settings
	cmd := &cobra.Command{
		Use:   "worker --nats URL --data DIR",
		Short: "compute windows of runs for coordinators in other processes",
		Long: `Compute windows of runs for coordinators in other processes.

A worker looks for a run on the NATS server, takes its tasks, keeps what it computes in its data folder and gives it to
other workers. It serves the runs that are there, several at a time, until it is stopped: each gets a part of the
processors by the weight in its config, and the memory that it can use. Workers may come and go at any time: what is
lost with one is computed again by others, and a worker that returns to its folder goes on with what is in it.

SIGTERM and Ctrl-C let the worker finish what it is computing and hand back the rest. Meanwhile others copy the windows
that only it holds, if others are there; where the run has an archive it uploads them. It ends when that is done, and
after --grace at the latest. A second signal ends it at once. With --once it ends with 3 then, as the run is not over,
and with 0 only when it is.`,
		Example: `  worker --nats nats://127.0.0.1:4222 --data /scratch/w1
  worker --nats tls://head:4222 --certs keys/worker --data /scratch/w1 --transfer 0.0.0.0:7070 --advertise node7
  worker --nats nats://127.0.0.1:4222 --data w2 --run 0123456789ab --once`,
		Args:              cobra.NoArgs,
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.started = true
			return a.work(cmd.Context(), &s)
		},
	}
	cmd.SetOut(a.stdout) // help that was asked for is data
	cmd.SetErr(a.stderr)
	version := cli.ThisVersion("worker")
	cmd.Version = version.Version
	cmd.SetVersionTemplate(version.Text())
	s.AddFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&s.data, "data", "", "data `folder` of this worker; no two processes may share one")
	f.IntVar(&s.concurrency, "concurrency", cli.Machine().CPUs, "`number` of windows computed at a time, each on one cpu")
	f.StringVar(&s.label, "name", "",
		"`name` of the worker, which its key is added to; the default is drawn once and kept in the data folder")
	f.StringVar(&s.run, "run", "", "serve only the run with this `ID`")
	f.IntVar(&s.atATime, "at-a-time", 8, "`number` of runs served at a time, as far as there is memory")
	f.BoolVar(&s.once, "once", false, "end when the first run is over, or has had no coordinator for a minute")
	f.DurationVar(&s.patience, "patience", 0,
		"`time` without a run to work for, or without its coordinator, after which to give up; 0: never")
	f.DurationVar(&s.grace, "grace", 45*time.Second,
		"`time` that a worker told to stop takes to finish its windows and to hand over those that only it holds")
	f.Uint64Var(&s.memory, "memory", 0, "`bytes` for the whole process; 0: 80 % of the machine's or the cgroup's")
	f.Uint64Var(&s.fetchedDisk, "fetched-disk", math.MaxUint64,
		"`bytes` of disk for windows of others that there is no memory for; at most half of what is free")
	f.Lookup("fetched-disk").DefValue = "that half"
	err := errors.Join(cmd.MarkFlagRequired("nats"), cmd.MarkFlagRequired("data"), cmd.MarkFlagDirname("data"))
	if err != nil {
		panic(err) // the flags are defined above
	}
	cli.OnlyOnce(cmd)
	return cmd
}

const (
	maxConcurrency = 1024
	// minMemory is the memory of a worker without a window, with the least that it keeps of others' windows. With less it
	// could serve no run, and would wait for ever for one that it can.
	minMemory = 320 << 20
)

// check returns an error if the flags are wrong.
func (s *settings) check() error {
	usage := func(text, hint string) error { return cli.Hint(&cli.UsageError{Err: errors.New(text)}, hint) }
	switch {
	case s.data == "":
		return usage("--data: no folder is given", "give a folder of this worker's own")
	case s.concurrency < 1 || s.concurrency > maxConcurrency:
		return usage(fmt.Sprintf("--concurrency: %d is not between 1 and %d", s.concurrency, maxConcurrency),
			"as many as there are cpus is best")
	case s.atATime < 1:
		return usage("--at-a-time: a worker serves at least one run", "1 serves one run after the other")
	case s.label != "" && !protocol.ValidLabel(s.label):
		return usage(fmt.Sprintf("--name: %.60q is no name for a worker", s.label),
			"up to 115 letters, digits, dots, dashes and underscores, a letter or digit first")
	case s.label == protocol.OwnWorker:
		return usage(fmt.Sprintf("--name: %s is the worker in the coordinator's process", s.label), "choose another name")
	case s.label == protocol.ArchiveName:
		return usage(fmt.Sprintf("--name: %s stands for the archive of a run", s.label), "choose another name")
	case s.run != "" && !rundir.ValidID(s.run):
		return usage(fmt.Sprintf("--run: %.70q is no run ID", s.run), cli.RunIDHint)
	case s.grace < 0:
		return usage("--grace: a time cannot be negative", "write --grace 45s")
	case s.patience < 0:
		return usage("--patience: a time cannot be negative", "write --patience 15m")
	}
	if err := s.checkMemory(cli.Machine().MemoryBytes); err != nil {
		return err
	}
	if err := s.checkNetwork(); err != nil {
		return err
	}
	if s.Keys != nil && s.Keys.Run != "" {
		if s.run != "" && s.run != s.Keys.Run {
			return usage(fmt.Sprintf("--run: the keys in %s are for run %s alone", s.CertsDir, s.Keys.Run),
				"leave --run out, or give the keys of that run")
		}
		s.run = s.Keys.Run
	}
	return nil
}

// checkMemory demands enough memory, and sets the default: a share of have, this process's memory, 0 for unknown.
func (s *settings) checkMemory(have uint64) error {
	whose := ""
	if s.memory == 0 {
		s.memory, whose = have/5*4, ", 80 % of what this machine or its cgroup has,"
		if have == 0 {
			s.memory = minMemory
		}
	}
	if s.memory >= minMemory {
		return nil
	}
	return cli.Hint(&cli.UsageError{Err: fmt.Errorf("--memory: %s%s are not enough", quantity.Bytes(s.memory), whose)},
		fmt.Sprintf("give it %s or more", quantity.Bytes(minMemory)))
}

// checkNetwork returns an error if the addresses are wrong.
func (s *settings) checkNetwork() error {
	if err := s.Check(keys.Worker); err != nil {
		return err
	}
	return s.CheckReach()
}
