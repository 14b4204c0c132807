package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/pause/pausetest"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/rundir"
	"pagoda/internal/run/verify"
)

// TestTakeover starts a second coordinator of the same run from a copy of the ledger while the first lives: the first
// commits nothing more, and the workers follow the second.
func TestTakeover(t *testing.T) { synctest.Test(t, testTakeover) }

func testTakeover(t *testing.T) {
	p := &enginetest.Pascal{Depth: 7, Slots: 101, Window: 30}
	gate := gated(p, 4)
	old := newCluster(t, gate, 1, enginetest.Faults{})
	var coord atomic.Pointer[coordinator.Coordinator]
	old.began = func(c *coordinator.Coordinator) { coord.Store(c) }
	old.begin()
	old.worker("a", 2)
	old.worker("b", 1)
	<-gate.reached
	first := coord.Load()
	before := old.f

	// Another machine, with a copy of the folder.
	next := newCluster(t, gate, 1, enginetest.Faults{})
	next.queue = old.queue
	next.opts.MinEpoch = first.Announcement().Epoch
	next.seed = entriesOf(t, before.Ledger)
	next.began = func(c *coordinator.Coordinator) { coord.Store(c) }
	next.begin()
	pausetest.Until(t, "no second coordinator", func() bool { return coord.Load() != first })
	second := coord.Load()
	if second.Announcement().Epoch <= first.Announcement().Epoch {
		t.Fatal("the second coordinator's epoch is not greater")
	}
	second.Heard(t.Context(), first.Announcement()) // which does nothing to it
	first.Heard(t.Context(), second.Announcement())
	old.successor.Store(next)
	if err := old.lastError(); !errors.Is(err, coordinator.ErrFenced) {
		t.Fatalf("the first coordinator ended with %v", err)
	}
	had := entries(t, before.Ledger)
	gate.open()
	if err := next.end(); err != nil {
		t.Fatal(err)
	}
	if got := entries(t, before.Ledger); !slices.Equal(got, had) {
		t.Fatal("the first coordinator has committed something after it was fenced")
	}
	closeFolder(t, before)
	next.p = p
	next.check()
}

// entriesOf copies a ledger.
func entriesOf(t testing.TB, l *kv.Ledger) (out []kv.Entry) {
	t.Helper()
	if err := l.Load(func(e kv.Entry) error { out = append(out, e); return nil }); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestAskingIsProgress counts what a computation that neither reads nor writes tells its queue.
func TestAskingIsProgress(t *testing.T) { synctest.Test(t, testAskingIsProgress) }

func testAskingIsProgress(t *testing.T) {
	p := wrap(&enginetest.Survey{Slots: 10})
	q := &progressQueue{Queue: faultless()}
	p.before = func(ctx context.Context, _ puzzle.Window, _ int) error {
		before := q.progress.Load()
		for range 100 {
			if err := puzzle.Progress(ctx); err != nil {
				return err
			}
		}
		if n := q.progress.Load() - before; n < 100 {
			return fmt.Errorf("%d signs of progress", n)
		}
		return nil
	}
	f := create(t, p, t.TempDir())
	defer closeFolder(t, f)
	if _, err := engine.Run(t.Context(), p, f, engine.Options{Tasks: q, Work: q}); err != nil {
		t.Fatal(err)
	}
}

type progressQueue struct {
	*enginetest.Queue
	progress atomic.Int64
}

func (q *progressQueue) Next(ctx context.Context) (protocol.Delivery, error) {
	d, err := q.Queue.Next(ctx)
	return &progressing{d, q}, err
}

type progressing struct {
	protocol.Delivery
	q *progressQueue
}

func (d *progressing) Progress() { d.q.progress.Add(1) }

// TestReplicas keeps every window twice, so that a disk that is lost costs no computation.
func TestReplicas(t *testing.T) { synctest.Test(t, testReplicas) }

func testReplicas(t *testing.T) {
	w := wrap(&enginetest.Pascal{Depth: 6, Slots: 101, Window: 40})
	y := newCluster(t, w, 1, enginetest.Faults{})
	y.opts.Fleet.Replication = 2
	y.allJoin(w, 3)
	y.begin()
	for _, n := range []string{"a", "b", "c"} {
		y.worker(n, 1)
	}
	if err := y.end(); err != nil {
		t.Fatal(err)
	}
	for _, e := range ledgerOf(t, y) {
		if e.Record.Rows > 0 && len(e.Holders) != 2 {
			t.Errorf("window %s is held by %v", e.Record.Window, e.Holders)
		}
	}
	if y.counts.copied == 0 {
		t.Error("nothing was copied")
	}
}

func ledgerOf(t *testing.T, y *cluster) []kv.Entry {
	f, err := rundir.Open(y.dir, readOnly(y.dir))
	if err != nil {
		t.Fatal(err)
	}
	defer closeFolder(t, f)
	return entriesOf(t, f.Ledger)
}

// TestWorkerLeaves ends a worker as SIGTERM does, in the middle of its work. It reports computed windows, other workers
// get the begun ones, and its windows are there when it comes back.
func TestWorkerLeaves(t *testing.T) { synctest.Test(t, testWorkerLeaves) }

func testWorkerLeaves(t *testing.T) {
	p := &enginetest.Pascal{Depth: 6, Slots: 101, Window: 40}
	gate := gated(p, 4)
	y := newCluster(t, gate, 1, enginetest.Faults{})
	y.opts.Events.Lost = func(e coordinator.Lost) { t.Errorf("lost %+v", e) }
	var held atomic.Int64
	y.opts.Events.WorkerJoined = func(e coordinator.WorkerJoined) {
		if e.Worker == "a" {
			held.Store(int64(e.Held))
		}
	}
	y.begin()
	y.worker("a", 2)
	<-gate.reached
	if err := y.leave("a"); err != nil {
		t.Fatalf("the worker left with %v", err)
	}
	gate.open()
	y.worker("b", 1)
	y.worker("a", 2)
	if err := y.end(); err != nil {
		t.Fatal(err)
	}
	if held.Load() == 0 {
		t.Error("it came back without its windows")
	}
	y.p = p
	y.check()
}

// TestVerifyKnowsItsOwnRows: verify does not look in the folder of the run for rows of a worker in another process,
// whatever its name.
func TestVerifyKnowsItsOwnRows(t *testing.T) { synctest.Test(t, testVerifyKnowsItsOwnRows) }

func testVerifyKnowsItsOwnRows(t *testing.T) {
	p := &enginetest.Pascal{Depth: 5, Slots: 101, Window: 40}
	y := newCluster(t, p, 1, enginetest.Faults{})
	y.begin()
	y.worker("local", 1)
	if err := y.lastError(); err != nil {
		t.Fatal(err)
	}
	defer closeFolder(t, y.f)
	v, err := verify.Run(t.Context(), p, y.f, verify.Options{Repair: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Findings) > 0 || v.Repaired > 0 || !v.Complete || v.Absent != v.Windows {
		t.Fatalf("%d findings, %d repaired, %d of %d windows absent", len(v.Findings), v.Repaired, v.Absent, v.Windows)
	}
}
