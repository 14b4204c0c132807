package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/verify"
)

var victim = puzzle.WindowID{Cell: puzzle.Cell{Layer: 2, Key: "k1"}, Part: 1}

// failing returns a puzzle whose victim fails in its first n computations.
func failing(n int, fail func(ctx context.Context) error) *wrapped {
	p := wrap(&enginetest.Pascal{Depth: 5, Slots: 101, Window: 40})
	p.before = func(ctx context.Context, w puzzle.Window, i int) error {
		if w.ID() == victim && i <= n {
			return fail(ctx)
		}
		return nil
	}
	return p
}

func TestFailingWindow(t *testing.T) {
	oops := errors.New("oops")
	for _, c := range []struct {
		name     string
		failures int
		fail     func(context.Context) error
		is       error // wrapped by the run's error; nil when the run must succeed
		computed int
		text     string
	}{
		{"twice", 2, func(context.Context) error { return oops }, nil, 3, ""},
		{"always", 99, func(context.Context) error {
			return oops
		}, nil, 3, "failed 3 times, last: window 2/k1/1 on worker coordinator: oops"},
		{"panic", 99, func(context.Context) error { panic("ouch") }, nil, 3, "panic: ouch"},
		{"panic once", 1, func(ctx context.Context) error {
			var p *wrapped
			return p.before(ctx, puzzle.Window{}, 0)
		}, nil, 2, ""},
		{"overflow", 99, func(context.Context) error {
			return fmt.Errorf("window: %w", puzzle.ErrOverflow)
		}, puzzle.ErrOverflow, 1, "2/k1/1"},
		{"disk full", 99, func(context.Context) error {
			return fmt.Errorf("write: %w", syscall.ENOSPC)
		}, kv.ErrDiskFull, 1, "2/k1/1"},
	} {
		t.Run(c.name, bubble(func(t *testing.T) {
			p := failing(c.failures, c.fail)
			f := create(t, p, t.TempDir())
			defer closeFolder(t, f)
			retries, quarantined := 0, 0
			q := faultless()
			out, err := engine.Run(
				t.Context(),
				p,
				f,
				engine.Options{Tasks: q, Work: q, Concurrency: 2, Events: coordinator.Events{
					Retry: func(r coordinator.Retry) {
						if r.Window == victim && r.Attempt == 0 && errors.Is(r.Err, kv.ErrDiskFull) {
							return // that worker ends
						}
						if retries++; r.Window != victim || r.Attempt != retries {
							t.Errorf("retry %+v", r)
						}
					},
					Quarantined: func(coordinator.Quarantined) { quarantined++ },
				}},
			)
			if got := p.computed(victim); got != c.computed {
				t.Errorf("computed %d times, want %d", got, c.computed)
			}
			if c.text == "" {
				if err != nil || !out.Results.Complete() || retries != c.failures {
					t.Fatalf("%v, %d retries", err, retries)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("got %v, want %q", err, c.text)
			}
			if c.is != nil {
				if !errors.Is(err, c.is) {
					t.Fatalf("%v does not wrap %v", err, c.is)
				}
				return
			}
			var q2 *coordinator.QuarantineError
			if !errors.As(err, &q2) || q2.Window != victim || quarantined != 1 {
				t.Fatalf("%v, %d events", err, quarantined)
			}
			// Nothing is lost: with the cause gone, the next run goes on from there.
			p.before = nil
			var reused coordinator.Resumed
			out, err = engine.Run(t.Context(), p, f, engine.Options{Tasks: q, Work: q, Events: coordinator.Events{
				Resumed: func(r coordinator.Resumed) { reused = r },
			}})
			if err != nil || !out.Results.Complete() || reused.Windows == 0 {
				t.Fatalf("%v, %+v", err, reused)
			}
		}))
	}
}

// TestCancelReachesComputations cancels a run whose computation waits for nothing else.
func TestCancelReachesComputations(t *testing.T) { synctest.Test(t, testCancelReachesComputations) }

func testCancelReachesComputations(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := failing(99, func(ctx context.Context) error {
		cancel()
		<-ctx.Done()
		return ctx.Err()
	})
	f := create(t, p, t.TempDir())
	defer closeFolder(t, f)
	q := faultless()
	out, err := engine.Run(ctx, p, f, engine.Options{Tasks: q, Work: q, Concurrency: 2})
	if !errors.Is(err, context.Canceled) || out.Results.Complete() {
		t.Fatalf("got %v", err)
	}
	if n, err := q.Pending(t.Context()); n == 0 || err != nil {
		t.Fatalf("%d tasks went back to the queue, %v", n, err)
	}
}

// TestFlowsMustAgree changes what one end of an edge counts.
func TestFlowsMustAgree(t *testing.T) {
	window := func(w puzzle.WindowID) bool { return w == victim }
	cell := func(w puzzle.WindowID) bool { return w.Cell == victim.Cell }
	for what, c := range map[string]struct {
		where  func(puzzle.WindowID) bool
		change func(*puzzle.Tally)
	}{
		"out":         {window, func(t *puzzle.Tally) { t.Out[0].Amount.Lo++ }},
		"in":          {window, func(t *puzzle.Tally) { t.In[0].Amount.Lo-- }},
		"out missing": {window, func(t *puzzle.Tally) { t.Out = t.Out[1:] }},
		"in missing":  {window, func(t *puzzle.Tally) { t.In = t.In[1:] }},
		"in of a stranger": {window, func(t *puzzle.Tally) {
			_ = t.AddIn(puzzle.Cell{Layer: 0, Key: "k0"}, uint128.From(3))
		}},
		"nothing out of the cell":  {cell, func(t *puzzle.Tally) { t.Out = nil }},
		"nothing into the cell":    {cell, func(t *puzzle.Tally) { t.In = nil }},
		"nothing through the cell": {cell, func(t *puzzle.Tally) { t.In, t.Out = nil, nil }},
	} {
		t.Run(what, bubble(func(t *testing.T) {
			p := wrap(&enginetest.Pascal{Depth: 5, Slots: 101, Window: 40})
			p.after = func(w puzzle.Window, _ int, t *puzzle.Tally) {
				if c.where(w.ID()) {
					c.change(t)
				}
			}
			dir := t.TempDir()
			f := create(t, p, dir)
			defer func() { closeFolder(t, f) }()
			q := faultless()
			_, err := engine.Run(t.Context(), p, f, engine.Options{Tasks: q, Work: q, Concurrency: 2})
			var flow *plan.FlowError
			if !errors.As(err, &flow) || flow.In == flow.Out || (flow.Parent != victim.Cell && flow.Child != victim.Cell) {
				t.Fatalf("got %v", err)
			}
			// It stays found, and a repair makes the next run compute both ends again.
			if _, err := engine.Run(t.Context(), p, f, engine.Options{Tasks: q, Work: q}); !errors.As(err, &flow) {
				t.Fatalf("the second run says %v", err)
			}
			v, err := verify.Run(t.Context(), p, f, verify.Options{Repair: true})
			if err != nil || len(v.Findings) == 0 || v.Findings[0].Kind != verify.FindFlow || v.Repaired == 0 {
				t.Fatalf("%+v, %v", v, err)
			}
			p.after = nil
			if _, err := engine.Run(t.Context(), p, f, engine.Options{Tasks: q, Work: q, Concurrency: 2}); err != nil {
				t.Fatal(err)
			}
			v, err = verify.Run(t.Context(), p, f, verify.Options{})
			if err != nil || len(v.Findings) > 0 || !v.Complete || v.Edges == 0 {
				t.Fatalf("%+v, %v", v, err)
			}
		}))
	}
}

// TestQueueLosesTasks loses a good part of all tasks; the coordinator notices and sends them again.
func TestQueueLosesTasks(t *testing.T) {
	for _, p := range toys(60) {
		t.Run(name(p), bubble(func(t *testing.T) {
			seed, _ := printedSeed(t)
			dir := t.TempDir()
			q := enginetest.NewQueue(seed, enginetest.Faults{Lose: 0.3, Repeat: 0.1, Reorder: 0.3, LoseReply: 0.2})
			resubmitted := 0
			run(t, p, dir, q, engine.Options{
				Concurrency: 3, TaskTime: 1, WatchEvery: 5 * time.Millisecond, Events: coordinator.Events{
					Resubmitted: func(r coordinator.Resubmitted) { resubmitted += r.Tasks },
				},
			})
			checkSummary(t, p, dir)
			if resubmitted == 0 {
				t.Fatal("nothing was lost")
			}
		}))
	}
}

// TestReportsThatAreTooLarge lets the queue carry one window at a time.
func TestReportsThatAreTooLarge(t *testing.T) { synctest.Test(t, testReportsThatAreTooLarge) }

func testReportsThatAreTooLarge(t *testing.T) {
	p := &enginetest.Pascal{Depth: 6, Slots: 101, Window: 20}
	dir := t.TempDir()
	q := faultless()
	q.MaxReport = 1200
	run(t, p, dir, q, engine.Options{Concurrency: 2, TaskTime: time.Second})
	checkSummary(t, p, dir)
	if q.Reports <= q.Submitted {
		t.Fatalf("%d reports of %d tasks", q.Reports, q.Submitted)
	}
	f := create(t, p, t.TempDir())
	defer closeFolder(t, f)
	q.MaxReport = 100
	_, err := engine.Run(t.Context(), p, f, engine.Options{Tasks: q, Work: q})
	if !errors.Is(err, protocol.ErrTooLarge) {
		t.Fatalf("got %v", err)
	}
}

// tampering is a worker's end of a queue that adds a record to the first report for which there is one.
type tampering struct {
	protocol.WorkQueue
	add func() (rec kv.Record, ok bool)
}

func (q *tampering) Report(ctx context.Context, r protocol.Report) (protocol.Reply, error) {
	if rec, ok := q.add(); ok {
		r.Done = append(r.Done, protocol.Done{Record: rec, Nanos: 1})
	}
	return q.WorkQueue.Report(ctx, r)
}

// TestBadReports lets the worker of a live run send reports that its coordinator must not believe.
func TestBadReports(t *testing.T) {
	p := &enginetest.Pascal{Depth: 4, Slots: 101, Window: 0}
	good := puzzle.WindowID{Cell: puzzle.Cell{Layer: 1, Key: "k0"}}
	for what, change := range map[string]func(*kv.Record){
		"another digest": func(r *kv.Record) { r.Digest[3] ^= 1 },
		"another tally":  func(r *kv.Record) { r.Tally.Sums[0].Value.Lo++ },
		"another run":    func(r *kv.Record) { r.Run = "0123456789ab" },
		"another range":  func(r *kv.Record) { r.Addresses++ },
		"another window": func(r *kv.Record) { r.Key = "nowhere" },
		"another part":   func(r *kv.Record) { r.Part = 7 },
	} {
		t.Run(what, bubble(func(t *testing.T) {
			f := create(t, p, t.TempDir())
			defer closeFolder(t, f)
			q := faultless()
			bad := &tampering{WorkQueue: q, add: func() (kv.Record, bool) {
				// Once a child is there the record is in the ledger.
				if _, ok, err := f.Store.Record(puzzle.WindowID{Cell: puzzle.Cell{Layer: 2, Key: "k0"}}); !ok || err != nil {
					return kv.Record{}, false
				}
				rec, ok, err := f.Store.Record(good)
				if err != nil || !ok {
					return kv.Record{}, false
				}
				change(&rec)
				return rec, true
			}}
			_, err := engine.Run(t.Context(), p, f, engine.Options{Tasks: q, Work: bad, Concurrency: 2})
			if err == nil || !strings.Contains(err.Error(), "worker "+protocol.OwnWorker) {
				t.Fatalf("the run ended with %v", err)
			}
			var conflict *kv.ConflictError
			if strings.HasSuffix(what, "digest") != (errors.As(err, &conflict) && conflict.Have.Digest != conflict.Got.Digest) {
				t.Fatalf("the run ended with %v", err)
			}
		}))
	}
}
