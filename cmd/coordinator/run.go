package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"pagoda/internal/app/cli"
	"pagoda/internal/app/estimate"
	"pagoda/internal/app/runs"
	"pagoda/internal/fleet/keys"
	"pagoda/internal/fleet/ops"
	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/quantity"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/pause"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/rundir"
)

// runFlags are the flags of run.
type runFlags struct {
	settingFlags
	cli.Network
	output string
	listen string // host:port of the NATS server in this process, "" for none
	api    string // host:port of the API, "" for none
	linger bool
	// lingerFor is how long a complete run stays.
	lingerFor time.Duration
	// anyDisk says that the run begins also where the disk may be too small.
	anyDisk bool
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run CONFIG",
		Short: "carry out a run, or resume it, and print its results",
		Long: `Carry out a run and print its results: a table and the totals, or one JSON document.

Windows that the data folder holds already are not computed again; what is reused, and why, is said on stderr. A folder
of a run with other parameters is refused. Ctrl-C and SIGTERM stop the run within seconds; the same command resumes
it.

With --listen or --nats, worker processes compute windows too; with --concurrency 0, they alone. See docs/fleet.md.

A run with an archive goes on after the loss of its data folder and of all workers: the same command takes the ledger
from the archive. --from demands that the archive has a ledger of this run, and begins none.`,
		Example: `  coordinator run configs/english.yaml
  coordinator run configs/english.yaml --concurrency 2 --output json
  coordinator run configs/english.yaml --set board=french --set start=r0c2 --set goal= --data /data/french
  coordinator run configs/french.yaml --concurrency 0 --listen 127.0.0.1:4222
  coordinator run configs/french.yaml --concurrency 0 --listen 127.0.0.1:4222 --from s3://bucket/runs`,
		Args:              oneFile("config"),
		ValidArgsFunction: completeConfig,
		RunE: a.action(func(ctx context.Context, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return a.runLive(ctx, args[0], &f)
		}),
	}
	f.add(cmd, a.catalog)
	addOutput(cmd, &f.output)
	f.AddFlags(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "listen", "", "`address` HOST:PORT at which worker processes find this run")
	flags.StringVar(&f.from, "from", "",
		"s3://BUCKET/PREFIX of the archive with which the run goes on; as --set archive=..., but it must have the run")
	flags.StringVar(&f.api, "api", "", "`address` HOST:PORT of /v1/status and /v1/export, and of a page on the run")
	flags.BoolVar(&f.anyDisk, "any-disk", false, "begin although the disk may be too small; a full disk loses nothing")
	flags.BoolVar(&f.linger, "linger", false,
		"stay when the run is complete, to serve exports, or has failed, to say so, until SIGTERM")
	flags.DurationVar(&f.lingerFor, "linger-for", 0,
		"stay that `time` when the run is complete, to serve exports, and not when it has failed")
	return cmd
}

// stays reports whether a complete run stays.
func (f *runFlags) stays() bool { return f.linger || f.lingerFor > 0 }

// fleet reports whether other processes compute too.
func (f *runFlags) fleet() bool { return f.listen != "" || f.NATS != "" }

// check returns an error if the flags alone are wrong.
func (f *runFlags) check() error {
	if err := checkOutput(f.output); err != nil {
		return err
	}
	if f.listen != "" && f.NATS != "" {
		return usage("--listen and --nats exclude each other", "--nats is for a NATS server that is there already")
	}
	if f.linger && f.lingerFor > 0 {
		return usage("--linger and --linger-for exclude each other", "--linger stays until it is told to stop")
	}
	if f.lingerFor < 0 {
		return usage("--linger-for: a time cannot be negative", "write --linger-for 10m")
	}
	return f.Check(keys.Coordinator,
		cli.Server{Flag: "--listen", Address: f.listen}, cli.Server{Flag: "--api", Address: f.api})
}

