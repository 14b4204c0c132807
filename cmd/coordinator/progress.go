package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"pagoda/internal/fleet/ops"
	"pagoda/internal/output/build"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/status"
)

// progress adds up the events of a run. Events come one at a time, but the display looks at it meanwhile.
type progress struct {
	mu sync.Mutex
	state
	begun time.Time
	log   *slog.Logger
}

// state is how far a run is.
type state struct {
	layer, layers  int // layers complete, layers planned so far
	done, windows  int
	addresses      uint64 // planned so far
	rows, bytes    uint64 // in committed windows, reused ones included
	newRows        uint64 // computed by this process
	newAddresses   uint64
	reused         int // windows
	again, retries int
	forecast
}

// stateOf is how far the run is that a status is of.
func stateOf(s *status.Status) state {
	st := state{
		layers: len(s.Layers), done: s.Done, windows: s.Windows, addresses: s.Addresses, rows: s.Rows, bytes: s.Bytes,
		forecast: forecastOf(s),
		newRows:  s.NewRows, newAddresses: s.NewAddresses, reused: max(0, s.Done-s.Committed), retries: s.Retries,
	}
	for _, l := range s.Layers {
		if l.Windows > 0 && l.Done == l.Windows {
			st.layer++
		}
	}
	return st
}

func (p *progress) snapshot() (state, time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state, time.Since(p.begun)
}

// events returns callbacks that keep p up to date and log the events that matter to people.
func (p *progress) events() coordinator.Events {
	locked := func(fn func()) {
		p.mu.Lock()
		defer p.mu.Unlock()
		fn()
	}
	return coordinator.Events{
		Resumed: func(e coordinator.Resumed) {
			locked(func() { p.reused, p.done, p.rows, p.bytes = e.Windows, e.Windows, e.Rows, e.Bytes })
			p.resumed(e)
		},
		Planned: func(e coordinator.Planned) {
			locked(func() { p.layers, p.windows, p.addresses = e.Layers, e.Windows, e.Addresses })
		},
		Committed: func(e coordinator.Committed) {
			locked(func() {
				p.done, p.windows = e.Done, e.Total
				p.newRows += e.Rows
				p.newAddresses += e.Window.Addresses
				if e.Again {
					p.again++
				} else {
					p.rows += e.Rows
					p.bytes += e.Bytes
				}
			})
			p.log.Debug("window committed", ops.LayerKey, e.Window.Layer, ops.WindowKey, e.Window.String(), "rows", e.Rows,
				"bytes", e.Bytes, "took", e.Took, ops.WorkerKey, e.Worker)
		},
		LayerDone: func(e coordinator.LayerDone) { locked(func() { p.layer = max(p.layer, e.Layer+1) }) },
		Retry: func(e coordinator.Retry) {
			locked(func() { p.retries++ })
			p.log.Warn("window failed and is tried again", ops.LayerKey, e.Window.Layer, ops.WindowKey, e.Window.String(),
				ops.AttemptKey, e.Attempt, ops.WorkerKey, e.Worker, ops.ErrorKey, e.Err)
		},
		Lost: func(e coordinator.Lost) {
			p.log.Warn("window is gone or damaged and is computed again",
				ops.LayerKey, e.Window.Layer, ops.WindowKey, e.Window.String(), ops.WorkerKey, e.Worker, "cause", e.Cause)
		},
		Quarantined: func(e coordinator.Quarantined) {
			p.log.Error("window failed too often", ops.LayerKey, e.Window.Layer, ops.WindowKey, e.Window.String(),
				"attempts", e.Attempts, ops.ErrorKey, e.Err)
		},
		Resubmitted: func(e coordinator.Resubmitted) {
			p.log.Warn("the queue lost tasks, they were sent again", "tasks", e.Tasks)
		},
		Refused: func(e coordinator.Refused) {
			for _, r := range e.Workers {
				p.log.Error("worker reported a wrong result and is refused from now on", ops.WorkerKey, r.Worker,
					ops.WindowKey, r.Window, "reason", r.Reason)
			}
			p.log.Warn("wrong results are forgotten, the run begins again without them", "windows_forgotten", e.Forgotten,
				"windows_compared", e.Audits)
		},
		Stalled: func(e coordinator.Stalled) {
			p.log.Warn("worker does not report what it was given, others are given it", ops.WorkerKey, e.Worker,
				"tasks", e.Tasks)
		},
		SetAside: func(e coordinator.SetAside) {
			p.log.Warn("worker has held up the run, it is given only windows that others leave", ops.WorkerKey, e.Worker,
				ops.ErrorKey, e.Err)
		},
		ReportRefused: func(e coordinator.ReportRefused) {
			// Not louder: any client that can report can make as many as it likes.
			p.log.Debug("a part of a report is passed over", ops.WorkerKey, e.Worker, "windows", e.Windows, "reason", e.Reason)
		},
		QueueDown: func(e coordinator.QueueDown) {
			if e.Down {
				p.log.Warn("the queue is away, waiting for it", ops.ErrorKey, e.Err)
			} else {
				p.log.Info("the queue is back")
			}
		},
		Unfit: func(e coordinator.Unfit) {
			p.log.Warn("worker cannot take part", ops.WorkerKey, e.Worker, "program", cmp.Or(e.Program, "unknown"),
				"own_program", build.Read().String(), ops.ErrorKey, e.Reason)
		},
		WorkerJoined: func(e coordinator.WorkerJoined) {
			level := slog.LevelInfo
			if e.Worker == protocol.OwnWorker { // that is no news
				level = slog.LevelDebug
			}
			p.log.Log(context.Background(), level, "worker joined", ops.WorkerKey, e.Worker,
				"program", cmp.Or(e.Program, "unknown"), "address", e.Address, "concurrency", e.Concurrency,
				"windows_held", e.Held, "windows_missing", e.Missing, "windows_again", e.Again, "windows_spared", e.Cancelled)
		},
		WorkerLost: func(e coordinator.WorkerLost) {
			log := p.log.With(ops.WorkerKey, e.Worker, "windows_lost", e.Windows, "windows_again", e.Again)
			switch {
			case e.Left:
				log.Info("worker has left")
			case e.Unserved:
				log.Warn("worker does not serve the windows that it holds, and has to wait until it may join again")
			default:
				log.Warn("worker lost", "silent", e.Silent)
			}
		},
		ArchiveListed: func(e coordinator.ArchiveListed) {
			if e.Err != nil {
				p.log.Warn("the archive cannot be listed; what only it has is computed again", ops.ErrorKey, e.Err)
				return
			}
			p.log.Info("the archive was listed", "windows_held", e.Windows, "windows_spared", e.Spared)
		},
		ArchiveLost: func(e coordinator.ArchiveLost) {
			p.log.Warn("the archive cannot be read", "windows_lost", e.Windows, "windows_again", e.Again)
		},
		RejoinTimedOut: func(e coordinator.RejoinTimedOut) {
			p.log.Warn("windows that nobody has are computed again", "windows_lost", e.Windows, "windows_again", e.Again)
		},
	}
}

