package natsqueue_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server/ats"
	"go.uber.org/goleak"

	"pagoda/internal/fleet/natsqueue"
	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/pause/pausetest"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/rundir"
)

func TestMain(m *testing.M) {
	if os.Getenv(aloneDir) != "" {
		serveAlone()
		return
	}
	// The server counts its stores in this package, and the first of them starts a clock for all. It must tick outside
	// of the bubbles, or time would never pass in the first and the others would have it stopped from outside.
	ats.Register()
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent())
}

func start(t testing.TB, run string, ackWait time.Duration) *natsqueue.Local {
	t.Helper()
	l, err := natsqueue.Start(t.Context(), natsqueue.LocalOptions{
		Run: run, Dir: filepath.Join(t.TempDir(), "queue"), AckWait: ackWait,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func window(i int) puzzle.Window {
	return puzzle.Window{Cell: puzzle.Cell{Layer: 1, Key: "a"}, Part: i, First: uint64(i), Addresses: 1}
}

func task(run string, i int) protocol.Task {
	return protocol.Task{
		Run: run, ID: fmt.Sprintf("%s-%d", run, i), Windows: []protocol.TaskWindow{{Window: window(i)}},
	}
}

// TestRun sends every toy through the real queue.
func TestRun(t *testing.T) {
	for _, p := range []puzzle.Puzzle{
		&enginetest.Pascal{Depth: 7, Slots: 201, Window: 60},
		&enginetest.BFS{Nodes: 300, Window: 100},
		&enginetest.Labels{Tokens: 9, Ring: 20, Window: 70},
		&enginetest.Survey{Slots: 2000, Window: 90},
	} {
		m := rundir.NewMeta(p.Identity(), "")
		t.Run(m.Puzzle, func(t *testing.T) {
			small := kv.Options{CacheBytes: 1 << 20, MemTableBytes: 1 << 20}
			f, err := rundir.Create(t.TempDir(), m, rundir.FolderOptions{Store: small, Ledger: small})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { // after the queue has ended
				if err := f.Close(); err != nil {
					t.Error(err)
				}
			})
			l := start(t, m.Run, 0)
			out, err := engine.Run(
				t.Context(),
				p,
				f,
				engine.Options{Tasks: l.Tasks, Work: l.Work, Concurrency: 3, CacheBytes: 1 << 16},
			)
			if err != nil {
				t.Fatal(err)
			}
			sum, err := p.Summarise(out.Results)
			if err != nil {
				t.Fatal(err)
			}
			got := make(map[string]uint128.Uint128)
			for _, f := range sum.Facts {
				got[f.Name] = f.Value.N
			}
			want := p.(interface {
				Reference() map[string]uint128.Uint128
			}).Reference()
			if !maps.Equal(got, want) {
				t.Fatalf("got %v, want %v", got, want)
			}
			waitPending(t, l, 0)
		})
	}
}

func TestNakAndAckWait(t *testing.T) { synctest.Test(t, testNakAndAckWait) }

func testNakAndAckWait(t *testing.T) {
	const ackWait = time.Second
	l := start(t, "r1", ackWait)
	ctx := t.Context()
	if err := l.Tasks.Submit(ctx, []protocol.Task{task("r1", 1)}); err != nil {
		t.Fatal(err)
	}
	next := func() protocol.Delivery {
		t.Helper()
		d, err := l.Work.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if d.Task().ID != "r1-1" {
			t.Fatalf("got task %s", d.Task().ID)
		}
		return d
	}
	// Given back, it comes again.
	if err := next().Nak(); err != nil {
		t.Fatal(err)
	}
	// Kept without a word, it comes again, but not before its time.
	silent, begun := next(), time.Now()
	busy := next()
	if d := time.Since(begun); d < ackWait || d > 2*ackWait {
		t.Errorf("a task that nobody works on came again after %v, not %v", d, ackWait)
	}
	// Worked on, it does not, however long that takes.
	again := make(chan error, 1)
	waiting, cancel := context.WithCancel(ctx)
	go func() {
		_, err := l.Work.Next(waiting)
		again <- err
	}()
	for range 100 {
		time.Sleep(ackWait / 2)
		busy.Progress()
	}
	cancel()
	if err := <-again; !errors.Is(err, context.Canceled) {
		t.Errorf("a task that is worked on was delivered again: %v", err)
	}
	// The first, late acknowledgement may count for the second; all that matters is that nothing breaks.
	if err := errors.Join(silent.Ack(), busy.Ack()); err != nil {
		t.Fatal(err)
	}
	waitPending(t, l, 0)
}

// waitPending waits until so many tasks are left: an acknowledgement may be on its way.
func waitPending(t testing.TB, l *natsqueue.Local, want int) {
	t.Helper()
	pausetest.Until(t, fmt.Sprintf("never %d tasks left", want), func() bool {
		n, err := l.Tasks.Pending(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return n == want
	})
}

// TestCancelledNextLosesNothing cancels waits at random and sees that every task still arrives.
func TestCancelledNextLosesNothing(t *testing.T) {
	l := start(t, "r1", 300*time.Millisecond)
	const tasks = 200
	var seen sync.Map
	var left atomic.Int64
	left.Store(tasks)
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Millisecond)
				d, err := l.Work.Next(ctx)
				cancel()
				if err != nil {
					continue
				}
				if _, again := seen.LoadOrStore(d.Task().ID, true); !again && left.Add(-1) == 0 {
					close(done)
				}
				_ = d.Ack()
			}
		})
	}
	for i := range tasks {
		if err := l.Tasks.Submit(t.Context(), []protocol.Task{task("r1", i)}); err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
	waitPending(t, l, 0)
}

