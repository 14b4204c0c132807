package simulate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pagoda/internal/fleet/transfer"
	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/compute"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/pause"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/rundir"
)

// host is where a coordinator runs: the run's folder outlives its processes.
type host struct {
	w     *world
	name  string
	disk  *disk
	p     *process
	known map[puzzle.WindowID]bool // windows that it has answered for
	epoch uint64

	dialect dialect // of the program that is started
}

// start starts a coordinator on the host's folder.
func (h *host) start() {
	w := h.w
	p, d := w.spawn(h.name), h.disk
	h.p, p.dialect = p, h.dialect
	w.note(h.name, nil, "starts")
	w.running.Go(func() {
		err := h.lead(p, d)
		if p.isDead() {
			return
		}
		p.kill()
		if err == nil {
			w.note(h.name, nil, "completed the run")
			return
		}
		w.note(h.name, nil, "ends: %v", err)
		w.checks.coordinatorEnded(h, err)
		h.restart(p)
	})
}

// restart starts a coordinator again unless another lives.
func (h *host) restart(p *process) {
	w := h.w
	w.after(w.jitter("restart "+h.name, 4*time.Second), func() {
		if h.p == p && !w.led() {
			h.start()
		}
	})
}

// led reports whether a coordinator lives.
func (w *world) led() bool {
	for _, h := range w.hosts {
		if h.p != nil && !h.p.isDead() {
			return true
		}
	}
	return false
}

// others asks for the epoch of other coordinators of the run, as the program does before it begins.
func (h *host) others(p *process) (epoch uint64) {
	w := p.w
	w.broker.publish(p, "find", nil, func(b []byte) {
		if a, err := protocol.DecodeAnnouncement(b); err == nil {
			w.mu.Lock()
			epoch = max(epoch, a.Epoch)
			w.mu.Unlock()
		}
	})
	_ = pause.For(p.ctx, 2*time.Second)
	w.mu.Lock()
	defer w.mu.Unlock()
	return epoch
}

// lead carries out the run, or resumes it.
func (h *host) lead(p *process, d *disk) (err error) {
	w, sc := h.w, h.w.sc
	above := h.others(p)
	if p.ctx.Err() != nil {
		return p.ctx.Err()
	}
	f, err := rundir.Create(w.shape.dir, rundir.NewMeta(w.shape.puzzle.Identity(), ""), rundir.FolderOptions{
		Store: d.options(), Ledger: d.options(),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if f.Damage != nil {
		w.note(h.name, nil, "the folder was damaged: %v", f.Damage)
	}
	w.checks.folder(h, f)
	fetcher := transfer.NewFetcher(w.fetching(p, f.Store, protocol.OwnWorker))
	defer fetcher.Close()
	q := tasks{h, p}
	// A coordinator that begins empties the stream.
	for !q.connected() || q.Reset(p.ctx) != nil {
		if err := pause.For(p.ctx, retryMost); err != nil {
			return err
		}
	}
	o := engine.Options{
		Tasks: q, Retention: plan.Retention(sc.Retention), AuditFraction: sc.Audit, MinEpoch: above, Fetcher: fetcher,
		Fleet: coordinator.FleetOptions{
			Locality: sc.Locality, Replication: sc.Replication, WorkerTimeout: sc.WorkerTimeout, RejoinGrace: sc.RejoinGrace,
			Broadcast: func(d protocol.Drop) error {
				b, err := d.Encode()
				if err == nil {
					w.broker.publish(p, "drop", b, nil)
				}
				return err
			},
		},
		Events: w.checks.events(h, p, f),
		ServeMessages: func(ctx context.Context, c *coordinator.Coordinator) error {
			return h.serve(ctx, p, c)
		},
	}
	if a := w.openArchive(p); a != nil {
		o.Fleet.Archive = a.List
	}
	if sc.Own {
		o.Concurrency = 1
		o.Worker = func(ctx context.Context, link protocol.CoordinatorClient) error {
			return h.work(ctx, p, f.Store, link)
		}
	}
	out, err := engine.Run(p.ctx, w.shape.at(p), f, o)
	if out != nil && !p.isDead() {
		w.checks.ended(h, f, out.Results, err)
	}
	return err
}

// serve carries messages between a coordinator and its workers.
func (h *host) serve(ctx context.Context, p *process, c *coordinator.Coordinator) error {
	w := p.w
	w.note(h.name, nil, "leads epoch %d", c.Announcement().Epoch)
	w.checks.leads(h, p, c.Announcement().Epoch)
	defer h.desk(ctx, p, c)()
	announce := func() {
		a := c.Announcement()
		if b, err := a.Encode(); err == nil {
			w.broker.publish(p, "run", b, nil)
		}
	}
	defer w.broker.subscribe(&subscription{p: p, subject: "run", handle: func(b []byte, _ func([]byte)) {
		if a, err := protocol.DecodeAnnouncement(b); err == nil {
			c.Heard(ctx, a)
			w.checks.heard(p, a.Epoch)
		}
	}})()
	defer w.broker.subscribe(&subscription{p: p, subject: "find", handle: func(_ []byte, reply func([]byte)) {
		a := c.Announcement()
		if b, err := a.Encode(); err == nil {
			reply(b)
		}
	}})()
	tick := time.NewTicker(2 * time.Second)
	defer tick.Stop()
	for {
		announce()
		select {
		case <-tick.C:
		case <-ctx.Done():
			announce()
			return nil
		}
	}
}

// work is the worker in a coordinator's process.
func (h *host) work(ctx context.Context, p *process, store *kv.Store, link protocol.CoordinatorClient) error {
	w := p.w
	fetcher, end, err := p.exchange(store, protocol.OwnWorker)
	if err != nil {
		return err
	}
	defer end()
	events := compute.Events{Joined: func(j compute.Joined) { w.checks.joined(p, j) }}
	defer w.uploads(p, store, &events)()
	q := newHand(p, 1)
	q.name = protocol.OwnWorker
	return compute.Serve(ctx, compute.Options{
		Name: protocol.OwnWorker, Run: w.shape.run, Concurrency: 1, Puzzle: w.shape.at(p), Store: store, Queue: q,
		Coordinator: link, Fetcher: fetcher, Address: h.name + ":1", CacheBytes: w.sc.Cache,
		Events: events,
	})
}

// crash ends the coordinator's process as a machine that loses power does.
func (h *host) crash(percent int) {
	if h.p == nil || h.p.isDead() {
		return
	}
	h.disk = h.disk.crash(percent)
	h.p.kill()
}

// leave has the coordinator stop as on SIGTERM.
func (h *host) leave() {
	if h.p != nil {
		h.p.stop()
	}
}

// copyTo gives another host a copy of the folder as it is.
func (h *host) copyTo(o *host) {
	o.disk = h.disk.crash(100)
	o.disk.full = false // it is another disk
	h.w.checks.copied(h, o)
}

func (h *host) String() string { return fmt.Sprintf("host %s", h.name) }
