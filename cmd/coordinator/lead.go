package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"pagoda/internal/cli"
	"pagoda/internal/fleet"
	"pagoda/internal/ops"
	"pagoda/internal/pipeline"
	"pagoda/internal/runs"
	"pagoda/internal/transfer"
	"pagoda/internal/worker"
)

// A leader carries out a run with workers in other processes, and perhaps some in this one.
type leader struct {
	*runs.Job
	flags  *runFlags
	live   *live
	folder *pipeline.Folder
	use    pipeline.Resources
	log    *slog.Logger

	server *fleet.Server // nil: NATS is elsewhere
	conns  []*nats.Conn
	tasks  *fleet.Tasks
}

// localName is the worker in this process; its store is that of the run's folder.
const localName = "local"

// lead carries out the run.
func (l *leader) lead(ctx context.Context, config string, e pipeline.Events) (out *pipeline.Outcome, err error) {
	defer func() { err = errors.Join(err, l.close()) }()
	nc, err := l.connect(ctx, "coordinator")
	if err != nil {
		return nil, err
	}
	above, err := l.others(ctx, nc)
	if err != nil {
		return nil, err
	}
	c := l.Config
	l.tasks, err = fleet.NewTasks(ctx, nc, l.ID, fleet.TaskOptions{
		AckWait: c.Duration("ack_wait"), Storage: jetstream.MemoryStorage, Replicas: streamReplicas(nc),
		Trouble: func(err error) { l.log.Warn("trouble with the queue", ops.ErrorKey, err) },
	})
	if err != nil {
		return nil, err
	}
	out, err = pipeline.Lead(ctx, l.Puzzle, l.folder, l.tasks, pipeline.LeadOptions{
		Keep: l.use.Keep, Events: e, Audit: c.Share("audit_fraction"), Above: above,
		Fleet: pipeline.FleetOptions{
			LostAfter: c.Duration("worker_timeout"), ReturnGrace: c.Duration("rejoin_grace"), Locality: c.Bool("locality"),
			Replicas:  int(c.Uint("replicas")),
			Broadcast: func(d pipeline.Drop) error { return fleet.PublishDrop(nc, d) }, Config: config, Linger: l.flags.linger,
		},
		Attend:   func(ctx context.Context, c *pipeline.Coordinator) error { return l.attend(ctx, nc, c) },
		OnStatus: l.live.took, OnComplete: l.live.completed,
	})
	if err == nil && l.server == nil {
		// On a server that lives on, the queue of a complete run would stay behind.
		if err := l.tasks.Remove(context.WithoutCancel(ctx)); err != nil {
			l.log.Warn("the queue of the run stays behind", ops.ErrorKey, err)
		}
	}
	return out, err
}

func (l *leader) close() error {
	l.live.lent(nil)
	for _, nc := range l.conns {
		nc.Close()
	}
	if l.server != nil {
		return l.server.Close()
	}
	return nil
}

// connect returns a connection to NATS, whose server it starts if it is this process's.
func (l *leader) connect(ctx context.Context, name string) (*nats.Conn, error) {
	f := l.flags
	if f.listen == "" {
		l.log.Info("connecting", "nats", f.NATS)
		nc, err := fleet.Dial(ctx, fleet.DialOptions{
			URL: f.NATS, Name: name + "-" + l.ID, Keys: f.Keys, Creds: f.Creds, Insecure: f.Insecure,
			Events: cli.ConnEvents(l.log, l.live.queue, nil),
		})
		if err != nil {
			return nil, cli.AdviseDial(err)
		}
		l.live.queue.Up()
		l.conns = append(l.conns, nc)
		return nc, nil
	}
	if l.server == nil {
		s, err := fleet.Listen(ctx, fleet.ServerOptions{
			Address: f.listen, Run: l.ID, Dir: filepath.Join(l.Dir, "queue"), Keys: f.Keys, Insecure: f.Insecure,
			Warn: func(text string) { l.log.Warn("queue", "event", text) },
		})
		if err != nil {
			return nil, cli.Hint(&cli.UsageError{Err: err}, "give another --listen address")
		}
		l.server = s
		l.live.queue.Up()
		cli.Listening(l.log, "queue", strings.TrimPrefix(s.URL(), "nats://"))
	}
	return l.server.Connect(name)
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

// others asks whether another coordinator drives the run, which this one then succeeds. It returns its epoch.
func (l *leader) others(ctx context.Context, nc *nats.Conn) (epoch uint64, err error) {
	if l.server != nil {
		return 0, nil // nobody else can be on it
	}
	all, err := fleet.Coordinators(ctx, nc, l.ID, askTime)
	for _, a := range all {
		epoch = max(epoch, a.Epoch)
		if !a.Over {
			l.log.Warn("another coordinator has this run; taking it over", "epoch", a.Epoch, "instance", a.Instance)
		}
	}
	return epoch, err
}

// attend carries messages between the coordinator and its workers until ctx is done.
func (l *leader) attend(ctx context.Context, nc *nats.Conn, c *pipeline.Coordinator) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return l.tasks.Attend(ctx, c) })
	g.Go(func() error {
		return fleet.Announce(ctx, nc, c.Announcement, func(a pipeline.Announcement) { c.Heard(ctx, a) })
	})
	fetcher := transfer.NewFetcher(transfer.Options{
		Store: l.folder.Store, Name: localName, Keys: l.flags.Keys, SpillDir: l.Dir, OnFetched: l.live.moves.Fetched,
	})
	defer fetcher.Close()
	l.live.lent(&lentRun{Job: l.Job, folder: l.folder, coordinator: c, fetcher: fetcher})
	defer l.live.lent(nil)
	if l.Config.Uint("concurrency") > 0 {
		g.Go(func() error { return l.work(ctx) })
	}
	return g.Wait()
}

// work computes windows in this process until the run is over or ctx is done.
func (l *leader) work(ctx context.Context) (err error) {
	f := l.flags
	nc, err := l.connect(ctx, localName)
	if err != nil {
		return err
	}
	server, err := transfer.NewServer(transfer.ServerOptions{
		Listen: f.Transfer, Keys: f.Keys, Insecure: f.Insecure, OnServed: l.live.moves.Served,
	})
	if err != nil {
		return cli.Hint(&cli.UsageError{Err: err}, "give another --transfer address")
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	cli.Listening(l.log, "transfer", server.Address())
	address, err := f.Advertised(server.Address())
	if err != nil {
		return err
	}
	m := worker.Member{
		Name: localName, Run: l.ID, Concurrency: l.use.Concurrency, Puzzle: l.Puzzle, CacheBytes: l.use.CacheBytes, NATS: nc,
		Keys: f.Keys, Transfer: server, Address: address, Spill: l.Dir, Metrics: l.live.work, Moves: l.live.moves,
		Log: l.log.With(ops.WorkerKey, localName),
	}
	err = m.Serve(ctx, ctx, l.folder.Store)
	if errors.Is(err, pipeline.ErrDismissed) {
		return nil // the coordinator knows why
	}
	if err != nil {
		return fmt.Errorf("worker %s: %w", localName, err)
	}
	return nil
}
