package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/pause"
	"pagoda/internal/run/pause/pausetest"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/rundir"
	"pagoda/internal/run/status"
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

// heldCluster returns a coordinator of a run that waits at a gate, with one worker of its own.
func heldCluster(t *testing.T, change ...func(*cluster)) (*cluster, *coordinator.Coordinator, *gate) {
	gate := gated(&enginetest.Pascal{Depth: 5, Slots: 101, Window: 40}, 3)
	y := newCluster(t, gate, 1, enginetest.Faults{})
	y.impatient() // with strangers who never say that they leave
	var coord atomic.Pointer[coordinator.Coordinator]
	y.began = func(c *coordinator.Coordinator) { coord.Store(c) }
	for _, fn := range change {
		fn(y)
	}
	y.begin()
	y.worker("a", 1)
	<-gate.reached
	return y, coord.Load(), gate
}

// TestUnknownWorkersRejected sends heartbeats, joins and reports that a coordinator must refuse.
func TestUnknownWorkersRejected(t *testing.T) { synctest.Test(t, testUnknownWorkersRejected) }

func testUnknownWorkersRejected(t *testing.T) {
	y, c, gate := heldCluster(t)
	ctx, epoch := t.Context(), c.Announcement().Epoch
	beat := protocol.Heartbeat{Run: y.run, Worker: "x", Incarnation: "i", Epoch: epoch}
	if r := c.Heartbeat(ctx, beat); !r.Rejoin || r.Stop {
		t.Errorf("a worker that never joined: %+v", r)
	}
	other := beat
	other.Run = "another"
	if r := c.Heartbeat(ctx, other); r.Error == "" || r.Stop || r.Rejoin {
		t.Errorf("a worker of another run: %+v", r)
	}
	join := protocol.Join{
		Version: protocol.Version, Run: y.run, Worker: "x", Incarnation: "i", Concurrency: 1, Address: "x:1", Page: 1,
	}
	if w := c.Join(ctx, join); w.Error == "" || w.Stop {
		t.Errorf("page 1 without page 0: %+v", w)
	}
	join.Run = "another"
	if w := c.Join(ctx, join); w.Error == "" || w.Stop {
		t.Errorf("a join of another run: %+v", w)
	}
	join.Run, join.Page, join.More, join.Version = y.run, 0, true, protocol.Version+1
	if w := c.Join(ctx, join); !strings.Contains(w.Error, protocol.ErrVersion.Error()) || w.Stop {
		t.Errorf("a join of another version: %+v", w)
	}
	join.Version = protocol.Version
	if w := c.Join(ctx, join); w.Error != "" || w.Epoch != epoch {
		t.Errorf("a proper join: %+v", w)
	}
	join.Page = 2
	if w := c.Join(ctx, join); w.Error == "" {
		t.Errorf("page 2 after page 0: %+v", w)
	}
	if _, err := c.Locate(ctx, puzzle.Cell{Layer: 4, Key: "k0"}); err == nil {
		t.Error("parents are told that are not committed")
	}

	// A late report of an older epoch, with a result that must not reach the ledger.
	rec, ok, err := y.workers["a"].store.Record(puzzle.WindowID{Cell: puzzle.Cell{Layer: 0, Key: "k0"}})
	if err != nil || !ok {
		t.Fatalf("%t, %v", ok, err)
	}
	rec.Digest[0] ^= 1
	for what, r := range map[string]protocol.Report{
		"older epoch":    {Run: y.run, Worker: "a", Epoch: epoch - 1},
		"never joined":   {Run: y.run, Worker: "z", Incarnation: "i", Epoch: epoch},
		"another's name": {Run: y.run, Worker: "a", Incarnation: "i", Epoch: epoch},
	} {
		r.Done = []protocol.Done{{Record: rec, Nanos: 1}}
		if reply, err := y.queue.Report(ctx, r); err != nil || !reply.Rejoin || reply.Stop {
			t.Errorf("%s: %+v, %v", what, reply, err)
		}
	}
	if e, _, err := y.f.Ledger.Entry(rec.ID()); err != nil || e.Record.Digest == rec.Digest {
		t.Errorf("the ledger has it, or cannot be read: %v", err)
	}
	gate.open()
	if err := y.end(); err != nil {
		t.Fatal(err)
	}
}