func TestDuplicateSubmissionCountsOnce(t *testing.T) {
	l := start(t, "r1", 0)
	for range 3 {
		if err := l.Tasks.Submit(t.Context(), []protocol.Task{task("r1", 1)}); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := l.Tasks.Pending(t.Context()); n != 1 || err != nil {
		t.Fatalf("%d tasks pending, %v", n, err)
	}
}

func TestReportIsAnswered(t *testing.T) {
	l := start(t, "r1", 0)
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	var reports atomic.Int64
	go func() {
		served <- l.Tasks.Serve(ctx, func(_ context.Context, r protocol.Report) protocol.Reply {
			reports.Add(1)
			return protocol.Reply{Error: strings.ToUpper(r.Worker), Stop: true}
		})
	}()
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			worker := fmt.Sprintf("w%d", i)
			reply, err := l.Work.Report(ctx, protocol.Report{Run: "r1", Worker: worker})
			if err != nil || reply.Error != strings.ToUpper(worker) || !reply.Stop {
				t.Errorf("worker %s got %+v, %v", worker, reply, err)
			}
		})
	}
	wg.Wait()
	cancel()
	if err := <-served; err != nil {
		t.Fatal(err)
	}
	if reports.Load() < 20 {
		t.Fatalf("%d reports arrived", reports.Load())
	}
}

func TestReportWaitsForCoordinator(t *testing.T) { synctest.Test(t, testReportWaitsForCoordinator) }

func testReportWaitsForCoordinator(t *testing.T) {
	l := start(t, "r1", 0)
	ctx, cancel := context.WithCancel(t.Context())
	answered := make(chan error, 1)
	go func() {
		_, err := l.Work.Report(ctx, protocol.Report{Run: "r1", Worker: "w"})
		answered <- err
	}()
	select {
	case err := <-answered:
		t.Fatalf("answered by nobody: %v", err)
	case <-time.After(time.Hour): // in virtual time
	}
	served := make(chan error, 1)
	go func() {
		served <- l.Tasks.Serve(ctx, func(context.Context, protocol.Report) protocol.Reply { return protocol.Reply{} })
	}()
	if err := <-answered; err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-served; err != nil {
		t.Fatal(err)
	}
}

func TestRunNames(t *testing.T) {
	for _, run := range []string{"", "a.b", "a*", "a>", "a b", "../x", strings.Repeat("a", 65)} {
		l, err := natsqueue.Start(t.Context(), natsqueue.LocalOptions{Run: run, Dir: filepath.Join(t.TempDir(), "q")})
		if err == nil {
			t.Errorf("run %q was accepted, %v", run, l.Close())
		}
	}
}
