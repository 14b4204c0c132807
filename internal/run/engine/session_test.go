package engine_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/compute"
	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/pause"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/rundir"
)

// idle is a queue without tasks.
type idle struct{ protocol.WorkQueue }

func (idle) Next(ctx context.Context) (protocol.Delivery, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// successors is a link to coordinators that follow each other, an epoch each, until the run is over.
type successors struct {
	protocol.CoordinatorClient
	epoch        atomic.Uint64
	over         atomic.Bool
	farewells    atomic.Int64
	drops        chan protocol.Drop
	late         time.Duration // until it listens
	joinedBefore atomic.Bool   // a worker joined before that
	hears        atomic.Bool
}

func (s *successors) Join(context.Context, protocol.Join) (protocol.JoinResponse, error) {
	if !s.hears.Load() {
		s.joinedBefore.Store(true)
	}
	return protocol.JoinResponse{Epoch: s.epoch.Load()}, nil
}

func (s *successors) Heartbeat(_ context.Context, b protocol.Heartbeat) (protocol.HeartbeatResponse, error) {
	if b.Leaving {
		s.farewells.Add(1)
	}
	epoch := s.epoch.Load()
	return protocol.HeartbeatResponse{Epoch: epoch, Rejoin: b.Epoch < epoch, Stop: s.over.Load()}, nil
}

func (s *successors) Drops(ctx context.Context, fn func(protocol.Drop)) error {
	if err := pause.For(ctx, s.late); err != nil {
		return err
	}
	s.hears.Store(true)
	fn(protocol.Drop{})
	for {
		select {
		case d := <-s.drops:
			fn(d)
		case <-ctx.Done():
			return nil
		}
	}
}

// serve has a worker serve a run over link, and passes on its joins.
func serve(ctx context.Context, t *testing.T, link protocol.CoordinatorClient) (
	run string, joined <-chan compute.Joined, ended <-chan error,
) {
	t.Helper()
	return serveQueue(ctx, t, link, idle{})
}

// serveQueue is serve with a queue.
func serveQueue(ctx context.Context, t *testing.T, link protocol.CoordinatorClient, q protocol.WorkQueue) (
	run string, joined <-chan compute.Joined, ended <-chan error,
) {
	t.Helper()
	p := &enginetest.Pascal{Depth: 3, Slots: 10, Window: 5}
	run = rundir.RunID(p.Identity())
	store, err := kv.Open(t.TempDir(), run, kv.Options{CacheBytes: 1 << 20, MemTableBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	joins, end := make(chan compute.Joined, 1), make(chan error, 1)
	go func() {
		err := compute.Serve(ctx, compute.Options{
			Name: "w", Run: run, Puzzle: p, Store: store, Queue: q, Coordinator: link, HeartbeatInterval: time.Hour,
			Events: compute.Events{Joined: func(j compute.Joined) { joins <- j }},
		})
		end <- errors.Join(err, store.Close())
	}()
	return run, joins, end
}

// TestSuccessorIsJoinedAtOnce: a worker joins when it hears the coordinator's messages to all workers. It joins the
// next coordinator when it hears of it, or after its link was cut, without waiting for the next heartbeat.
func TestSuccessorIsJoinedAtOnce(t *testing.T) { synctest.Test(t, testSuccessorIsJoinedAtOnce) }

func testSuccessorIsJoinedAtOnce(t *testing.T) {
	link := &successors{drops: make(chan protocol.Drop), late: 20 * time.Millisecond}
	link.epoch.Store(1)
	ctx, cancel := context.WithCancel(t.Context())
	run, joined, ended := serve(ctx, t, link)
	epoch := func(want uint64, within time.Duration) {
		t.Helper()
		begun := time.Now()
		if j := <-joined; j.Epoch != want || j.Again != (want > 1) {
			t.Fatalf("joined %+v, want epoch %d", j, want)
		}
		if d := time.Since(begun); d > within {
			t.Fatalf("epoch %d was joined %v later", want, d)
		}
	}
	epoch(1, link.late)
	if link.joinedBefore.Load() {
		t.Error("it joined before it could hear what workers are told")
	}
	link.epoch.Store(2)
	link.drops <- protocol.Drop{Run: run, Epoch: 2}
	epoch(2, 0)
	link.epoch.Store(3)
	link.drops <- protocol.Drop{Run: run}
	epoch(3, 0)
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if n := link.farewells.Load(); n != 1 {
		t.Errorf("%d farewells of a worker that leaves, want 1", n)
	}
}

// TestNoLeaveAfterTheEnd: a worker that hears that the run is over does not say that it leaves. The coordinator may be
// gone, and the worker would wait for an answer.
func TestNoLeaveAfterTheEnd(t *testing.T) { synctest.Test(t, testNoLeaveAfterTheEnd) }

func testNoLeaveAfterTheEnd(t *testing.T) {
	link := &successors{drops: make(chan protocol.Drop)}
	link.epoch.Store(1)
	run, joined, ended := serve(t.Context(), t, link)
	<-joined
	link.over.Store(true)
	link.drops <- protocol.Drop{Run: run, Epoch: 1}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if n := link.farewells.Load(); n != 0 {
		t.Errorf("%d farewells", n)
	}
}

// lastWords is a queue with one task. Its report is answered with the error that ended the coordinator's epoch, when
// the next epoch has begun.
type lastWords struct {
	protocol.Delivery // which says that it makes progress

	link    *successors
	run     string
	given   atomic.Bool
	rejoins <-chan compute.Joined
	again   chan protocol.Report // reports to the next coordinator
}

func (q *lastWords) Next(ctx context.Context) (protocol.Delivery, error) {
	if q.given.Swap(true) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return q, nil
}

func (q *lastWords) Task() *protocol.Task {
	w := puzzle.Window{Cell: puzzle.Cell{Layer: 0, Key: "k0"}, Addresses: 5}
	return &protocol.Task{Run: q.run, Epoch: 1, ID: "t", Windows: []protocol.TaskWindow{{Window: w}}}
}

func (q *lastWords) Progress()  {}
func (q *lastWords) Ack() error { return nil }
func (q *lastWords) Nak() error { return nil }

func (q *lastWords) Report(_ context.Context, r protocol.Report) (protocol.Reply, error) {
	if r.Epoch > 1 {
		q.again <- r
		return protocol.Reply{}, nil
	}
	q.link.epoch.Store(2)
	q.link.drops <- protocol.Drop{Run: q.run, Epoch: 2}
	<-q.rejoins
	return protocol.Reply{Error: "no space left on device", Stop: true}, nil
}

// TestLastWordsOfAnEpoch: a worker that has joined the next coordinator of its run ignores the last words of the former
// one. It reports to the next the windows that the former has not taken.
func TestLastWordsOfAnEpoch(t *testing.T) { synctest.Test(t, testLastWordsOfAnEpoch) }

func testLastWordsOfAnEpoch(t *testing.T) {
	link := &successors{drops: make(chan protocol.Drop)}
	link.epoch.Store(1)
	rejoins := make(chan compute.Joined)
	run := rundir.RunID((&enginetest.Pascal{Depth: 3, Slots: 10, Window: 5}).Identity())
	q := &lastWords{link: link, run: run, rejoins: rejoins, again: make(chan protocol.Report, 1)}
	run, joined, ended := serveQueue(t.Context(), t, link, q)
	if j := <-joined; j.Epoch != 1 {
		t.Fatalf("joined %+v", j)
	}
	j := <-joined
	if j.Epoch != 2 {
		t.Fatalf("joined %+v", j)
	}
	rejoins <- j
	select {
	case r := <-q.again:
		if r.Epoch != 2 || len(r.Done) != 1 {
			t.Errorf("reported %+v", r)
		}
	case err := <-ended:
		t.Fatalf("the worker ended with %v", err)
	}
	link.over.Store(true)
	link.drops <- protocol.Drop{Run: run, Epoch: 2}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
