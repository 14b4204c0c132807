package worker

import (
	"context"
	"log/slog"

	"github.com/nats-io/nats.go"

	"pagoda/internal/certs"
	"pagoda/internal/fleet"
	"pagoda/internal/kv"
	"pagoda/internal/ops"
	"pagoda/internal/pipeline"
	"pagoda/internal/puzzle"
	"pagoda/internal/transfer"
)

// TransferMemory is what windows that arrive from others take of a worker's memory at most, in bytes.
const TransferMemory = 64 << 20

// A Member is a worker of a run.
type Member struct {
	Name, Run   string
	Concurrency int // windows computed at a time
	Puzzle      puzzle.Puzzle
	CacheBytes  uint64 // of decoded windows
	NATS        *nats.Conn
	Keys        *certs.Credentials // nil: everything in the clear
	Transfer    *transfer.Server
	Address     string // at which others reach Transfer
	Spill       string // folder for what arrives and does not fit in memory
	Metrics     *ops.WorkerMetrics
	Moves       *ops.TransferMetrics
	Log         *slog.Logger // with run and worker among its attributes
}

// Serve works with a store until the run is over or ctx is done. From then on it takes no more tasks, and ends when
// those in hand are settled, or at the latest when stop is done: then what is not computed goes back to the queue.
// Errors are those of pipeline.Serve.
func (m *Member) Serve(ctx, stop context.Context, store *kv.Store) error {
	leave, err := m.Transfer.Serve(m.Run, store)
	if err != nil {
		return err
	}
	defer leave()
	fetcher := transfer.NewFetcher(transfer.Options{
		Store: store, Name: m.Name, Keys: m.Keys, MemoryBytes: TransferMemory, SpillDir: m.Spill, OnFetched: m.Moves.Fetched,
	})
	defer fetcher.Close()
	link, err := fleet.NewLink(m.NATS, m.Run, m.Name)
	if err != nil {
		return err
	}
	queue, err := fleet.NewWork(m.NATS, m.Run, m.Name, fleet.WorkOptions{})
	if err != nil {
		return err
	}
	defer queue.Close()
	work := ops.WatchWork(queue, m.Metrics, m.Log)
	defer m.Metrics.Serves(m.Run)()

	run, end := context.WithCancel(stop)
	defer end()
	defer context.AfterFunc(ctx, func() {
		select {
		case <-work.Drain():
			end()
		case <-run.Done():
		}
	})()
	return pipeline.Serve(run, pipeline.SessionOptions{
		Name: m.Name, Run: m.Run, Concurrency: m.Concurrency, Puzzle: m.Puzzle, Store: store, Queue: work, Link: link,
		Fetcher: fetcher, Address: m.Address, CacheBytes: m.CacheBytes, Moved: fetcher.Moved, Events: m.events(),
	})
}

// events logs what a session says.
func (m *Member) events() pipeline.SessionEvents {
	return pipeline.SessionEvents{
		Joined: func(j pipeline.Joined) {
			m.Log.Info("joined", "epoch", j.Epoch, "windows_held", j.Held, "windows_dropped", j.Dropped, "again", j.Again)
		},
		Refused: func(err error) { m.Log.Warn("not taken by the coordinator, trying again", ops.ErrorKey, err) },
		Silent:  func(err error) { m.Log.Warn("no answer from the coordinator", ops.ErrorKey, err) },
		Dropped: func(n int) { m.Log.Debug("windows dropped", "windows", n) },
	}
}
