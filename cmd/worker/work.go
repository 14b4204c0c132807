package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"pagoda/internal/app/cli"
	"pagoda/internal/fleet/keys"
	"pagoda/internal/fleet/natsqueue"
	"pagoda/internal/fleet/ops"
	"pagoda/internal/fleet/transfer"
	"pagoda/internal/kv"
	"pagoda/internal/output/build"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/rundir"
	"pagoda/internal/run/turns"
)

// A process holds the parts that all runs share.
type process struct {
	*settings
	name     string // label and key
	log      *slog.Logger
	nats     *nats.Conn
	transfer *transfer.Server
	address  string // at which others reach the transfer server
	metrics  *ops.WorkerMetrics
	moves    *ops.TransferMetrics
	ready    readiness
	alone    *patience
	serving  atomic.Int64      // how many runs
	parts    parts             // of memory
	turns    *turns.Processors // nil: one run has them all
	// over says that the run that --once is about has come to its end.
	over bool
	// stop ends the work at once; it is done later than the context that asks for an orderly end.
	stop context.Context
}

// readiness is the word that /readyz shows, "" when the worker is ready.
type readiness struct {
	word  atomic.Pointer[string]
	stuck atomic.Int64 // runs that are served and whose queue is down
}

func (r *readiness) set(word string) { r.word.Store(&word) }

func (r *readiness) get() string {
	switch w := r.word.Load(); {
	case w == nil:
		return "starting"
	case *w == "" && r.stuck.Load() > 0:
		return ops.QueueDown
	default:
		return *w
	}
}

// aboutQueue returns the function that is told why the queue of a run is down, and says it once. The function is for
// one goroutine. The run ends with "".
func (r *readiness) aboutQueue(log *slog.Logger) func(why string) {
	said := ""
	return func(why string) {
		if why == said {
			return
		}
		switch {
		case said == "":
			r.stuck.Add(1)
		case why == "":
			r.stuck.Add(-1)
		}
		if said = why; why == "" {
			log.Info("the queue is back")
			return
		}
		log.Warn("the coordinator cannot use the queue, so no tasks come", ops.ErrorKey, why)
	}
}

// work sets up the parts that all runs share, and serves the runs.
func (a *app) work(ctx context.Context, s *settings) (err error) {
	if err := s.check(); err != nil {
		return err
	}
	lock, err := kv.Lock(s.data)
	if err != nil {
		return cli.AdviseFolder(err, s.data)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	p := &process{settings: s, parts: parts{left: s.memory}}
	if !p.oneRun() {
		p.turns = turns.New(s.concurrency, time.Now)
	}
	label, err := workerLabel(s.data, s.label)
	if err != nil {
		return cli.AdviseFolder(err, s.data)
	}
	p.name = protocol.Named(label, keys.Fingerprint(s.Key))
	log, err := ops.NewLog(a.stderr, cli.LogStyle(s.Log, a.stderr, a.environ))
	if err != nil {
		return err
	}
	p.log = log.With(ops.WorkerKey, p.name)
	cli.LimitMemory(s.memory, kv.StoreMemory(kv.Options{}))

	registry := ops.NewMetrics("worker", build.Read(), kv.FormatVersion)
	queue := ops.NewQueueMetrics()
	registry.MustRegister(queue)
	if p.metrics, err = ops.NewWorkerMetrics(registry, p.name, s.concurrency); err != nil {
		return err
	}
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	p.alone = newPatience(s.patience, func() { giveUp(cli.ErrAlone) })
	defer p.alone.end()
	p.moves = ops.NewTransferMetrics()
	registry.MustRegister(p.moves)
	look := func() (free, size uint64, err error) { return rundir.Disk(s.data) }
	if err := errors.Join(ops.WatchKeys(registry, s.Keys), ops.WatchDisk(registry, look)); err != nil {
		return err
	}
	end, err := p.Serve(ctx, p.log, registry, p.ready.get)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()

	if p.transfer, err = transfer.NewServer(transfer.ServerOptions{
		Listen: s.Transfer, Keys: s.Keys, Insecure: s.Insecure, OnServed: p.moves.Served,
	}); err != nil {
		return cli.Hint(&cli.UsageError{Err: err}, "give another --transfer address")
	}
	defer func() { err = errors.Join(err, p.transfer.Close()) }()
	if p.address, err = s.Advertised(p.transfer.Address()); err != nil {
		return err
	}
	cli.Listening(p.log, "transfer", p.transfer.Address())
	err = p.connect(ctx, queue)
	switch {
	case err != nil || ctx.Err() == nil || p.over:
		return err
	case errors.Is(context.Cause(ctx), cli.ErrAlone):
		return cli.Hint(fmt.Errorf("%w: none for %v", cli.ErrAlone, s.patience), "start the coordinator of run "+p.wanted()+
			" first, or give a longer --patience")
	case s.once:
		// A caller that waits for this process must not take its end for the end of the run.
		return cli.Hint(&cli.StoppedError{Err: fmt.Errorf("%w before the run was over", context.Cause(ctx))},
			"the same command goes on")
	}
	return nil
}

// connect connects to NATS, and serves runs.
func (p *process) connect(ctx context.Context, queue *ops.QueueMetrics) (err error) {
	p.ready.set("connecting")
	p.log.Info("connecting", "nats", p.NATS)
	p.nats, err = natsqueue.Dial(ctx, natsqueue.DialOptions{
		URL: p.NATS, Name: p.name, Keys: p.Keys, Creds: p.Creds, Insecure: p.Insecure,
		Events: cli.ConnEvents(p.log, queue, func(up bool) {
			p.alone.connected(up)
			if word := p.ready.get(); up && word == "disconnected" {
				p.ready.set("")
			} else if !up && word == "" {
				p.ready.set("disconnected")
			}
		}),
	})
	if err != nil {
		return cli.Drained(ctx, cli.AdviseDial(err))
	}
	defer p.nats.Close()
	queue.Up()
	p.alone.connected(true)
	p.ready.set("")
	stop, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	p.stop = stop
	// After the grace, nothing is waited for.
	defer context.AfterFunc(ctx, func() {
		p.ready.set("draining")
		p.log.Info("stopping", "cause", context.Cause(ctx), "grace", p.grace)
		t := time.AfterFunc(p.grace, cancel)
		context.AfterFunc(stop, func() { t.Stop() })
	})()
	return p.serve(ctx)
}
