package main

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"pagoda/internal/app/batch"
	"pagoda/internal/app/cli"
	"pagoda/internal/app/runs"
	"pagoda/internal/fleet/archive"
	"pagoda/internal/fleet/natsqueue"
	"pagoda/internal/fleet/ops"
	"pagoda/internal/fleet/session"
	"pagoda/internal/fleet/transfer"
	"pagoda/internal/kv"
	"pagoda/internal/output/build"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/rundir"
)

// A leader carries out a run with workers in other processes, and perhaps some in this one.
type leader struct {
	*runs.Job
	flags  *runFlags
	live   *live
	folder *rundir.Folder
	use    plan.Resources
	log    *slog.Logger

	server *natsqueue.Server // nil: NATS is elsewhere; it is the pool's where there is one
	conns  []*nats.Conn
	tasks  *natsqueue.Tasks

	archive *archive.Archive // nil: the run has none
	ledger  *archive.Ledger  // of the archive
}

// lead carries out the run.
func (l *leader) lead(ctx context.Context, config string, e coordinator.Events) (out *engine.Outcome, err error) {
	defer func() { err = errors.Join(err, l.close()) }()
	nc, above, err := l.open(ctx)
	if err != nil {
		return nil, err
	}
	c := l.Config
	// Of the windows that this process computes itself where workers contradict each other.
	fetcher := transfer.NewFetcher(l.fetching())
	defer fetcher.Close()
	audit := audits(c)
	o := engine.Options{
		Fetcher:     fetcher,
		Budget:      l.use.Budget, // of the windows that it computes to decide
		CacheBytes:  l.use.CacheBytes,
		Concurrency: int(c.Uint("concurrency")), Tasks: l.tasks, Worker: l.work,
		Retention: l.use.Retention, Events: e, MinEpoch: above,
		AuditFraction: audit.AuditFraction, AuditAlone: audit.AuditAlone,
		Fleet: coordinator.FleetOptions{
			WorkerTimeout: c.Duration("worker_timeout"), RejoinGrace: c.Duration("rejoin_grace"), Locality: c.Bool("locality"),
			Replication: int(c.Uint("replicas")),
			Broadcast:   natsqueue.NewBroadcaster(nc).Broadcast, Config: config, Linger: l.flags.stays(),
			Versions:  protocol.Versions{Program: build.Read().String(), Messages: protocol.Version, Format: kv.FormatVersion},
			LingerFor: l.flags.lingerFor, Archive: l.listArchive(),
		},
		ServeMessages: func(ctx context.Context, c *coordinator.Coordinator) error { return l.serveMessages(ctx, nc, c) },
		OnStatus:      l.live.took, OnComplete: l.live.completed, Used: l.live.used(),
	}
	if x := l.live.export; x != nil {
		o.Export = func(ctx context.Context, c *coordinator.Coordinator) error {
			return x.write(ctx, &runs.Stored{
				Job: l.Job, Folder: l.folder, Results: c.Results(), Remote: fleetRows(c, fetcher),
			}, l.log)
		}
	}
	if l.ledger != nil {
		o.Ledger = archivedLedger{l.ledger}
		defer l.settle(ctx)
	}
	out, err = engine.Run(ctx, l.Puzzle, l.folder, o)
	if err == nil && (l.server == nil || l.live.pool != nil) {
		// On a server that lives on, the queue of a complete run would stay behind.
		if err := l.tasks.Remove(context.WithoutCancel(ctx)); err != nil {
			l.log.Warn("the queue of the run stays behind", ops.ErrorKey, err)
		}
	}
	return out, err
}