// TestEpochsOfWorkers has workers name epochs that no coordinator has begun, the next and the last that a message may
// have: they are told to join again, and the run goes on. Only another coordinator's announcement ends it.
func TestEpochsOfWorkers(t *testing.T) {
	y, c, gate := heldCluster(t)
	ctx := t.Context()
	for _, epoch := range []uint64{c.Announcement().Epoch + 1, protocol.MaxEpoch} {
		beat := protocol.Heartbeat{Run: y.run, Worker: "x", Incarnation: "i", Epoch: epoch}
		if r := c.Heartbeat(ctx, beat); !r.Rejoin || r.Stop {
			t.Errorf("a heartbeat of epoch %d: %+v", epoch, r)
		}
		join := protocol.Join{
			Version: protocol.Version, Run: y.run, Worker: "x", Incarnation: "i", Concurrency: 1, Epoch: epoch, More: true,
		}
		if r := c.Join(ctx, join); r.Stop || r.Epoch != c.Announcement().Epoch {
			t.Errorf("a join of epoch %d: %+v", epoch, r)
		}
		reply, err := y.queue.Report(ctx, protocol.Report{Run: y.run, Worker: "x", Incarnation: "i", Epoch: epoch})
		if err != nil || !reply.Rejoin || reply.Stop {
			t.Errorf("a report of epoch %d: %+v, %v", epoch, reply, err)
		}
	}
	later := protocol.Heartbeat{Run: y.run, Worker: "x", Incarnation: "i", Epoch: 1 << 63}
	if b, err := later.Encode(); err != nil {
		t.Error(err)
	} else if _, err := protocol.DecodeHeartbeat(b); !errors.Is(err, protocol.ErrMessage) {
		t.Errorf("a heartbeat of epoch 2^63 is decoded: %v", err)
	}
	gate.open()
	if err := y.end(); err != nil {
		t.Fatal(err)
	}
}

