package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"pagoda/internal/app/batch"
	"pagoda/internal/app/cli"
	"pagoda/internal/fleet/natsqueue"
	"pagoda/internal/fleet/ops"
	"pagoda/internal/fleet/transfer"
	"pagoda/internal/run/pause"
	"pagoda/internal/run/protocol"
)

// A pool is the part of a batch that its members share: the queue and the transfer server, where worker processes
// compute too, one set of pages with the metrics of the process and of the members under way, and the API.
type pool struct {
	flags    *runFlags
	batch    *batch.Batch // nil: it is not read yet
	display  *batchDisplay
	own      *live                // of the process
	nats     natsqueue.ConnEvents // of all connections
	server   *natsqueue.Server
	transfer *transfer.Server // nil: this process computes nothing, or it computes alone
	ends     []func() error   // of what is open, in their order

	mu       sync.Mutex
	begun    bool
	over     time.Time // when the batch has ended; zero: it goes on
	failed   error     // why it has stopped or failed
	underWay []*live
	heard    map[string][]protocol.Announcement // of the coordinators of each run
}

// newPool makes a pool, and serves its pages and its API, as yet without a batch.
func newPool(ctx context.Context, f *runFlags, d *batchDisplay) (*pool, error) {
	p := &pool{flags: f, display: d, own: newLive(), heard: make(map[string][]protocol.Announcement)}
	p.nats = cli.ConnEvents(d.log, p.own.queue, nil)
	end, err := f.Serve(ctx, d.log, p.own.registry, p.word)
	if p.ends = append(p.ends, end); err != nil {
		return nil, err
	}
	if err := p.serveAPI(ctx); err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

// carries takes notice of the batch, before its first member begins.
func (p *pool) carries(b *batch.Batch) error {
	p.mu.Lock()
	p.batch = b
	p.mu.Unlock()
	err := errors.Join(ops.WatchBatch(p.own.registry, p.display.counts), watchDisk(p.own.registry, b.Dir))
	if err != nil || !p.flags.fleet() {
		return err
	}
	slots := 0
	for _, m := range b.Members {
		slots = max(slots, b.AtATime*int(m.Config.Uint("concurrency")))
	}
	return p.own.fleet(slots, p.flags.Keys)
}

// close closes all that is open.
func (p *pool) close() (err error) {
	for _, end := range slices.Backward(p.ends) {
		err = errors.Join(err, end())
	}
	return err
}

// open opens the queue and the transfer server, before the first member begins.
func (p *pool) open(ctx context.Context) (err error) {
	f, log := p.flags, p.display.log
	if f.fleet() {
		if p.batch.Computes() {
			if p.transfer, err = f.serveRows(p.own.moves, log); err != nil {
				return err
			}
			p.ends = append(p.ends, p.transfer.Close)
		}
		if f.listen != "" {
			// No member can have the name.
			if p.server, err = f.serveQueue(ctx, filepath.Join(p.batch.Dir, ".queue"), "", log); err != nil {
				return err
			}
			p.ends = append(p.ends, p.server.Close)
			p.own.queue.Up()
		} else if err := p.dial(ctx); err != nil {
			return err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begun = true
	return nil
}

// dial connects the pool itself to NATS. This connection tells the log and the metrics whether NATS is there, and hears
// of other coordinators. It does so for askTime before it returns, so that no member has to ask.
func (p *pool) dial(ctx context.Context) error {
	nc, err := p.flags.dial(ctx, "batch-"+p.batch.Name, p.display.log, p.nats)
	if err != nil {
		return err
	}
	p.own.queue.Up()
	hearing, stop := context.WithCancel(context.WithoutCancel(ctx))
	var heard sync.WaitGroup
	heard.Go(func() { _ = natsqueue.Hear(hearing, nc, "", p.hear) }) // until it is stopped
	p.ends = append(p.ends, func() error {
		stop()
		heard.Wait()
		nc.Close()
		return nil
	})
	return pause.For(ctx, askTime)
}

// hear takes notice of a coordinator on NATS: the last word of each.
func (p *pool) hear(a protocol.Announcement) {
	p.mu.Lock()
	defer p.mu.Unlock()
	others := slices.DeleteFunc(p.heard[a.Run], func(o protocol.Announcement) bool { return o.Instance == a.Instance })
	p.heard[a.Run] = append(others, a)
}

// coordinators returns the coordinators of a run of which the pool has heard.
func (p *pool) coordinators(run string) []protocol.Announcement {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.heard[run])
}

// member returns the state of a member, with the metrics of its run alone.
func (p *pool) member() *live {
	return &live{registry: prometheus.NewRegistry(), queue: ops.NewQueueMetrics(), moves: p.own.moves, work: p.own.work,
		pool: p, beside: p.batch.AtATime > 1}
}

// shows adds the metrics of a member to the pages until the returned function is called.
func (p *pool) shows(l *live) (end func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.own.registry.MustRegister(l.registry) // no two members have the same run
	p.underWay = append(p.underWay, l)
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.own.registry.Unregister(l.registry)
		p.underWay = slices.DeleteFunc(p.underWay, func(o *live) bool { return o == l })
	}
}

// word is the answer of /readyz: why a member cannot do its work.
func (p *pool) word() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.failed != nil:
		return "failed"
	case !p.begun && p.over.IsZero():
		return "starting"
	}
	for _, l := range p.underWay {
		if s, ok := l.latest(); ok && s.QueueDown != "" {
			return ops.QueueDown
		}
	}
	return ""
}
