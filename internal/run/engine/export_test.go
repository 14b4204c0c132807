package engine_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/status"
)

// TestExport: a run is complete when its export is, not before, and one whose export has failed is resumed.
func TestExport(t *testing.T) { synctest.Test(t, testExport) }

// lengthy takes three seconds of virtual time for a window of the first layer, so that a status comes before the end.
type lengthy struct{ *enginetest.Pascal }

func (p lengthy) Compute(
	ctx context.Context, w puzzle.Window, in puzzle.Source, out puzzle.Sink,
) (puzzle.Tally, error) {
	if w.Layer == 0 {
		time.Sleep(3 * time.Second)
	}
	return p.Pascal.Compute(ctx, w, in, out)
}

func testExport(t *testing.T) {
	p := lengthy{&enginetest.Pascal{Depth: 4, Slots: 101, Window: 40}}
	dir := t.TempDir()
	failure := errors.New("the disk of the exports is full")
	for _, test := range []struct {
		export error
		want   []string // states, each named once
	}{
		{failure, []string{status.StateRunning, status.StateExporting, status.StateFailed}},
		{nil, []string{status.StateExporting, status.StateComplete}},
	} {
		f := create(t, p, dir)
		var states []string
		complete, exported := false, 0
		q := faultless()
		_, err := engine.Run(t.Context(), p, f, engine.Options{
			Tasks: q, Work: q,
			OnStatus: func(s status.Status) {
				if len(states) == 0 || states[len(states)-1] != s.State {
					states = append(states, s.State)
				}
				if s.Unexported != (s.State == status.StateExporting || s.State == status.StateFailed) {
					t.Errorf("%s: unexported %t", s.State, s.Unexported)
				}
			},
			OnComplete: func(*plan.Plan) { complete = true },
			Export: func(_ context.Context, c *coordinator.Coordinator) error {
				exported++
				if complete || !c.Results().Complete() {
					t.Error("the export is not between the last window and the end")
				}
				time.Sleep(10 * time.Second) // of virtual time, in which statuses are written
				return test.export
			},
		})
		if !errors.Is(err, test.export) || complete != (test.export == nil) || exported != 1 {
			t.Errorf("exported %d times, complete %t, %v", exported, complete, err)
		}
		if test.export == nil { // nothing is left to compute, so the first status may come when the export has begun
			states = slices.DeleteFunc(states, func(s string) bool { return s == status.StateRunning })
		}
		if !slices.Equal(states, test.want) {
			t.Errorf("states %q, want %q", states, test.want)
		}
		closeFolder(t, f)
	}
	checkSummary(t, p, dir)
}

// TestExportStopped: to be told to stop in mid-export is no failure.
func TestExportStopped(t *testing.T) {
	p := &enginetest.Pascal{Depth: 4, Slots: 101, Window: 40}
	f := create(t, p, t.TempDir())
	defer closeFolder(t, f)
	ctx, stop := context.WithCancelCause(t.Context())
	told := errors.New("told to stop")
	var last status.Status
	q := faultless()
	_, err := engine.Run(ctx, p, f, engine.Options{
		Tasks: q, Work: q,
		OnStatus:   func(s status.Status) { last = s },
		OnComplete: func(*plan.Plan) { t.Error("it is complete") },
		Export: func(ctx context.Context, _ *coordinator.Coordinator) error {
			stop(told)
			<-ctx.Done()
			return ctx.Err()
		},
	})
	if !errors.Is(err, told) || !last.Unexported {
		t.Errorf("%v, unexported %t", err, last.Unexported)
	}
}