// resumed logs how many windows are taken over from earlier, and why.
func (p *progress) resumed(e coordinator.Resumed) {
	if e.Windows == 0 {
		return
	}
	why := "same run and same parameters, committed before with rows on disk"
	if e.Absent > 0 {
		why = fmt.Sprintf("same run and same parameters, committed before; rows of %d windows are not on disk, "+
			"%d of them are needed and computed again", e.Absent, e.Again)
	}
	p.log.Info("resuming", "windows_reused", e.Windows, "rows", e.Rows, "bytes", e.Bytes, "windows_left", e.Left,
		"why", why)
}

// took takes over the figures that only a status has.
func (p *progress) took(s *status.Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forecast = forecastOf(s)
}

// forecast is the part of a status about the future, by the status's own clock.
type forecast struct {
	left    *status.Left // nil: it is not known
	ending  bool         // no window is left
	waiting string       // its reason, "" for none
	waited  time.Duration
	redone  int // committed windows left to be computed again
}

func forecastOf(s *status.Status) forecast {
	f := forecast{left: s.Left, ending: s.Ending(), redone: s.Again}
	if s.Waiting != nil {
		f.waiting, f.waited = s.Waiting.For, s.Updated.Sub(s.Waiting.Since)
	}
	return f
}

// rate is rows computed in a second.
func (s *state) rate(elapsed time.Duration) float64 {
	if elapsed <= 0 {
		return 0
	}
	return float64(s.newRows) / elapsed.Seconds()
}