// open opens the queue of the run. above is the epoch of another coordinator, which this one succeeds. Its errors are
// those of a batch.PoolError.
func (l *leader) open(ctx context.Context) (nc *nats.Conn, above uint64, err error) {
	nc, err = l.connect(ctx, "coordinator")
	if err == nil {
		above, err = l.others(ctx, nc)
	}
	if err == nil {
		l.tasks, err = natsqueue.NewTasks(ctx, nc, l.ID, natsqueue.TaskOptions{
			AckWait: l.Config.Duration("ack_wait"), Storage: jetstream.MemoryStorage, Replicas: streamReplicas(nc),
			Trouble: func(err error) { l.log.Warn("trouble with the queue", ops.ErrorKey, err) },
		})
	}
	if err != nil {
		return nil, 0, &batch.PoolError{Err: err}
	}
	return nc, above, nil
}

// fetching returns how this process reads windows of workers and of the archive.
func (l *leader) fetching() transfer.Options {
	o := transfer.Options{
		Store: l.folder.Store, Name: protocol.OwnWorker, Keys: l.flags.Keys, SpillDir: l.Dir, OnFetched: l.live.moves.Fetched,
	}
	if l.archive != nil {
		o.Archive = l.archive
	}
	return o
}

// listArchive returns the function that lists the archive, nil where there is none.
func (l *leader) listArchive() func(context.Context, func([]protocol.Archived)) error {
	if l.archive == nil {
		return nil
	}
	return l.archive.List
}

func (l *leader) close() error {
	l.live.lent(nil)
	for _, nc := range l.conns {
		nc.Close()
	}
	if l.server != nil && l.live.pool == nil {
		return l.server.Close()
	}
	return nil
}

// connect returns a connection to NATS, whose server it starts if it is this process's.
func (l *leader) connect(ctx context.Context, name string) (nc *nats.Conn, err error) {
	events := l.connEvents()
	switch {
	case l.flags.listen == "":
		nc, err = l.flags.dial(ctx, name+"-"+l.ID, l.log, events)
	case l.server == nil:
		if l.server, err = l.flags.serveQueue(ctx, filepath.Join(l.Dir, "queue"), l.ID, l.log); err != nil {
			return nil, err
		}
		fallthrough
	default:
		nc, err = l.server.Connect(name, events)
	}
	if err != nil {
		return nil, err
	}
	l.live.queue.Up()
	l.conns = append(l.conns, nc)
	return nc, nil
}

// connEvents tells of a connection of this run. The members of a batch tell each trouble once for all of them, and the
// connection of the pool tells the rest.
func (l *leader) connEvents() natsqueue.ConnEvents {
	if p := l.live.pool; p != nil {
		return natsqueue.ConnEvents{Trouble: p.nats.Trouble}
	}
	return cli.ConnEvents(l.log, l.live.queue, nil)
}

// dial connects to the NATS server of --nats. name is that of the connection.
func (f *runFlags) dial(
	ctx context.Context, name string, log *slog.Logger, e natsqueue.ConnEvents,
) (*nats.Conn, error) {
	log.Info("connecting", "nats", f.NATS)
	nc, err := natsqueue.Dial(ctx, natsqueue.DialOptions{
		URL: f.NATS, Name: name, Keys: f.Keys, Creds: f.Creds, Insecure: f.Insecure, Events: e,
	})
	return nc, cli.AdviseDial(err)
}

// serveQueue starts the NATS server of --listen, with a folder of its own. run is the one run of its workers, "" where
// that is left to each worker's keys.
func (f *runFlags) serveQueue(ctx context.Context, dir, run string, log *slog.Logger) (*natsqueue.Server, error) {
	s, err := natsqueue.Listen(ctx, natsqueue.ServerOptions{
		Address: f.listen, Run: run, Dir: dir, Keys: f.Keys, Insecure: f.Insecure,
		Warn: func(text string) { log.Warn("queue", "event", text) },
	})
	if err != nil {
		return nil, cli.Hint(&cli.UsageError{Err: err}, "give another --listen address")
	}
	cli.Listening(log, "queue", strings.TrimPrefix(s.URL(), "nats://"))
	return s, nil
}

