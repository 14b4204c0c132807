package natsqueue

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/compute"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/rundir"
)

// neighbours fetches windows from the stores of the other workers, by their names.
type neighbours struct {
	own    *kv.Store
	stores map[string]*kv.Store
}

func (n *neighbours) Blocks(
	ctx context.Context, w protocol.LocatedWindow, first, slots uint64, fn func(*puzzle.Block) error,
) error {
	err := n.own.Blocks(ctx, w.Record, first, slots, fn)
	for _, p := range w.Holders {
		if !errors.Is(err, kv.ErrNotFound) && !errors.Is(err, kv.ErrCorrupt) {
			return err
		}
		err = n.stores[p.Name].Blocks(ctx, w.Record, first, slots, fn)
	}
	return err
}

// TestRunOverNATS carries out a run with three workers. Meanwhile the server, its storage, streams, consumers and
// connections come and go, and other clients put rubbish and duplicates into the queue.
func TestRunOverNATS(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	p := &enginetest.Pascal{Depth: 7, Slots: 201, Window: 25}
	faults := 10
	if testing.Short() {
		p, faults = &enginetest.Pascal{Depth: 5, Slots: 101, Window: 25}, 3
	}
	m := rundir.NewMeta(p.Identity(), "")
	small := kv.Options{CacheBytes: 1 << 20, MemTableBytes: 1 << 20}
	f, err := rundir.Create(t.TempDir(), m, rundir.FolderOptions{Store: small, Ledger: small})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	srv := rise(t)
	coord := srv.dial("coordinator")
	tasks, err := NewTasks(t.Context(), coord, m.Run, TaskOptions{
		Storage: jetstream.FileStorage, AckWait: time.Second, AnswerTime: time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}

	// The faults happen one after the other, each when three more windows have been begun; windows wait for the faults
	// before the last one, so that the run, however fast the machine, is not over before all have happened.
	var begun, done atomic.Int64
	slow := &saboteur{Puzzle: p, every: 1, do: func(ctx context.Context) error {
		return until(ctx, &done, min(begun.Add(1)/3-1, int64(faults)))
	}}

	var workers errgroup.Group
	stores := make(map[string]*kv.Store)
	names := []string{"a", "b.1", "c-2"}
	for _, name := range names {
		s, err := kv.Open(filepath.Join(t.TempDir(), "store"), m.Run, small)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		stores[name] = s
	}
	var ends sync.WaitGroup
	defer ends.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, name := range names {
		nc := srv.dial(name)
		work, err := NewWork(nc, m.Run, name, WorkOptions{Heartbeat: 500 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(work.Close)
		link, err := NewLink(nc, m.Run)
		if err != nil {
			t.Fatal(err)
		}
		workers.Go(func() error {
			return compute.Serve(ctx, compute.Options{
				Name: name, Run: m.Run, Concurrency: 2, Puzzle: slow, Store: stores[name], Queue: work, Coordinator: link,
				Fetcher: &neighbours{stores[name], stores}, Address: "localhost:1", HeartbeatInterval: 100 * time.Millisecond,
			})
		})
	}

	ends.Go(func() {
		for n := range int64(faults) {
			if until(ctx, &begun, 3*(n+1)) != nil {
				return
			}
			kind := rnd.IntN(9)
			began := time.Now()
			what, err := fault(ctx, srv, tasks, kind, names[rnd.IntN(len(names))])
			if err != nil {
				t.Errorf("fault %s: %v", what, err)
			}
			t.Logf("%s took %v", what, time.Since(began))
			done.Add(1)
		}
	})

	out, err := engine.Run(t.Context(), p, f, engine.Options{Tasks: tasks,
		Retention: plan.RetainLast, TaskTime: 1, WatchEvery: 100 * time.Millisecond, AuditFraction: 0.1,
		Fleet: coordinator.FleetOptions{
			WorkerTimeout: 3 * time.Second, RejoinGrace: 100 * time.Millisecond, Locality: true, Replication: 2,
			Broadcast: NewBroadcaster(coord).Broadcast,
		},
		ServeMessages: func(ctx context.Context, c *coordinator.Coordinator) error { return tasks.ServeWorkers(ctx, c) },
	})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := workers.Wait(); err != nil {
		t.Error(err)
	}
	if n := done.Load(); n < int64(faults) {
		t.Errorf("only %d of %d faults happened before the run was over", n, faults)
	}
	sum, err := p.Summarise(out.Results)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]uint128.Uint128)
	for _, f := range sum.Facts {
		got[f.Name] = f.Value.N
	}
	if want := p.Reference(); !maps.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

// until waits for a number to be n or more.
func until(ctx context.Context, number *atomic.Int64, n int64) error {
	for number.Load() < n {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
	return nil
}

// fault does something to the queue.
func fault(
	ctx context.Context,
	srv *restartableServer,
	tasks *Tasks,
	kind int,
	worker string,
) (what string, err error) {
	stream := streamName(tasks.run)
	switch kind {
	case 0:
		what, err = "restart", srv.again(50*time.Millisecond, false)
	case 1:
		what, err = "restart without storage", srv.again(50*time.Millisecond, true)
	case 2:
		what, err = "long absence", srv.again(1500*time.Millisecond, false)
	case 3:
		what, err = "delete stream", tasks.js.DeleteStream(ctx, stream)
	case 4:
		what, err = "delete consumer", tasks.js.DeleteConsumer(ctx, stream, consumerAny)
	case 5:
		what, err = "delete a worker's consumer", tasks.js.DeleteConsumer(ctx, stream, consumerOf(worker))
	case 6:
		what = "purge"
		s, serr := tasks.js.Stream(ctx, stream)
		if err = serr; err == nil {
			err = s.Purge(ctx)
		}
	case 7:
		what = "cut connections"
		srv.mu.Lock()
		for id := uint64(1); id < 200; id++ {
			_ = srv.s.DisconnectClientByID(id) // most of them are not there
		}
		srv.mu.Unlock()
	case 8:
		what = "rubbish and duplicates"
		odd := someTask("stranger", fmt.Sprintf("s%d", time.Now().UnixNano()), worker)
		twice := protocol.Task{Run: tasks.run, ID: fmt.Sprintf("d%d", time.Now().UnixNano()), Windows: []protocol.TaskWindow{
			{Window: puzzle.Window{Cell: puzzle.Cell{Key: "k0"}, Addresses: 25}},
		}}
		err = tasks.Submit(ctx, []protocol.Task{odd, twice})
		_ = tasks.nc.Publish(anySubject(tasks.run), []byte(`{"run":7}`))
	}
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound), errors.Is(err, jetstream.ErrConsumerNotFound),
		errors.Is(err, protocol.ErrQueueDown), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled),
		errors.Is(err, jetstream.ErrJetStreamNotEnabled):
		err = nil // it had not been rebuilt since the last fault
	}
	return what, err
}
