package main

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"pagoda/internal/app/cli"
	"pagoda/internal/app/estimate"
	"pagoda/internal/catalog"
	"pagoda/internal/config"
	"pagoda/internal/fleet/archive"
	"pagoda/internal/fleet/objects"
	"pagoda/internal/fleet/ops"
	"pagoda/internal/fleet/session"
	"pagoda/internal/kv"
	"pagoda/internal/output/build"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/rundir"
	"pagoda/internal/run/turns"
)

// A refusal says that this process cannot serve a run, whatever happens to the run.
type refusal struct{ error }

func (e *refusal) Unwrap() error { return e.error }

func refuse(err error, hint string) error { return &refusal{cli.Hint(err, hint)} }

// puzzleOf builds the puzzle that a coordinator announces. Its config came over the network: the puzzle must have the
// announced run ID.
func puzzleOf(a *protocol.Announcement) (puzzle.Puzzle, *config.Config, error) {
	const hint = "use the coordinator's version of this program"
	where := "config of run " + a.Run
	if err := a.Check(kv.FormatVersion); err != nil {
		return nil, nil, refuse(fmt.Errorf("run %s: %w", a.Run, err), hint)
	}
	c, err := config.Parse(where, []byte(a.Config), config.Options{
		General: config.General(where, catalog.All.Names(), cli.Machine(), objects.CheckURL), Puzzle: catalog.All.Settings,
		PassUnknown: true, // what matters of it changes the ID of the run
	})
	if err != nil {
		return nil, nil, refuse(err, hint)
	}
	p, err := catalog.All.Build(c)
	if err != nil {
		return nil, nil, refuse(err, hint)
	}
	if p, err = rundir.As(p, a.Run); err != nil {
		return nil, nil, refuse(err, hint)
	}
	if id := rundir.RunID(p.Identity()); id != a.Run {
		return nil, nil, refuse(&rundir.DiffersError{Dir: where, Name: "run ID", Have: a.Run, Want: id},
			hint+": it has another data format, or other parameters")
	}
	return p, c, nil
}

// openArchive returns the archive that the settings of a run name, nil where there is none. Without it a worker works
// all the same: then others fetch its rows from it alone.
func openArchive(c *config.Config, run string, log *slog.Logger) *archive.Archive {
	url := c.Text("archive")
	if url == "" {
		return nil
	}
	a, err := archive.Open(url, run)
	if err != nil {
		log.Error("the archive of the run cannot be used: this worker neither uploads to it nor reads from it",
			"archive", url, ops.ErrorKey, err)
		return nil
	}
	return a
}

// onceOrphan is how long a worker that ends with its run waits for a coordinator, unless --patience says otherwise: the
// run may have ended while the worker heard nothing.
const onceOrphan = time.Minute

func (p *process) orphan() time.Duration {
	if p.patience == 0 && p.once {
		return onceOrphan
	}
	return p.patience
}

// serveRun works for the run that was announced until it is over or ctx is done. A *refusal says that it cannot.
func (p *process) serveRun(ctx context.Context, a *protocol.Announcement) error {
	log := p.log.With(ops.RunKey, a.Run)
	var settings *config.Config
	z, err := cli.Await(ctx, func() (z puzzle.Puzzle, err error) {
		z, settings, err = puzzleOf(a)
		return z, err
	})
	if err != nil {
		return err
	}
	pl, err := plan.New(z)
	if err != nil {
		return err
	}
	bytes, giveBack, err := p.reserve(a.Run, pl)
	if err != nil {
		return err
	}
	defer giveBack()
	fetched := estimate.FetchedBytes(bytes)
	use, _ := estimate.Resources(pl, p.concurrency, plan.RetainAll, bytes-fetched)
	log.Info(ops.MsgRun, "puzzle", z.Identity().Puzzle, "epoch", a.Epoch, "concurrency", p.concurrency, "memory", bytes)
	queue := p.ready.aboutQueue(log)
	defer queue("")
	w := session.Session{
		QueueDown:    queue,
		Name:         p.name,
		Run:          a.Run,
		Program:      build.Read().String(),
		Concurrency:  p.concurrency,
		Puzzle:       z,
		CacheBytes:   use.CacheBytes,
		FetchedBytes: fetched,
		FetchedDisk:  p.fetchedDisk,
		MemoryBytes:  use.Budget.Total(),
		MemoryOf:     use.Budget.Of,
		Runs:         func() int { return int(p.serving.Load()) },
		Turns:        p.claim(settings.Uint("weight")),
		NATS:         p.nats,
		Keys:         p.Keys,
		Transfer:     p.transfer,
		Address:      p.address,
		Spill:        filepath.Join(p.data, a.Run),
		Metrics:      p.metrics,
		Moves:        p.moves,
		Log:          log,
		Orphan:       p.orphan(),
		Archive:      openArchive(settings, a.Run, log),
	}
	store := kv.Options{Event: func(text string) { log.Warn("store", "event", text) }}
	h := &session.Supervisor{
		Dir: filepath.Join(p.data, a.Run), Run: a.Run, Store: store, Work: w.Serve, Log: log,
	}
	return cli.AdviseFolder(h.Serve(ctx, p.stop), h.Dir)
}

// claim is a run's claim on the processors that runs share, nil where there is one run.
func (p *process) claim(weight uint64) *turns.Run {
	if p.turns == nil {
		return nil
	}
	return p.turns.Join(weight)
}