// entriesOf copies a ledger.
func entriesOf(t testing.TB, l *kv.Ledger) (out []kv.Entry) {
	t.Helper()
	if err := l.Load(func(e kv.Entry) error { out = append(out, e); return nil }); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestForeignCell computes from a cell that the plan does not name as a parent.
func TestForeignCell(t *testing.T) { synctest.Test(t, testForeignCell) }

func testForeignCell(t *testing.T) {
	p := wrap(&enginetest.Pascal{Depth: 6, Slots: 101, Window: 40})
	foreign := puzzle.Cell{Layer: 0, Key: "k0"}
	p.source = func(w puzzle.Window, in puzzle.Source) error {
		if w.Layer < 4 {
			return nil
		}
		_, err := in.Windows(foreign)
		if w.Part == 1 {
			return errors.New("something went wrong") // a computation that hides the cause
		}
		return err
	}
	f := create(t, p, t.TempDir())
	defer closeFolder(t, f)
	q := faultless()
	_, err := engine.Run(t.Context(), p, f, engine.Options{Tasks: q, Work: q, Retention: plan.RetainLast})
	if !errors.Is(err, puzzle.ErrForeign) || !strings.Contains(err.Error(), "cell 0/k0") ||
		!strings.Contains(err.Error(), "cell 4/") {
		t.Fatalf("got %v", err)
	}
	if n := p.computed(puzzle.WindowID{Cell: puzzle.Cell{Layer: 4, Key: "k0"}}); n > 1 {
		t.Fatalf("computed %d times", n)
	}
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

// TestQuarantineGoesOn has two windows fail for good, on three different workers and the coordinator: everything that
// does not need them is computed, and the status names them.
func TestQuarantineGoesOn(t *testing.T) { synctest.Test(t, testQuarantineGoesOn) }

func testQuarantineGoesOn(t *testing.T) {
	p := wrap(&enginetest.Pascal{Depth: 6, Slots: 101, Window: 40})
	bad := []puzzle.WindowID{
		{Cell: puzzle.Cell{Layer: 2, Key: "k0"}, Part: 1}, {Cell: puzzle.Cell{Layer: 3, Key: "k3"}, Part: 0},
	}
	p.before = func(ctx context.Context, w puzzle.Window, _ int) error {
		if slices.Contains(bad, w.ID()) {
			return errors.New("oops")
		}
		return ctx.Err()
	}
	y := newCluster(t, p, 1, enginetest.Faults{})
	disks.Store(y.dir, vfs.Default)
	var mu sync.Mutex
	tried := make(map[puzzle.WindowID][]string)
	note := func(id puzzle.WindowID, err error) {
		mu.Lock()
		defer mu.Unlock()
		var w *coordinator.WindowError
		if errors.As(err, &w) {
			tried[id] = append(tried[id], w.Worker)
		}
	}
	y.opts.Events.Retry = func(r coordinator.Retry) { note(r.Window, r.Err) }
	y.opts.Events.Quarantined = func(q coordinator.Quarantined) { note(q.Window, q.Err) }
	joined := make(chan struct{}, 9)
	y.opts.Events.WorkerJoined = func(coordinator.WorkerJoined) { joined <- struct{}{} }
	hold := p.before
	all := make(chan struct{})
	p.before = func(ctx context.Context, w puzzle.Window, n int) error {
		<-all
		return hold(ctx, w, n)
	}
	y.begin()
	for _, n := range []string{"a", "b", "c"} {
		y.worker(n, 1)
		<-joined
	}
	close(all)
	err := y.end()
	var q *coordinator.QuarantineError
	if !errors.As(err, &q) || len(q.Windows) != 2 || !strings.Contains(err.Error(), "oops") ||
		strings.Contains(err.Error(), "\n") {
		t.Fatalf("got %v", err)
	}
	for _, id := range bad {
		if !strings.Contains(err.Error(), id.String()) {
			t.Errorf("%v does not name window %s", err, id)
		}
		workers := tried[id]
		if len(workers) != 4 || len(slices.Compact(slices.Sorted(slices.Values(workers)))) != 4 {
			t.Errorf("window %s was tried by %v", id, workers)
		}
	}
	s, err := rundir.ReadStatus(y.dir, y.p)
	if err != nil || len(s.Quarantined) != 2 || s.State != status.StateFailed {
		t.Errorf("the status is %+v, %v", s, err)
	}
	// Everything but their descendants: a cell is left out when one of its ancestors is.
	res, err := openResults(t, y)
	if err != nil {
		t.Fatal(err)
	}
	blocked := map[puzzle.Cell]bool{bad[0].Cell: true, bad[1].Cell: true}
	for n := range res.Layers() {
		for _, c := range res.Cells(n) {
			below := slices.ContainsFunc(c.Parents, func(p puzzle.Cell) bool { return blocked[p] })
			_, ok := res.Cell(c.Cell)
			blocked[c.Cell] = blocked[c.Cell] || below
			if ok == blocked[c.Cell] {
				t.Errorf("cell %v: computed %t", c.Cell, ok)
			}
		}
	}
	// With the cause gone the same command goes on.
	p.before = nil
	y.begin()
	for _, n := range []string{"a", "b", "c"} {
		y.kill(n)
		y.worker(n, 1)
	}
	if err := y.end(); err != nil {
		t.Fatal(err)
	}
	y.p = p.Puzzle
	y.check()
}

// openResults returns the results in the ledger of a cluster.
func openResults(t *testing.T, y *cluster) (*plan.Plan, error) {
	f, err := rundir.Open(y.dir, readOnly(y.dir))
	if err != nil {
		return nil, err
	}
	defer closeFolder(t, f)
	return rundir.Load(y.p, f)
}

// TestAudit has all windows computed twice, and finds the worker that lies.
func TestAudit(t *testing.T) {
	p := &enginetest.Pascal{Depth: 5, Slots: 101, Window: 40}
	t.Run("honest", bubble(func(t *testing.T) {
		w := wrap(p)
		y := newCluster(t, w, 1, enginetest.Faults{Repeat: 0.1, LoseReply: 0.1})
		y.opts.AuditFraction = 1
		y.begin()
		y.worker("a", 1)
		y.worker("b", 1)
		if err := y.end(); err != nil {
			t.Fatal(err)
		}
		y.kill("a") // a task that was delivered twice may still be computed
		y.kill("b")
		for id := range w.counts {
			if w.counts[id] < 2 {
				t.Errorf("window %s was computed %d times", id, w.counts[id])
			}
		}
		y.p = p
		y.check()
	}))
	t.Run("alone", bubble(func(t *testing.T) {
		w := wrap(p)
		dir := t.TempDir()
		run(t, w, dir, faultless(), engine.Options{AuditFraction: 0.5, Retention: plan.RetainLast})
		twice := 0
		for id := range w.counts {
			if w.counts[id] == 2 {
				twice++
			}
		}
		if n := len(w.counts); twice < n/5 || twice > 4*n/5 {
			t.Errorf("%d of %d windows were computed twice", twice, n)
		}
	}))
	t.Run("liar", bubble(func(t *testing.T) {
		p := &enginetest.Survey{Slots: 3000, Window: 100}
		victim := puzzle.WindowID{Cell: puzzle.Cell{Layer: 0, Key: "all"}, Part: 7}
		var liar atomic.Pointer[string]
		y := newCluster(t, p, 1, enginetest.Faults{})
		y.opts.AuditFraction = 1
		y.puzzles = map[string]puzzle.Puzzle{}
		joined, both := make(chan struct{}, 9), make(chan struct{})
		y.opts.Events.WorkerJoined = func(coordinator.WorkerJoined) { joined <- struct{}{} }
		var refused []kv.Refusal
		y.opts.Events.Refused = func(e coordinator.Refused) { refused = append(refused, e.Workers...) }
		for _, n := range []string{"a", "b"} {
			w := wrap(p)
			w.rows = func(win puzzle.Window, _ int, b *puzzle.Block) {
				if win.ID() == victim && liar.CompareAndSwap(nil, &n) {
					b.Columns[0][0]++
				}
			}
			w.before = func(ctx context.Context, _ puzzle.Window, _ int) error {
				select {
				case <-ctx.Done():
				case <-both:
				}
				return ctx.Err()
			}
			y.puzzles[n] = w
		}
		y.begin()
		y.worker("a", 1)
		y.worker("b", 1)
		<-joined
		<-joined
		close(both)
		if err := y.end(); err != nil {
			t.Fatal(err)
		}
		if len(refused) != 1 || refused[0].Worker != *liar.Load() || refused[0].Window != victim.String() {
			t.Errorf("worker %s lied about window %s, and %+v is refused", *liar.Load(), victim, refused)
		}
		y.p = p
		y.check()
	}))
}

// TestAuditsAreMadeUp ends a coordinator when everything is committed and no audit has come to an end. The next one has
// the audits done that the first has left, and no others, though it is to audit nothing itself.
func TestAuditsAreMadeUp(t *testing.T) {
	p := &enginetest.Pascal{Depth: 5, Slots: 101, Window: 40}
	for _, alone := range []bool{false, true} {
		t.Run(map[bool]string{false: "fleet", true: "alone"}[alone], bubble(func(t *testing.T) {
			w := wrap(p)
			var later atomic.Bool
			w.before = func(_ context.Context, _ puzzle.Window, n int) error {
				if n > 1 && !later.Load() {
					return errors.New("not now")
				}
				return nil
			}
			var mu sync.Mutex
			done := make(map[puzzle.WindowID]int) // computations that came to an end
			w.after = func(win puzzle.Window, _ int, _ *puzzle.Tally) {
				mu.Lock()
				defer mu.Unlock()
				done[win.ID()]++
			}
			y := newCluster(t, w, 1, enginetest.Faults{Repeat: 0.1, LoseReply: 0.1})
			y.opts.Retention = plan.RetainLast
			lead := func(audit float64) error {
				if alone {
					f := create(t, w, y.dir)
					defer closeFolder(t, f)
					q := faultless()
					_, err := engine.Run(
						t.Context(),
						w,
						f,
						engine.Options{Tasks: q, Work: q, AuditFraction: audit, Retention: plan.RetainLast},
					)
					return err
				}
				y.opts.AuditFraction = audit
				y.begin()
				y.worker("a", 1)
				y.worker("b", 1)
				err := y.end()
				y.kill("a")
				y.kill("b")
				return err
			}
			var left *coordinator.QuarantineError
			if err := lead(0.5); !errors.As(err, &left) {
				t.Fatal(err)
			}
			due := auditsDue(t, y.dir)
			if n, all := len(due), len(done); n < all/5 || n > 4*all/5 {
				t.Fatalf("%d of %d windows are to be audited", n, all)
			}
			later.Store(true)
			if err := lead(0); err != nil {
				t.Fatal(err)
			}
			if left := auditsDue(t, y.dir); len(left) > 0 {
				t.Errorf("%d audits are left", len(left))
			}
			for id, n := range done {
				if audit := slices.Contains(due, id); audit != (n > 1) || alone && n > 2 {
					t.Errorf("window %s, to be audited: %t, was computed %d times", id, audit, n)
				}
			}
			if n := len(done); n != len(ledgerOf(t, y)) {
				t.Errorf("%d windows were computed", n)
			}
		}))
	}
}

func auditsDue(t *testing.T, dir string) []puzzle.WindowID {
	t.Helper()
	f, err := rundir.Open(dir, readOnly(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer closeFolder(t, f)
	due, err := f.Ledger.AuditsDue()
	if err != nil {
		t.Fatal(err)
	}
	return due
}

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

// TestDropsReachWorkers checks that rows which no window needs leave the disks.
func TestDropsReachWorkers(t *testing.T) { synctest.Test(t, testDropsReachWorkers) }

func testDropsReachWorkers(t *testing.T) {
	p := &enginetest.Pascal{Depth: 8, Slots: 101, Window: 20}
	y := newCluster(t, p, 1, enginetest.Faults{})
	y.opts.Retention = plan.RetainLast
	y.begin()
	y.worker("a", 1)
	y.worker("b", 1)
	if err := y.end(); err != nil {
		t.Fatal(err)
	}
	for _, e := range ledgerOf(t, y) {
		if (e.Record.Layer == p.Depth) != (len(e.Holders) > 0) {
			t.Errorf("window %s is held by %v", e.Record.Window, e.Holders)
		}
	}
	y.p = p
	y.check()
}

// TestFullDisk fills the disk of one worker of two: it ends with an error, and the run does without it.
func TestFullDisk(t *testing.T) { synctest.Test(t, testFullDisk) }

func testFullDisk(t *testing.T) {
	p := wrap(&enginetest.Pascal{Depth: 6, Slots: 101, Window: 40})
	p.before = func(ctx context.Context, _ puzzle.Window, _ int) error {
		return pause.For(ctx, time.Millisecond)
	}
	y := newCluster(t, p, 1, enginetest.Faults{})
	full := wrap(p.Puzzle)
	full.before = func(_ context.Context, w puzzle.Window, _ int) error {
		if w.Layer > 2 {
			return fmt.Errorf("write: %w", kv.ErrDiskFull)
		}
		return nil
	}
	y.puzzles = map[string]puzzle.Puzzle{"b": full}
	y.begin()
	b := y.worker("b", 1)
	if err := <-b.done; !errors.Is(err, kv.ErrDiskFull) {
		t.Fatalf("the worker with the full disk ended with %v", err)
	}
	b.done <- nil
	y.worker("a", 1)
	if err := y.end(); err != nil {
		t.Fatal(err)
	}
	y.p = p.Puzzle
	y.check()
}

// TestFinishedRunNeedsNobody starts a coordinator of a run that is complete.
func TestFinishedRunNeedsNobody(t *testing.T) { synctest.Test(t, testFinishedRunNeedsNobody) }

func testFinishedRunNeedsNobody(t *testing.T) {
	p := &enginetest.Pascal{Depth: 4, Slots: 101, Window: 40}
	y := newCluster(t, p, 1, enginetest.Faults{})
	y.begin()
	y.worker("a", 1)
	if err := y.end(); err != nil {
		t.Fatal(err)
	}
	y.kill("a")
	y.begin()
	if err := y.end(); err != nil || !y.out.Results.Complete() {
		t.Fatal(err)
	}
}

// TestLocalityMovesLess counts the bytes that workers fetch with and without it.
func TestLocalityMovesLess(t *testing.T) { synctest.Test(t, testLocalityMovesLess) }

func testLocalityMovesLess(t *testing.T) {
	p := wrap(&enginetest.Pascal{Depth: 14, Slots: 40_001, Window: 0})
	p.before = func(ctx context.Context, _ puzzle.Window, _ int) error {
		return pause.For(ctx, 200*time.Microsecond)
	}
	moved := make(map[bool]uint64)
	for _, local := range []bool{false, true} {
		y := newCluster(t, p, 1, enginetest.Faults{})
		y.opts.Fleet.Locality = local
		var sum uint64
		y.opts.Events.Committed = func(c coordinator.Committed) { sum += c.Moved }
		y.allJoin(p, 4)
		y.begin()
		for _, n := range []string{"a", "b", "c", "d"} {
			y.worker(n, 1)
		}
		if err := y.end(); err != nil {
			t.Fatal(err)
		}
		moved[local] = sum
	}
	t.Logf("%d bytes moved without locality, %d with", moved[false], moved[true])
	if moved[false] == 0 || moved[true] >= moved[false] {
		t.Fatalf("%d bytes moved without locality, %d with", moved[false], moved[true])
	}
}

// TestQueueThatIsAway has a queue that can for some time neither take tasks nor count them. No worker is declared lost
// meanwhile, and the run goes on afterwards.
func TestQueueThatIsAway(t *testing.T) { synctest.Test(t, testQueueThatIsAway) }

func testQueueThatIsAway(t *testing.T) {
	p := &enginetest.Pascal{Depth: 8, Slots: 101, Window: 30}
	y := newCluster(t, p, 1, enginetest.Faults{})
	y.impatient()
	var away, back, lost atomic.Int64
	y.opts.Events.QueueDown = func(e coordinator.QueueDown) {
		if e.Down {
			away.Add(1)
		} else {
			back.Add(1)
		}
	}
	y.opts.Events.WorkerLost = func(coordinator.WorkerLost) { lost.Add(1) }
	committed := 0
	y.opts.Events.Committed = func(coordinator.Committed) {
		if committed++; committed == 20 {
			y.queue.SetAway(true)
			y.isolated.Store(true)
		}
	}
	y.begin()
	y.worker("a", 2)
	pausetest.Until(t, "the queue was never away", func() bool { return away.Load() > 0 })
	time.Sleep(2 * y.opts.Fleet.WorkerTimeout) // in virtual time
	if n := lost.Load(); n > 0 {
		t.Errorf("%d workers were declared lost", n)
	}
	y.queue.SetAway(false)
	y.isolated.Store(false)
	if err := y.end(); err != nil {
		t.Fatal(err)
	}
	if back.Load() == 0 {
		t.Error("it never came back")
	}
	y.check()
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
