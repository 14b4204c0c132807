package main

import (
	"fmt"
	"log/slog"
	"sync"
	"time"

	"pagoda/internal/ops"
	"pagoda/internal/pipeline"
)

// progress adds up what the events of a run say. Events come one at a time, but the display looks at it meanwhile.
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
}

// stateOf is how far the run is that a status is of.
func stateOf(s *pipeline.Status) state {
	st := state{
		layers: len(s.Layers), done: s.Done, windows: s.Windows, addresses: s.Addresses, rows: s.Rows, bytes: s.Bytes,
		newRows: s.NewRows, newAddresses: s.NewAddresses, reused: max(0, s.Done-s.Committed), retries: s.Retries,
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

// events returns callbacks that keep p up to date and log what people should know of.
func (p *progress) events() pipeline.Events {
	locked := func(fn func()) {
		p.mu.Lock()
		defer p.mu.Unlock()
		fn()
	}
	return pipeline.Events{
		Reused: func(e pipeline.Reused) {
			locked(func() { p.reused, p.done, p.rows, p.bytes = e.Windows, e.Windows, e.Rows, e.Bytes })
			p.resumed(e)
		},
		Planned: func(e pipeline.Planned) {
			locked(func() { p.layers, p.windows, p.addresses = e.Layers, e.Windows, e.Addresses })
		},
		Committed: func(e pipeline.Committed) {
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
		LayerDone: func(e pipeline.LayerDone) { locked(func() { p.layer = max(p.layer, e.Layer+1) }) },
		Retry: func(e pipeline.Retry) {
			locked(func() { p.retries++ })
			p.log.Warn("window failed and is tried again", ops.LayerKey, e.Window.Layer, ops.WindowKey, e.Window.String(),
				ops.AttemptKey, e.Attempt, ops.WorkerKey, e.Worker, ops.ErrorKey, e.Err)
		},
		Lost: func(e pipeline.Lost) {
			p.log.Warn("window is gone or damaged and is computed again",
				ops.LayerKey, e.Window.Layer, ops.WindowKey, e.Window.String(), ops.WorkerKey, e.Worker, "cause", e.Cause)
		},
		Quarantined: func(e pipeline.Quarantined) {
			p.log.Error("window failed too often", ops.LayerKey, e.Window.Layer, ops.WindowKey, e.Window.String(),
				"attempts", e.Attempts, ops.ErrorKey, e.Err)
		},
		Resubmitted: func(e pipeline.Resubmitted) {
			p.log.Warn("the queue lost tasks, they were sent again", "tasks", e.Tasks)
		},
		QueueAway: func(e pipeline.QueueAway) {
			if e.Away {
				p.log.Warn("the queue is away, waiting for it", ops.ErrorKey, e.Err)
			} else {
				p.log.Info("the queue is back")
			}
		},
		WorkerJoined: func(e pipeline.WorkerJoined) {
			p.log.Info(
				"worker joined",
				ops.WorkerKey,
				e.Worker,
				"address",
				e.Address,
				"concurrency",
				e.Concurrency,
				"windows_held",
				e.Held,
				"windows_missing",
				e.Missing,
				"windows_again",
				e.Again,
				"windows_spared",
				e.Spared,
			)
		},
		WorkerLost: func(e pipeline.WorkerLost) {
			p.log.Warn("worker lost", ops.WorkerKey, e.Worker, "silent", e.Silent, "windows_lost", e.Windows,
				"windows_again", e.Again)
		},
		GivenUp: func(e pipeline.GivenUp) {
			p.log.Warn("holders on record have not come back", "windows_lost", e.Windows, "windows_again", e.Again)
		},
	}
}

// resumed says what is taken over from earlier and why.
func (p *progress) resumed(e pipeline.Reused) {
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

// eta predicts the time that is left, from the addresses computed so far; ok is false while there is nothing to go by.
func (s *state) eta(elapsed time.Duration) (left time.Duration, ok bool) {
	if s.newAddresses == 0 || s.windows == 0 || s.layers == 0 {
		return 0, false
	}
	// How many addresses the reused windows have is not known here; on the average as many as the others.
	reused := uint64(float64(s.addresses) * float64(s.reused) / float64(s.windows))
	if s.newAddresses+reused >= s.addresses {
		return 0, true
	}
	rest := float64(s.addresses-reused-s.newAddresses) / float64(s.newAddresses)
	return time.Duration(float64(elapsed) * rest), true
}

// rate is rows computed in a second.
func (s *state) rate(elapsed time.Duration) float64 {
	if elapsed <= 0 {
		return 0
	}
	return float64(s.newRows) / elapsed.Seconds()
}