// runLive carries out a run. It shows the run to clients meanwhile, and afterwards if it is to linger.
func (a *app) runLive(ctx context.Context, path string, f *runFlags) (err error) {
	l := newLive()
	log, err := ops.NewLog(a.stderr, cli.LogStyle(f.Log, a.stderr, a.environ))
	if err != nil {
		return err
	}
	end, err := f.Serve(ctx, log, l.registry, l.word)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	if f.api != "" {
		server, err := a.serveAPI(ctx, f, l)
		if err != nil {
			return err
		}
		cli.Listening(log, "api", server.Address())
		defer func() { err = errors.Join(err, server.Close()) }()
	}
	err = a.runConfig(ctx, path, f, l)
	if f.linger && err != nil && ctx.Err() == nil {
		l.ended(err)
		if l.run != "" {
			log = log.With(ops.RunKey, l.run)
		}
		log.Error("the run has ended; staying until told to stop", ops.ErrorKey, err)
		<-ctx.Done()
	}
	return err
}

// runConfig reads a config and carries out its run.
func (a *app) runConfig(ctx context.Context, path string, f *runFlags, l *live) error {
	j, err := a.load(ctx, path, &f.settingFlags)
	if err != nil {
		return err
	}
	l.run = j.ID
	if j.Config.Uint("concurrency") == 0 && !f.fleet() {
		return usage("--concurrency 0 leaves all windows to worker processes, and they cannot reach this run",
			"add --listen or --nats, or give --concurrency 1 or more")
	}
	if j.Config.Uint("concurrency") > 0 && f.fleet() {
		if err := f.CheckReach(f.listen); err != nil { // of the worker in this process
			return err
		}
	}
	if err := checkArchive(ctx, j, f); err != nil {
		return err
	}
	if l.export, err = newFinalExport(ctx, j); err != nil {
		return err
	}
	if l.export != nil {
		l.export.stays = f.linger
	}
	return a.run(ctx, j, f, l, func(sum *puzzle.Summary) error { return a.show(j, sum, f.output) })
}

// databases is the memory of a run's databases, which the runtime does not see.
var databases = kv.StoreMemory(kv.Options{}) + kv.LedgerMemory(kv.Options{})

// run carries out a job, and shows its results. Nothing is created before everything that can be known beforehand is
// known to be right.
func (a *app) run(
	ctx context.Context, j *runs.Job, f *runFlags, l *live, show func(*puzzle.Summary) error,
) (err error) {
	if l.notice, err = newNotice(ctx, j); err != nil {
		return err
	}
	text, err := j.Kept()
	if err != nil {
		return err
	}
	meta := rundir.NewMeta(j.Puzzle.Identity(), string(text))
	resume, err := rundir.CheckFolder(j.Dir, meta)
	if err != nil {
		return cli.AdviseFolder(err, j.Dir)
	}
	pre, err := await(ctx, func() (estimate.Preflight, error) {
		return estimate.Check(j, estimate.Start{Fleet: f.fleet(), Resume: resume, AnyDisk: f.anyDisk})
	})
	if err != nil {
		return err
	}
	if l.export != nil {
		if err := l.export.prepare(); err != nil {
			return err
		}
	}
	if !l.beside {
		cli.LimitMemory(pre.MemoryLimit, databases)
	}
	folder, err := rundir.Create(j.Dir, meta, rundir.FolderOptions{})
	if err != nil {
		return cli.AdviseFolder(err, j.Dir)
	}
	var out *engine.Outcome
	defer func() { l.notice.end(ctx, err, out) }()
	l.carries(j)
	shown, certified := false, false
	l.completed = func(results *plan.Plan) {
		certified = certify(j, folder, results) == nil // otherwise it is tried again, and its error told, in the end
		sum, err := j.Puzzle.Summarise(results)
		if err == nil {
			l.computed(runs.NewResult(&sum))
			err = show(&sum)
		}
		shown = err == nil // otherwise it is tried again, and its error told, in the end
		if f.stays() {
			l.notice.begin(ctx, nil, results)
		}
	}
	out, err = a.carryOut(ctx, j, folder, pre, f, l)
	if err == nil && f.stays() && !f.fleet() {
		a.stay(ctx, j, folder, out, f, l)
	}
	if err == nil && !certified {
		err = certify(j, folder, out.Results)
	}
	// An error of closing is one of the last writes. A run that a full disk has ended has said so already.
	if closed := folder.Close(); !errors.Is(err, kv.ErrDiskFull) {
		err = errors.Join(err, closed)
	}
	if err != nil {
		return stoppedByDisk(err)
	}
	if shown {
		return nil
	}
	sum, err := j.Puzzle.Summarise(out.Results)
	if err != nil {
		return err
	}
	return show(&sum)
}

