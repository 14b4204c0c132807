package engine_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"pagoda/internal/puzzle"
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

// TestFlowsMustAgree changes what one end of an edge counts. It stays found, and a repair makes the next run compute
// both ends again.
func TestFlowsMustAgree(t *testing.T) { synctest.Test(t, testFlowsMustAgree) }

func testFlowsMustAgree(t *testing.T) {
	p := wrap(&enginetest.Pascal{Depth: 5, Slots: 101, Window: 40})
	p.after = func(w puzzle.Window, _ int, t *puzzle.Tally) {
		if w.ID() == victim {
			t.Out[0].Amount.Lo++
		}
	}
	f := create(t, p, t.TempDir())
	defer closeFolder(t, f)
	q := faultless()
	for range 2 {
		_, err := engine.Run(t.Context(), p, f, engine.Options{Tasks: q, Work: q, Concurrency: 2})
		var flow *plan.FlowError
		if !errors.As(err, &flow) || flow.In == flow.Out || flow.Parent != victim.Cell {
			t.Fatalf("got %v", err)
		}
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
