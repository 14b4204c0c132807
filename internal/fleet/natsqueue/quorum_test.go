package natsqueue

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"pagoda/internal/kv"
	"pagoda/internal/run/compute"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/pause/pausetest"
	"pagoda/internal/run/rundir"
	"pagoda/internal/run/status"
)

// cluster starts a NATS cluster of three servers with JetStream. again starts the last two again, which the caller has
// ended.
func cluster(t *testing.T) (all [3]*server.Server, again func()) {
	t.Helper()
	routes := make([]*url.URL, len(all))
	for i := range routes { // a server of a cluster needs routes, and the first one knows no other yet
		routes[i] = &url.URL{Scheme: "nats-route", Host: fmt.Sprintf("127.0.0.1:%d", i+1)}
	}
	var options [3]server.Options
	start := func(i int) {
		o := options[i] // the server changes it
		s, err := server.NewServer(&o)
		if err != nil {
			t.Fatal(err)
		}
		if s.Start(); !s.ReadyForConnections(time.Minute) {
			t.Fatal("the server is not ready")
		}
		t.Cleanup(func() {
			s.Shutdown()
			s.WaitForShutdown()
		})
		all[i] = s
	}
	for i := range all {
		options[i] = server.Options{
			ServerName: fmt.Sprint("s", i), Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoLog: true,
			NoSigs: true, Cluster: server.ClusterOpts{Name: "c", Host: "127.0.0.1", Port: -1}, Routes: routes,
		}
		start(i)
		routes = append([]*url.URL{{Scheme: "nats-route", Host: all[i].ClusterAddr().String()}}, routes[:2]...)
	}
	return all, func() {
		start(1)
		start(2)
	}
}

// TestQuorum: a stream needs more than half of the servers that keep it.
func TestQuorum(t *testing.T) {
	here, off, silent := &jetstream.PeerInfo{}, &jetstream.PeerInfo{Offline: true}, &jetstream.PeerInfo{Active: lostAfter}
	for _, c := range []struct {
		of   *jetstream.ClusterInfo
		want error
	}{
		{nil, nil},
		{&jetstream.ClusterInfo{}, nil},
		{&jetstream.ClusterInfo{Leader: "a"}, nil},
		{&jetstream.ClusterInfo{Leader: "a", Replicas: []*jetstream.PeerInfo{here, here}}, nil},
		{&jetstream.ClusterInfo{Leader: "a", Replicas: []*jetstream.PeerInfo{off, here}}, nil},
		{&jetstream.ClusterInfo{Leader: "a", Replicas: []*jetstream.PeerInfo{off, silent}}, errNoQuorum},
		{&jetstream.ClusterInfo{Leader: "a", Replicas: []*jetstream.PeerInfo{silent}}, errNoQuorum},
		{&jetstream.ClusterInfo{Replicas: []*jetstream.PeerInfo{here, here, off}}, nil},
		{&jetstream.ClusterInfo{Replicas: []*jetstream.PeerInfo{here, silent, off}}, errNoQuorum},
	} {
		if err := quorum(c.of); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%+v: %v, want %v", c.of, err, c.want)
		}
	}
}

// TestNoQuorum: two of three servers end in the middle of a run. Coordinator and worker stay connected to the third.
// They say that NATS has no quorum, and blame no worker, until the servers are back. Then the run goes on.
func TestNoQuorum(t *testing.T) {
	servers, again := cluster(t)
	goOn := make(chan struct{})
	p := &saboteur{Puzzle: &enginetest.Pascal{Depth: 5, Slots: 101, Window: 25}, every: 4,
		do: func(ctx context.Context) error {
			select {
			case <-goOn:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}}
	m := rundir.NewMeta(p.Identity(), "")
	small := kv.Options{CacheBytes: 1 << 20, MemTableBytes: 1 << 20}
	folder, err := rundir.Create(t.TempDir(), m, rundir.FolderOptions{Store: small, Ledger: small})
	if err != nil {
		t.Fatal(err)
	}
	store, err := kv.Open(filepath.Join(t.TempDir(), "store"), m.Run, small)
	if err != nil {
		t.Fatal(err)
	}
	nc, err := Dial(t.Context(), DialOptions{URL: servers[0].ClientURL(), Name: "both"})
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	tasks, err := NewTasks(t.Context(), nc, m.Run, TaskOptions{Replicas: 3, AnswerTime: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	var said, told atomic.Pointer[string] // by the coordinator, of itself and to the worker
	var waits atomic.Pointer[status.Waiting]
	empty := ""
	said.Store(&empty)
	told.Store(&empty)
	var both errgroup.Group
	both.Go(func() error {
		work, err := NewWork(nc, m.Run, "w", WorkOptions{})
		if err != nil {
			return err
		}
		defer work.Close()
		link, err := NewLink(nc, m.Run)
		if err != nil {
			return err
		}
		return compute.Serve(t.Context(), compute.Options{
			Name: "w", Run: m.Run, Puzzle: p, Store: store, Queue: work, Coordinator: link,
			HeartbeatInterval: 100 * time.Millisecond,
			Events:            compute.Events{QueueDown: func(why string) { told.Store(&why) }},
		})
	})
	both.Go(func() error {
		out, err := engine.Run(t.Context(), p, folder, engine.Options{
			Tasks: tasks, WatchEvery: 100 * time.Millisecond, TaskTime: 1,
			ServeMessages: func(ctx context.Context, c *coordinator.Coordinator) error { return tasks.ServeWorkers(ctx, c) },
			OnStatus: func(s status.Status) {
				said.Store(&s.QueueDown)
				waits.Store(s.Waiting)
			},
		})
		if err == nil && !out.Results.Finished() {
			t.Error("the run is not complete")
		}
		return err
	})
	pausetest.Until(t, "the worker has nothing in hand", func() bool { return p.computed.Load() >= p.every })
	for _, s := range servers[1:] {
		s.Shutdown()
	}
	const reason = "NATS has no quorum"
	pausetest.UntilRight(t, func() string {
		w := waits.Load()
		if strings.HasPrefix(*said.Load(), reason) && strings.HasPrefix(*told.Load(), reason) && w != nil &&
			strings.HasPrefix(w.For, "the queue: "+reason) {
			return ""
		}
		return fmt.Sprintf("the coordinator says %q and waits for %+v, the worker is told %q", *said.Load(), w, *told.Load())
	})
	if !nc.IsConnected() {
		t.Error("the connection to the third server is lost")
	}
	again()
	pausetest.UntilRight(t, func() string {
		if *said.Load() == "" && *told.Load() == "" {
			return ""
		}
		return fmt.Sprintf("the servers are back; the coordinator says %q, the worker is told %q", *said.Load(), *told.Load())
	})
	close(goOn)
	if err := both.Wait(); err != nil {
		t.Error(err)
	}
	for _, err := range []error{folder.Close(), store.Close()} {
		if err != nil {
			t.Error(err)
		}
	}
}