// stoppedByDisk makes an error of the last writes one of a run that can be resumed, where the disk is full.
func stoppedByDisk(err error) error {
	var stopped *cli.StoppedError
	if errors.As(err, &stopped) || !cli.DiskFull(err) {
		return err
	}
	return cli.Hint(&cli.StoppedError{Err: err}, "free some space and run the same command again to resume")
}

// stay serves a complete run of this process alone, for its time or until ctx is done.
func (a *app) stay(
	ctx context.Context, j *runs.Job, folder *rundir.Folder, out *engine.Outcome, f *runFlags, l *live,
) {
	l.completed(out.Results)
	l.lent(&lentRun{Job: j, folder: folder, results: out.Results})
	if f.lingerFor > 0 {
		_ = pause.For(ctx, f.lingerFor) // to be told to stop is no error: the run is complete
	} else {
		<-ctx.Done()
	}
	l.lent(nil)
}

// carryOut runs the pipeline with a display.
func (a *app) carryOut(
	ctx context.Context, j *runs.Job, folder *rundir.Folder, pre estimate.Preflight, f *runFlags, l *live,
) (*engine.Outcome, error) {
	use := pre.Use
	p := &progress{begun: time.Now()}
	show := l.display
	if show == nil {
		show = func(p *progress) *display { return newDisplay(a.stderr, a.environ, f.Log, p, ops.RunKey, j.ID) }
	}
	d := show(p)
	defer d.close()
	p.log, l.told = d.log, p.took
	l.notice.logTo(d.log)
	concurrency := use.Concurrency
	if f.fleet() {
		concurrency = int(j.Config.Uint("concurrency"))
	}
	d.log.Info(ops.MsgRun, "puzzle", j.Config.Text("puzzle"), "run_name", j.Config.Text("name"), "data", j.Dir,
		"concurrency", concurrency, "retention", string(use.Retention))
	if lack := pre.Disk; lack != nil {
		d.log.Warn("the disk may be too small; the run stops when it is full, and goes on when there is room",
			"needs_up_to", quantity.Bytes(lack.Need), "there_are", quantity.Bytes(lack.Have), "at", lack.Where)
	}
	if errors.Is(folder.Damage, kv.ErrNeverClosed) {
		d.log.Warn("the last processes ended without closing the folder: its database was made anew, in case it ended them",
			"why", folder.Damage)
	} else if folder.Damage != nil {
		d.log.Warn("the folder was damaged; what can be read was recovered", "damage", folder.Damage)
	}
	events, err := ops.WatchRun(l.registry, j.ID, j.Config.Text("name"), l.latest, p.events())
	if err != nil {
		return nil, err
	}
	if l.pool != nil {
		defer l.pool.shows(l)()
	} else if err := watchDisk(l.registry, j.Dir); err != nil {
		return nil, err
	}
	complete := sync.OnceFunc(func() {
		d.close()
		s, elapsed := p.snapshot()
		d.log.Info("complete", "windows", s.windows, "windows_reused", s.reused, "rows", s.rows, "bytes", s.bytes,
			"seconds", fmt.Sprintf("%.2f", elapsed.Seconds()))
		if words := l.words(folder); words != nil && words.Windows() > 0 {
			d.log.Info("on whose word the windows are", "words", words.String())
		}
	})
	completed := l.completed
	l.completed = func(results *plan.Plan) {
		complete()
		completed(results)
		if f.stays() { // Jobs on a cluster leave no more than their log
			d.log.Info(ops.MsgResult, "windows", results.WindowCount, "result", l.report().Result)
		}
		switch {
		case f.linger:
			d.log.Info("serving the complete run until told to stop, with SIGTERM or Ctrl-C")
		case f.stays():
			d.log.Info("serving the complete run for a time", "linger_for", f.lingerFor)
		}
	}
	var out *engine.Outcome
	if f.fleet() {
		out, err = a.carryOutWithFleet(ctx, j, folder, use, f, l, d.log, events)
	} else {
		out, err = carryOutAlone(ctx, j, folder, use, l, d.log, events)
	}
	d.close()
	if err != nil {
		s, _ := p.snapshot()
		return nil, ended(cli.Cause(ctx, err), s)
	}
	complete()
	return out, nil
}

