package simulate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"pagoda/internal/fleet/ops"
	"pagoda/internal/fleet/session"
	"pagoda/internal/fleet/transfer"
	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/compute"
	"pagoda/internal/run/pause"
	"pagoda/internal/run/protocol"
)

// station is where a worker runs: its disk outlives its processes.
type station struct {
	w     *world
	name  string
	disk  *disk
	p     *process // nil: none runs
	ends  chan struct{}
	away  bool // no process is started before the fault is over
	wiped int

	dialect dialect // of the program that is started
}

// start starts a worker process on the station's disk.
func (s *station) start() {
	w := s.w
	p, d := w.spawn(s.name), s.disk
	s.p, p.station, p.dialect = p, s, s.dialect
	w.note(s.name, nil, "starts")
	s.ends = make(chan struct{})
	ends := s.ends
	w.running.Go(func() {
		defer close(ends)
		err := s.supervise(p, d)
		if p.isDead() {
			return
		}
		if err != nil {
			w.note(s.name, nil, "ends: %v", err)
			w.checks.workerEnded(s, err)
		}
		p.kill()
		// Whatever runs workers starts them again.
		w.after(w.jitter("restart "+s.name, 3*time.Second), func() {
			if s.p == p && !s.away {
				s.start()
			}
		})
	})
}

// supervise is a worker until its run is over.
func (s *station) supervise(p *process, d *disk) error {
	w := s.w
	h := &session.Supervisor{
		Dir: "data", Run: w.shape.run, Store: d.options(), Log: slog.New(&notes{w, s.name, nil}),
		Work: func(asked, stop context.Context, store *kv.Store) error {
			w.checks.opened(s, store)
			err := s.session(asked, stop, p, store)
			if errors.Is(err, kv.ErrCorrupt) || store.Damaged() != "" {
				w.checks.forgets(s)
			}
			return err
		},
	}
	return h.Serve(p.asked, p.ctx)
}

// exchange serves the rows of a store to other workers, and fetches theirs, until the function returned is called.
func (p *process) exchange(store *kv.Store, name string) (*transfer.Fetcher, func(), error) {
	server, err := transfer.NewServer(transfer.ServerOptions{Listen: "127.0.0.1:1", Listener: p.listen()})
	if err != nil {
		return nil, nil, err
	}
	leave, err := server.Serve(p.w.shape.run, store)
	if err != nil {
		_ = server.Close()
		return nil, nil, err
	}
	fetcher := transfer.NewFetcher(p.w.fetching(p, store, name))
	return fetcher, func() {
		fetcher.Close()
		leave()
		_ = server.Close()
	}, nil
}

// session works with a store until the run is over, the worker that was asked to leave has handed its windows over, or
// stop is done.
func (s *station) session(asked, stop context.Context, p *process, store *kv.Store) error {
	w := s.w
	fetcher, finish, err := p.exchange(store, s.name)
	if err != nil {
		return err
	}
	defer finish()
	slots := w.sc.Slots[s.index()]
	events := compute.Events{
		Joined: func(j compute.Joined) {
			w.note(s.name, nil, "joined epoch %d with %d windows, %d dropped", j.Epoch, j.Held, j.Dropped)
			w.checks.joined(p, j)
		},
		Refused:         func(err error) { w.note(s.name, nil, "join refused: %v", err) },
		HeartbeatMissed: func(err error) { w.note(s.name, nil, "heartbeat not answered: %v", err) },
		Dropped:         func(n int) { w.note(s.name, nil, "dropped %d windows", n) },
		ReportRefused:   func(why string) { w.note(s.name, nil, "report refused: %s", why) },
		HandsOver:       func(h compute.HandsOver) { w.checks.handsOver(s, h) },
	}
	defer w.uploads(p, store, &events)()
	metrics, err := ops.NewWorkerMetrics(prometheus.NewRegistry(), s.name, slots)
	if err != nil {
		return err
	}
	work := ops.WatchWork(newHand(p, slots), metrics, slog.New(slog.DiscardHandler))
	settled := make(chan struct{})
	defer context.AfterFunc(asked, func() {
		select {
		case <-work.Drain():
			close(settled)
		case <-stop.Done():
		}
	})()
	return compute.Serve(stop, compute.Options{
		Name: s.name, Run: w.shape.run, Concurrency: slots, Puzzle: w.shape.at(p), Store: store, Queue: work,
		Coordinator: client{p}, Fetcher: fetcher, Address: s.name + ":1", CacheBytes: w.sc.Cache, Events: events,
		Leave: compute.Leave{Asked: asked.Done(), Settled: settled},
	})
}

// fetching says how a process gets windows.
func (w *world) fetching(p *process, store *kv.Store, name string) transfer.Options {
	o := transfer.Options{
		Store: store, Name: name, Dial: p.dial, MemoryBytes: w.sc.Fetched, DiskBytes: w.sc.FetchedDisk,
	}
	if a := w.openArchive(p); a != nil {
		o.Archive = a
	}
	return o
}

func (s *station) index() int {
	for i, o := range s.w.stations {
		if o == s {
			return i
		}
	}
	return 0
}

// crash ends the worker's process as a loss of power does. About percent of the unsynced data stays on its disk.
func (s *station) crash(percent int) {
	if s.p == nil || s.p.isDead() {
		return
	}
	s.disk = s.disk.crash(percent)
	s.p.kill()
}

// leave has the worker stop as on SIGTERM.
func (s *station) leave() {
	if s.p != nil {
		s.p.stop()
	}
}

// at is the puzzle as a process computes it: it takes time, and is watched.
func (sh *shape) at(p *process) puzzle.Puzzle { return &computed{Puzzle: sh.puzzle, p: p} }

type computed struct {
	puzzle.Puzzle
	p *process
}

func (c *computed) Compute(
	ctx context.Context, win puzzle.Window, in puzzle.Source, out puzzle.Sink,
) (puzzle.Tally, error) {
	w := c.p.w
	id := win.ID()
	defer w.checks.computes(c.p, id)()
	w.note(c.p.name, []puzzle.WindowID{id}, "computes %s", id)
	d := time.Duration((0.2 + w.draw(fmt.Sprintf("compute %s %s", c.p.name, id))) * float64(w.sc.Compute) *
		w.slowness(c.p.name))
	if err := pause.For(ctx, d); err != nil {
		return puzzle.Tally{}, err
	}
	if err := c.p.held(ctx); err != nil {
		return puzzle.Tally{}, err
	}
	t, err := c.Puzzle.Compute(ctx, win, in, out)
	if err != nil {
		w.note(c.p.name, []puzzle.WindowID{id}, "could not compute %s: %v", id, err)
	} else {
		w.checks.hasComputed(c.p, id)
	}
	return t, err
}

var _ protocol.WorkQueue = (*hand)(nil)
