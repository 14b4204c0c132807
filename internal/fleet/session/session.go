package session

import (
	"context"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"

	"pagoda/internal/fleet/archive"
	"pagoda/internal/fleet/keys"
	"pagoda/internal/fleet/natsqueue"
	"pagoda/internal/fleet/ops"
	"pagoda/internal/fleet/transfer"
	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/compute"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/rundir"
	"pagoda/internal/run/turns"
)

// maxStreams is how many windows arrive at a time: those of two tasks, as tasks of many windows fetch them ahead.
const maxStreams = 32

// A Session is a worker of a run.
type Session struct {
	Name, Run   string
	Program     string // its version, for people
	Concurrency int    // windows computed at a time
	Puzzle      puzzle.Puzzle
	CacheBytes  uint64 // of decoded windows
	// FetchedBytes bounds the windows of others that are kept in memory, as they came; 0: as transfer.Options says.
	FetchedBytes uint64
	// FetchedDisk bounds those that are kept on disk when there is no memory for them any more, in bytes; they take at
	// most as much as they leave free. 0: none are.
	FetchedDisk uint64
	// MemoryBytes, MemoryOf, Turns and Runs are those of compute.Options.
	MemoryBytes uint64
	MemoryOf    func(puzzle.WindowID) (bytes, planned uint64)
	Turns       *turns.Run
	Runs        func() int
	NATS        *nats.Conn
	Link        protocol.CoordinatorClient // to the run's coordinator; nil goes through NATS
	Keys        *keys.Credentials          // nil: everything in the clear
	Transfer    *transfer.Server
	Address     string // at which others reach Transfer
	Spill       string // folder for arriving windows that do not fit in memory
	Metrics     *ops.WorkerMetrics
	Moves       *ops.TransferMetrics
	Archive     *archive.Archive // of the run; nil: there is none
	// Orphan is how long no coordinator may answer until the session ends with ErrOrphaned; 0: it waits for ever.
	Orphan time.Duration
	// QueueDown is told with each heartbeat why the coordinator cannot use the queue, "" when it can; nil is not.
	QueueDown func(why string)
	Log       *slog.Logger // with run and worker among its attributes
}

// Serve works with a store until the run is over or ctx is done. From then on it takes no more tasks, and ends when
// those in hand are settled and its windows handed over: to the archive, or without one to other workers, see
// compute.Leave. It ends at the latest when stop is done: then unfinished tasks go back to the queue. Errors are those
// of compute.Serve.
func (m *Session) Serve(ctx, stop context.Context, store *kv.Store) error {
	leave, err := m.Transfer.Serve(m.Run, store)
	if err != nil {
		return err
	}
	defer leave()
	o := transfer.Options{
		Store: store, Name: m.Name, Keys: m.Keys, MemoryBytes: m.FetchedBytes, SpillDir: m.Spill, OnFetched: m.Moves.Fetched,
		MaxStreams: maxStreams, DiskBytes: m.FetchedDisk,
		FreeDisk: func() (uint64, error) { return rundir.FreeDisk(m.Spill) },
		Event:    func(text string) { m.Log.Warn("fetched windows", "event", text) },
	}
	events := m.events()
	var up *uploads         // nil without an archive
	var ready chan struct{} // closed when the archive has all windows
	if m.Archive != nil {
		o.Archive = m.Archive
		up = newUploads(m, store)
		events = up.watch(ctx, events)
		defer up.end(stop)
		ready = make(chan struct{})
	}
	fetcher := transfer.NewFetcher(o)
	defer fetcher.Close()
	defer m.Moves.Keeps(fetcher.OnDisk)()
	link := m.Link
	if link == nil {
		if link, err = natsqueue.NewLink(m.NATS, m.Run); err != nil {
			return err
		}
	}
	queue, err := natsqueue.NewWork(m.NATS, m.Run, m.Name, natsqueue.WorkOptions{})
	if err != nil {
		return err
	}
	defer queue.Close()
	work := ops.WatchWork(queue, m.Metrics, m.Log)
	defer m.Metrics.Serves(m.Run)()

	run, end := context.WithCancel(stop)
	defer end()
	settled := make(chan struct{})
	defer context.AfterFunc(ctx, func() {
		select {
		case <-work.Drain():
			close(settled)
			if up != nil {
				up.drain(run) // before the worker goes: the coordinator then lists the archive
				close(ready)
			}
		case <-run.Done():
		}
	})()
	orphan := &orphanage{after: m.Orphan, end: end, now: time.Now}
	if m.Orphan > 0 {
		events = orphan.watch(events)
	}
	err = compute.Serve(run, compute.Options{
		Name: m.Name, Run: m.Run, Program: m.Program, Concurrency: m.Concurrency, Puzzle: m.Puzzle, Store: store,
		Queue: work, Coordinator: link, Fetcher: fetcher, Address: m.Address, CacheBytes: m.CacheBytes,
		FetchedBytes: fetcher.Moved, Events: events, MemoryBytes: m.MemoryBytes, MemoryOf: m.MemoryOf, Turns: m.Turns,
		Runs: m.Runs, Disk: newDisk(m.look(fetcher.OnDisk)).latest,
		Leave: compute.Leave{Asked: ctx.Done(), Settled: settled, Ready: ready},
	})
	return orphan.verdict(m.Run, err)
}

// events logs the events of a session.
func (m *Session) events() compute.Events {
	return compute.Events{
		Joined: func(j compute.Joined) {
			m.Log.Info("joined", "epoch", j.Epoch, ops.HeldKey, j.Held, "windows_dropped", j.Dropped, "again", j.Again)
		},
		Refused:         func(err error) { m.Log.Warn("not taken by the coordinator, trying again", ops.ErrorKey, err) },
		HeartbeatMissed: func(err error) { m.Log.Warn("no answer from the coordinator", ops.ErrorKey, err) },
		Dropped:         func(n int) { m.Log.Debug("windows dropped", "windows", n) },
		Computed: func(c compute.Computed) {
			ops.LogWindow(m.Log, slog.LevelDebug, ops.MsgComputed, c.Window, slog.Duration(ops.TookKey, c.Took),
				ops.If(ops.AuditKey, c.Audit))
		},
		QueueDown: m.QueueDown,
		HandsOver: m.handsOver(),
	}
}

// handsOver returns a function that logs how the worker's windows are handed over, step by step.
func (m *Session) handsOver() func(compute.HandsOver) {
	begun, alone := false, false
	return func(h compute.HandsOver) {
		switch {
		case h.Last && h.Unheard:
			m.Log.Warn("the worker ends before the coordinator has said which windows others are to copy")
		case h.Last && h.ToCopy > 0:
			m.Log.Warn("the worker ends before others have copied all its windows", "windows_left", h.ToCopy)
		case h.Last && begun:
			m.Log.Info("others have copied the windows that only this worker held")
		case h.Last:
		case h.Alone && !alone:
			alone = true
			m.Log.Info("no other worker is there to copy the windows of this one")
		case h.ToCopy > 0 && !begun:
			begun = true
			m.Log.Info("others copy the windows that only this worker holds", "windows", h.ToCopy)
		}
	}
}