// watchDisk adds the metrics of the disk of a folder.
func watchDisk(r prometheus.Registerer, dir string) error {
	return ops.WatchDisk(r, func() (free, size uint64, err error) { return rundir.Disk(dir) })
}

// carryOutAlone runs the pipeline in this process.
func carryOutAlone(
	ctx context.Context, j *runs.Job, folder *rundir.Folder, use plan.Resources, l *live, log *slog.Logger,
	e coordinator.Events,
) (*engine.Outcome, error) {
	var audit float64 // by default of worker processes only
	if j.Config.Given("audit_fraction") {
		audit = j.Config.Share("audit_fraction")
	}
	o := engine.Options{
		Concurrency: use.Concurrency, CacheBytes: use.CacheBytes, Budget: use.Budget, Retention: use.Retention,
		Events: e, OnStatus: l.took,
		AuditFraction: audit, Used: l.used(),
	}
	if l.export != nil {
		o.Export = func(ctx context.Context, c *coordinator.Coordinator) error {
			return l.export.write(ctx, &runs.Stored{Job: j, Folder: folder, Results: c.Results()}, log)
		}
	}
	return engine.Run(ctx, j.Puzzle, folder, o)
}

// carryOutWithFleet runs the pipeline with workers that join.
func (a *app) carryOutWithFleet(
	ctx context.Context, j *runs.Job, folder *rundir.Folder, use plan.Resources, f *runFlags, l *live,
	log *slog.Logger, e coordinator.Events,
) (*engine.Outcome, error) {
	le := &leader{Job: j, flags: f, live: l, folder: folder, use: use, log: log}
	if l.pool != nil {
		le.server = l.pool.server
	} else if err := l.fleet(int(j.Config.Uint("concurrency")), f.Keys); err != nil {
		return nil, err
	}
	if err := le.openArchive(ctx); err != nil {
		return nil, err
	}
	announced, err := j.Announced()
	if err != nil {
		return nil, err
	}
	return le.lead(ctx, string(announced), e)
}

// ended adds to the error of a run its state and advice.
func ended(err error, s state) error {
	committed := fmt.Sprintf("%d of %d windows are committed", s.done, s.windows)
	var flow *plan.FlowError
	var stopped *cli.StoppedError
	switch {
	case errors.As(err, &stopped):
		return err // it has its advice
	case errors.Is(err, cli.ErrInterrupted), errors.Is(err, cli.ErrTerminated):
		return cli.Hint(fmt.Errorf("%w: %s", err, committed), "run the same command again to resume")
	case errors.Is(err, coordinator.ErrFenced):
		return cli.Hint(fmt.Errorf("%w: %s", err, committed), "the other coordinator goes on with the run")
	case errors.Is(err, kv.ErrDiskFull):
		return cli.Hint(&cli.StoppedError{Err: fmt.Errorf("%w: %s", err, committed)},
			"free some space and run the same command again to resume")
	case errors.Is(err, plan.ErrPlan):
		return cli.AdviseFolder(err, "")
	case errors.Is(err, puzzle.ErrOverflow):
		return cli.Hint(err, "the run cannot be completed with counts of 128 bits")
	case errors.Is(err, plan.ErrContradiction):
		return cli.Hint(err, "verify the folder: it marks the window, and running the config again computes it anew")
	case errors.Is(err, kv.ErrConflict), errors.As(err, &flow):
		return cli.Hint(err, "memory, disk or program is at fault: verify the folder, and do not trust its results")
	}
	return cli.Hint(err, committed+"; the same command resumes, and tries again what failed")
}

// show prints the results.
func (a *app) show(j *runs.Job, sum *puzzle.Summary, output string) error {
	return a.print(j.Summary(sum, output, a.style()))
}