// streamReplicas is how many servers keep the tasks. In a cluster one of them may go for good, and a stream that it
// alone had could neither be used nor made again.
func streamReplicas(nc *nats.Conn) int {
	const most = 3
	if len(nc.Servers()) >= most {
		return most
	}
	return 1
}

// askTime is how long another coordinator of the run has to say that it is there.
const askTime = 2 * time.Second

// others asks for another coordinator of the run, which this one then succeeds. It returns its epoch.
func (l *leader) others(ctx context.Context, nc *nats.Conn) (epoch uint64, err error) {
	if l.server != nil {
		return 0, nil // no other coordinator can be on it
	}
	var all []protocol.Announcement
	if l.live.pool != nil {
		all = l.live.pool.coordinators(l.ID)
	} else {
		all, err = natsqueue.Coordinators(ctx, nc, l.ID, askTime)
	}
	for _, a := range all {
		epoch = max(epoch, a.Epoch)
		if !a.Over {
			l.log.Warn("another coordinator has this run; taking it over", "epoch", a.Epoch, "instance", a.Instance)
		}
	}
	return epoch, err
}

// serveMessages carries messages between the coordinator and its workers until ctx is done.
func (l *leader) serveMessages(ctx context.Context, nc *nats.Conn, c *coordinator.Coordinator) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return l.tasks.ServeWorkers(ctx, c) })
	g.Go(func() error {
		return natsqueue.Announce(ctx, nc, c.Announcement, func(a protocol.Announcement) { c.Heard(ctx, a) })
	})
	if l.ledger != nil {
		g.Go(func() error {
			return l.ledger.Run(ctx, func(epoch uint64) {
				c.Heard(ctx, protocol.Announcement{Run: l.ID, Epoch: epoch, Instance: l.ledger.String()})
			})
		})
	}
	fetcher := transfer.NewFetcher(l.fetching())
	defer fetcher.Close()
	l.live.lent(&lentRun{Job: l.Job, folder: l.folder, coordinator: c, fetcher: fetcher})
	defer l.live.lent(nil)
	return g.Wait()
}

// serveRows starts the server of --transfer.
func (f *runFlags) serveRows(moves *ops.TransferMetrics, log *slog.Logger) (*transfer.Server, error) {
	server, err := transfer.NewServer(transfer.ServerOptions{
		Listen: f.Transfer, Keys: f.Keys, Insecure: f.Insecure, OnServed: moves.Served,
	})
	if err != nil {
		return nil, cli.Hint(&cli.UsageError{Err: err}, "give another --transfer address")
	}
	cli.Listening(log, "transfer", server.Address())
	return server, nil
}

// work computes windows in this process until the run is over or ctx is done.
func (l *leader) work(ctx context.Context, client protocol.CoordinatorClient) (err error) {
	f := l.flags
	nc, err := l.connect(ctx, protocol.OwnWorker)
	if err != nil {
		return err
	}
	var server *transfer.Server
	if l.live.pool != nil {
		server = l.live.pool.transfer
	} else {
		if server, err = f.serveRows(l.live.moves, l.log); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, server.Close()) }()
	}
	address, err := f.Advertised(server.Address())
	if err != nil {
		return err
	}
	m := session.Session{
		Name:        protocol.OwnWorker,
		Program:     build.Read().String(),
		Run:         l.ID,
		Concurrency: l.use.Concurrency,
		Puzzle:      l.Puzzle,
		CacheBytes:  l.use.CacheBytes,
		MemoryBytes: l.use.Budget.Total(),
		MemoryOf:    l.use.Budget.Of,
		NATS:        nc,
		Link:        client,
		Keys:        f.Keys,
		Transfer:    server,
		Address:     address,
		Spill:       l.Dir,
		Metrics:     l.live.work,
		Moves:       l.live.moves,
		Log:         l.log.With(ops.WorkerKey, protocol.OwnWorker),
		Archive:     l.archive,
	}
	return m.Serve(ctx, ctx, l.folder.Store)
}
