package engine

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/rundir"
	"pagoda/internal/run/status"
)

// reporter keeps the status file of a live run.
type reporter struct {
	folder      *rundir.Folder
	concurrency int // of the worker of this process
	plan        *plan.Plan
	coord       *coordinator.Coordinator
	start       time.Time
	used        func() status.Used // by this process; nil: not known
	before      int64              // CPUMillis at the start
	counts      counts
	fleet       status.FleetStatus        // as last told: a coordinator that waits for the queue tells nothing
	told        func(status.Status)       // nil is not
	complete    atomic.Bool               // all is done, of a run that lingers
	exporting   atomic.Pointer[time.Time] // since when; nil: it has not begun
}

// write puts the status file in place. Best effort: a failure does not stop the run, the next window will meet the disk
// that is full.
func (r *reporter) write(state string, failure error) {
	s := rundir.PlanStatus(&r.folder.Meta, r.plan)
	s.State, s.Updated = state, time.Now()
	// The difference is how long the run has taken, also when the wall clock was set meanwhile.
	s.Started = s.Updated.Add(-time.Since(r.start))
	if r.used != nil {
		used := r.used()
		used.CPUMillis -= r.before
		s.Used = &used
	}
	exporting := r.exporting.Load()
	switch {
	case r.complete.Load():
		s.State = status.StateComplete
	case exporting != nil:
		s.Unexported = true
		if state == status.StateRunning {
			s.State = status.StateExporting
		}
	}
	if failure != nil {
		s.Error = protocol.Clip(failure.Error())
	}
	r.counts.into(&s)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	if f := r.coord.Status(ctx); ctx.Err() == nil {
		r.fleet = f
	}
	cancel()
	s.FleetStatus = r.fleet
	if s.State == status.StateExporting {
		s.Waiting = &status.Waiting{For: "the export", Since: *exporting}
	}
	if left := r.counts.left(s.Updated, s.Rest); s.State == status.StateRunning && s.Planned {
		s.Left = left
	}
	s.Concurrency = r.concurrency
	for _, w := range s.Workers {
		if w.Name != protocol.OwnWorker {
			s.Concurrency += w.Concurrency
		}
	}
	notify(r.told, s)
	_ = r.folder.WriteStatus(&s)
}

// begin rewrites the status file from now on, until stop is called.
func (r *reporter) begin(plan *plan.Plan, coord *coordinator.Coordinator) (stop func()) {
	r.plan, r.coord = plan, coord
	return r.every(statusEvery)
}

// every rewrites the status file once per interval until stop is called.
func (r *reporter) every(interval time.Duration) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for r.write(status.StateRunning, nil); ; r.write(status.StateRunning, nil) {
			select {
			case <-quit:
				return
			case <-tick.C:
			}
		}
	}()
	return func() { close(quit); <-done }
}

// last writes how the run ended.
func (r *reporter) last(err error) {
	switch {
	case err == nil:
		r.write(status.StateComplete, nil)
	case errors.Is(err, context.Canceled):
		r.write(status.StateStopped, nil)
	default:
		r.write(status.StateFailed, err)
	}
}

// notify calls a callback that may be nil.
func notify[T any](fn func(T), v T) {
	if fn != nil {
		fn(v)
	}
}
