package pipeline_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/pipeline"
	"pagoda/internal/pipeline/pipelinetest"
)

// idle is a queue without tasks.
type idle struct{ pipeline.WorkQueue }

func (idle) Next(ctx context.Context) (pipeline.Delivery, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// successions is a link to coordinators that follow each other: an epoch each.
type successions struct {
	pipeline.Link
	epoch atomic.Uint64
	drops chan pipeline.Drop
}

func (s *successions) Join(context.Context, pipeline.Join) (pipeline.Welcome, error) {
	return pipeline.Welcome{Epoch: s.epoch.Load()}, nil
}

func (s *successions) Beat(_ context.Context, b pipeline.Beat) (pipeline.BeatReply, error) {
	epoch := s.epoch.Load()
	return pipeline.BeatReply{Epoch: epoch, Rejoin: b.Epoch < epoch}, nil
}

func (s *successions) Drops(ctx context.Context, fn func(pipeline.Drop)) error {
	for {
		select {
		case d := <-s.drops:
			fn(d)
		case <-ctx.Done():
			return nil
		}
	}
}

// TestSuccessorIsJoinedAtOnce: a worker joins the next coordinator when it hears of it, or when its link was cut, and
// not only when its next beat is due.
func TestSuccessorIsJoinedAtOnce(t *testing.T) {
	p := &pipelinetest.Pascal{Depth: 3, Slots: 10, Window: 5}
	run := pipeline.RunID(p.Identity())
	store, err := kv.Open(t.TempDir(), run, kv.Options{CacheBytes: 1 << 20, MemTableBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	link := &successions{drops: make(chan pipeline.Drop)}
	link.epoch.Store(1)
	joined := make(chan pipeline.Joined, 1)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- pipeline.Serve(ctx, pipeline.SessionOptions{
			Name: "w", Run: run, Puzzle: p, Store: store, Queue: idle{}, Link: link, BeatEvery: time.Hour,
			Events: pipeline.SessionEvents{Joined: func(j pipeline.Joined) { joined <- j }},
		})
	}()
	epoch := func(want uint64) {
		t.Helper()
		select {
		case j := <-joined:
			if j.Epoch != want || j.Again != (want > 1) {
				t.Fatalf("joined %+v, want epoch %d", j, want)
			}
		case <-time.After(time.Minute):
			t.Fatalf("epoch %d was not joined", want)
		}
	}
	epoch(1)
	link.epoch.Store(2)
	link.drops <- pipeline.Drop{Run: run, Epoch: 2}
	epoch(2)
	link.epoch.Store(3)
	link.drops <- pipeline.Drop{Run: run}
	epoch(3)
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
}
