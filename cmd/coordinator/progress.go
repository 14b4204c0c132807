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
	"pagoda/internal/output/render"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/quantity"
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
		Assigned: func(e coordinator.Assigned) {
			for i := range e.Windows {
				w := &e.Windows[i]
				p.window(slog.LevelDebug, ops.MsgAssigned, w.ID(), worker(e.Worker), ops.If(ops.AuditKey, w.Audit),
					ops.If(ops.CopyKey, w.Copy != nil))
			}
		},
		Audited: func(e coordinator.Audited) {
			p.window(slog.LevelDebug, ops.MsgAudited, e.Window, worker(e.Worker), slog.Duration(ops.TookKey, e.Took),
				ops.If(ops.HoldsKey, e.Holds))
		},
		Copied: func(e coordinator.Copied) {
			p.window(slog.LevelDebug, ops.MsgCopied, e.Window, worker(e.Worker))
		},
		Dropped: func(e coordinator.Dropped) {
			for _, id := range e.Windows {
				p.window(slog.LevelDebug, ops.MsgDropped, id)
			}
		},
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
			p.window(slog.LevelDebug, ops.MsgCommitted, e.Window.ID(), slog.Uint64("rows", e.Rows),
				slog.Uint64("bytes", e.Bytes), slog.Duration(ops.TookKey, e.Took), worker(e.Worker),
				ops.If(ops.ReusedKey, e.Reused))
		},
		LayerDone: func(e coordinator.LayerDone) { locked(func() { p.layer = max(p.layer, e.Layer+1) }) },
		Retry: func(e coordinator.Retry) {
			locked(func() { p.retries++ })
			p.window(slog.LevelWarn, ops.MsgRetried, e.Window, slog.Int(ops.AttemptKey, e.Attempt), worker(e.Worker),
				slog.Any(ops.ErrorKey, e.Err))
		},
		Lost: func(e coordinator.Lost) {
			p.window(slog.LevelWarn, ops.MsgLost, e.Window, worker(e.Worker), slog.String(ops.CauseKey, e.Cause))
		},
		Quarantined: func(e coordinator.Quarantined) {
			p.window(slog.LevelError, ops.MsgSetAside, e.Window, slog.Int("attempts", e.Attempts),
				slog.Any(ops.ErrorKey, e.Err))
		},
		Resubmitted: func(e coordinator.Resubmitted) {
			p.log.Warn(ops.MsgResent, "tasks", e.Tasks)
		},
		Refused: func(e coordinator.Refused) {
			for _, r := range e.Workers {
				id, _ := puzzle.ParseWindowID(r.Window) // the coordinator has written it
				p.window(slog.LevelError, ops.MsgRefused, id, worker(r.Worker), slog.String(ops.ReasonKey, r.Reason))
			}
			p.log.Warn("wrong results are forgotten, the run begins again without them", "windows_forgotten", e.Forgotten,
				"windows_compared", e.Audits)
		},
		Stalled: func(e coordinator.Stalled) {
			p.log.Warn(ops.MsgStalled, ops.WorkerKey, e.Worker, "tasks", e.Tasks)
		},
		SetAside: func(e coordinator.SetAside) {
			p.log.Warn("worker has held up the run, it is given only windows that others leave", ops.WorkerKey, e.Worker,
				ops.ErrorKey, e.Err)
		},
		ReportRefused: func(e coordinator.ReportRefused) {
			// Not louder: any client that can report can make as many as it likes.
			p.log.Debug("a part of a report is passed over", ops.WorkerKey, e.Worker, "windows", e.Windows,
				ops.ReasonKey, e.Reason)
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
			p.log.Log(context.Background(), level, ops.MsgJoined, ops.WorkerKey, e.Worker,
				"program", cmp.Or(e.Program, "unknown"), "address", e.Address, "concurrency", e.Concurrency,
				ops.HeldKey, e.Held, "windows_missing", e.Missing, ops.AgainKey, e.Again, "windows_spared", e.Cancelled)
		},
		WorkerDrains: func(e coordinator.WorkerDrains) {
			log := p.log.With(ops.WorkerKey, e.Worker)
			switch {
			case e.Archive:
				log.Info("worker is leaving, it uploads its windows to the archive")
			case e.Alone:
				log.Info("worker is leaving, no other is there to copy its windows")
			default:
				log.Info("worker is leaving, others copy the windows that only it holds", "windows", e.ToCopy)
			}
		},
		WorkerLost: func(e coordinator.WorkerLost) {
			about := []any{ops.WorkerKey, e.Worker, ops.LostKey, e.Windows, ops.AgainKey, e.Again}
			switch {
			case e.Left:
				p.log.Info(ops.MsgLeft, about...)
			case e.Unserved:
				p.log.Warn(ops.MsgUnserved, about...)
			default:
				p.log.Warn(ops.MsgGone, append(about, "silent", e.Silent)...)
			}
		},
		ArchiveListed: func(e coordinator.ArchiveListed) {
			if e.Err != nil {
				p.log.Warn("the archive cannot be listed; what only it has is computed again", ops.ErrorKey, e.Err)
				return
			}
			p.log.Info("the archive was listed", ops.HeldKey, e.Windows, "windows_spared", e.Spared)
		},
		ArchiveLost: func(e coordinator.ArchiveLost) {
			p.log.Warn(ops.MsgArchiveLost, ops.LostKey, e.Windows, ops.AgainKey, e.Again)
		},
		Disks: func(e status.Disks) {
			about := []any{"needs_up_to", quantity.Bytes(e.NeedBytes) + render.SoFar(&e),
				"there_are", quantity.Bytes(e.RoomBytes), "workers", e.Workers, "disks", e.Disks}
			if e.Fits {
				p.log.Info("the run may fit on the disks of its workers now", about...)
				return
			}
			p.log.Warn("the run may not fit on the disks of its workers; a worker whose disk is full ends",
				append(about, "hint", render.DiskAdvice)...)
		},
		RejoinTimedOut: func(e coordinator.RejoinTimedOut) {
			p.log.Warn(ops.MsgAbsent, ops.LostKey, e.Windows, ops.AgainKey, e.Again)
		},
	}
}

// window logs a message about a window.
func (p *progress) window(level slog.Level, msg string, id puzzle.WindowID, attrs ...slog.Attr) {
	ops.LogWindow(p.log, level, msg, id, attrs...)
}

// worker returns the attribute that names a worker, none for "".
func worker(name string) slog.Attr {
	if name == "" {
		return slog.Attr{}
	}
	return slog.String(ops.WorkerKey, name)
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
	leaving int // workers whose windows others are to copy before they end
	toCopy  int // such windows
}

func forecastOf(s *status.Status) forecast {
	f := forecast{left: s.Left, ending: s.Ending(), redone: s.Again}
	for i := range s.Workers {
		if n := s.Workers[i].ToCopy; n > 0 {
			f.leaving++
			f.toCopy += n
		}
	}
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
