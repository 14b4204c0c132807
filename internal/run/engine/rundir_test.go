package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/pause/pausetest"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/rundir"
	"pagoda/internal/run/status"
	"pagoda/internal/run/verify"
)

func TestStatus(t *testing.T) { synctest.Test(t, testStatus) }

func testStatus(t *testing.T) {
	p := wrap(&enginetest.Pascal{Depth: 4, Slots: 101, Window: 30})
	dir := t.TempDir()
	f, err := rundir.Create(dir, rundir.NewMeta(p.Identity(), ""), rundir.FolderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	read := func() status.Status {
		t.Helper()
		s, err := rundir.ReadStatus(dir, p)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := json.Marshal(s); err != nil || !json.Valid(b) {
			t.Fatal(err)
		}
		return s
	}
	if s := read(); s.State != status.StateRunning || s.Run != f.Meta.Run {
		t.Fatalf("just begun: %+v", s)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p.before = func(ctx context.Context, w puzzle.Window, _ int) error {
		if w.Layer < 2 {
			return nil
		}
		if s := read(); s.State != status.StateRunning || s.Concurrency != 2 || s.Started.IsZero() {
			t.Errorf("live: %+v", s)
		}
		cancel()
		return ctx.Err()
	}
	q := faultless()
	if _, err := engine.Run(
		ctx,
		p,
		f,
		engine.Options{Tasks: q, Work: q, Concurrency: 2},
	); !errors.Is(
		err,
		context.Canceled,
	) {
		t.Fatal(err)
	}
	closeFolder(t, f)
	s := read()
	if s.State != status.StateStopped || s.Done == 0 || s.Done >= s.Windows || !s.Planned ||
		len(s.Layers) != 5 || s.Layers[0].Done != 4 {
		t.Fatalf("stopped: %+v", s)
	}

	f, err = rundir.Open(dir, rundir.FolderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p.before = func(context.Context, puzzle.Window, int) error { return errors.New("oops") }
	if _, err := engine.Run(t.Context(), p, f, engine.Options{Tasks: q, Work: q}); err == nil {
		t.Fatal("it went well")
	}
	closeFolder(t, f)
	if s := read(); s.State != status.StateFailed || !strings.Contains(s.Error, "oops") || s.Done == 0 {
		t.Fatalf("failed: %+v", s)
	}

	f, err = rundir.Open(dir, rundir.FolderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p.before = nil
	if _, err := engine.Run(t.Context(), p, f, engine.Options{Tasks: q, Work: q}); err != nil {
		t.Fatal(err)
	}
	closeFolder(t, f)
	if s := read(); s.State != status.StateComplete || s.Done != s.Windows || s.Error != "" || s.Bytes == 0 {
		t.Fatalf("complete: %+v", s)
	}

	// A window that was to be audited when the last coordinator died is.
	f, err = rundir.Open(dir, rundir.FolderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	id := puzzle.WindowID{Cell: puzzle.Cell{Layer: 0, Key: "k0"}}
	if err := f.Ledger.Append(nil, kv.Audit{Window: id}); err != nil {
		t.Fatal(err)
	}
	closeFolder(t, f)
	if s := read(); s.State != status.StateStopped || s.Done != s.Windows || s.AuditsDue != 1 {
		t.Fatalf("an audit is due: %+v", s)
	}
	before := p.computed(id)
	if f, err = rundir.Open(dir, rundir.FolderOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Run(t.Context(), p, f, engine.Options{Tasks: q, Work: q}); err != nil {
		t.Fatal(err)
	}
	closeFolder(t, f)
	if s := read(); s.State != status.StateComplete || s.AuditsDue != 0 || p.computed(id) != before+1 {
		t.Fatalf("audited: %d computations more, %+v", p.computed(id)-before, s)
	}
	if _, err := rundir.ReadStatus(t.TempDir(), p); !errors.Is(err, rundir.ErrNoRun) {
		t.Fatalf("no run: %v", err)
	}
}

// TestAnotherPlan: a program that plans less of the same run says so; verifying forgets what does not fit.
func TestAnotherPlan(t *testing.T) { synctest.Test(t, testAnotherPlan) }

func testAnotherPlan(t *testing.T) {
	was := &enginetest.Survey{Slots: 20, Window: 1}
	is := &enginetest.Survey{Slots: 15, Window: 1}
	f, err := rundir.Create(t.TempDir(), rundir.NewMeta(was.Identity(), ""), rundir.FolderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer closeFolder(t, f)
	q := faultless()
	if _, err := engine.Run(t.Context(), was, f, engine.Options{Tasks: q, Work: q}); err != nil {
		t.Fatal(err)
	}
	if _, err := rundir.Load(is, f); !errors.Is(err, plan.ErrPlan) {
		t.Errorf("loaded with another plan: %v", err)
	}
	v, err := verify.Run(t.Context(), is, f, verify.Options{Repair: true})
	if err != nil || len(v.Findings) != 5 {
		t.Errorf("%d findings: %v", len(v.Findings), err)
	}
	plan, err := rundir.Load(is, f)
	if err != nil || !plan.Complete() {
		t.Errorf("not complete: %v", err)
	}
}

// TestStatusKeepsNobodyOut opens a folder again and again while others look at it all the time.
func TestStatusKeepsNobodyOut(t *testing.T) {
	p := &enginetest.Survey{Slots: 2000, Window: 1}
	dir := t.TempDir()
	f, err := rundir.Create(dir, rundir.NewMeta(p.Identity(), ""), rundir.FolderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	q := faultless()
	if _, err := engine.Run(t.Context(), p, f, engine.Options{Tasks: q, Work: q}); err != nil {
		t.Fatal(err)
	}
	closeFolder(t, f)
	var looks atomic.Int64
	over := make(chan struct{})
	var wait sync.WaitGroup
	defer wait.Wait()
	defer close(over)
	for range 2 {
		wait.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
				}
				s, err := rundir.ReadStatus(dir, p)
				if err != nil || s.State != status.StateComplete || s.Done != 2000 {
					t.Errorf("%s, %d windows: %v", s.State, s.Done, err)
					return
				}
				looks.Add(1)
			}
		})
	}
	pausetest.Until(t, "nobody could look", func() bool { return looks.Load() > 0 || t.Failed() })
	for range 10 {
		f, err := rundir.Open(dir, rundir.FolderOptions{})
		if err != nil {
			t.Fatal(err)
		}
		closeFolder(t, f)
	}
}
