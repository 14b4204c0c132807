package explore

import (
	"context"
	"errors"
	"net/http"
	"os"
	"sync"

	"pagoda/internal/app/api"
	"pagoda/internal/app/cli"
	"pagoda/internal/app/runs"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/rundir"
	"pagoda/internal/run/status"
)

// stateOffered is a state of a small run, beside those of package status.
const stateOffered = "offered" // no client has asked for it yet

// An offer is a run that the page shows. Its functions are safe for concurrent use.
type offer struct {
	*runs.Job // nil with remote
	ID        string
	title     string
	small     bool
	live      *Live        // of a run of this process
	remote    *remote      // of a run led elsewhere
	changed   func()       // tells the clients that watch
	used      func()       // notes that its folder was read last
	asked     func()       // notes that its results were asked last; nil until it is offered
	watched   func() bool  // whether a client watches
	api       http.Handler // of this run; nil with remote

	mu        sync.Mutex
	version   uint64 // of the status, counted by the server's watchers
	status    status.Status
	elsewhere offerDoc     // the coordinator's last document, with remote
	err       error        // why a small run failed
	found     *found       // of a complete run; nil until it is read
	cited     cited        // the certificate that was read last
	cancel    func()       // ends a small run under way; nil when none is
	kept      *kept        // the folder, open; nil until a client asks
	checked   verification // the last that was asked for
	told      []byte       // the event of a version
	toldAt    uint64       // of which version; 0: told is not set
}

// A Live is a run that this process carries out, and lends.
type Live struct {
	*runs.Job
	Status func() api.Status
	Run    func(folder bool) (s *runs.Stored, done func(), err error)
}

// Carry offers a run that this process carries out. It does nothing when that is offered already.
func (s *Server) Carry(l Live) {
	o := &offer{Job: l.Job, ID: l.ID, title: l.Config.Text("name"), live: &l}
	s.mu.Lock()
	have := s.byID[o.ID] != nil
	if !have {
		s.add(o)
	}
	s.mu.Unlock()
	if !have {
		o.refresh()
		o.changed()
	}
}

// report is the status, with advice where something went wrong.
func (o *offer) report() api.Status {
	if o.live != nil {
		return o.live.Status()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.remote != nil {
		return o.elsewhere.Status
	}
	s := api.Status{Status: o.status}
	s.Layers = append([]plan.Progress(nil), o.status.Layers...) // a small run goes on counting in its own
	if o.err != nil {
		s.Error, s.Hint, s.Code = o.err.Error(), cli.Advice(o.err), cli.Code(o.err)
	}
	return s
}

// update changes the status and tells the watchers.
func (o *offer) update(change func(*status.Status)) {
	o.mu.Lock()
	change(&o.status)
	o.mu.Unlock()
	o.changed()
}

// state is the state in the status.
func (o *offer) state() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.status.State
}

// refresh reads the status of a folder whose run is not complete.
func (o *offer) refresh() {
	if o.small || o.remote != nil || o.state() == status.StateComplete {
		return
	}
	now := o.look()
	o.mu.Lock()
	same := now.State == o.status.State && now.Done == o.status.Done && now.Windows == o.status.Windows &&
		now.Updated.Equal(o.status.Updated) && now.Error == o.status.Error
	o.mu.Unlock()
	if !same {
		o.update(func(s *status.Status) { *s = now })
	}
}

// look reads the status of a folder, or asks the process that carries the run out.
func (o *offer) look() status.Status {
	if o.live != nil {
		return o.live.Status().Status
	}
	l, err := rundir.LookAt(o.Dir, o.Puzzle)
	now := l.Status
	if err == nil && now.State == status.StateComplete {
		if l.Results == nil {
			now.State = status.StateExporting // the process has the folder still
			return now
		}
		_, err = o.find(l.Results, l.Last)
	}
	if err != nil {
		now = status.Status{Run: o.ID, Puzzle: o.Definition.Name, State: status.StateFailed, Error: err.Error()}
	}
	return now
}

// open opens the folder of a complete run. That of another is left to the process that carries it out.
func (o *offer) open(ctx context.Context, l runs.Loader) (*runs.Stored, error) {
	if o.status.State != status.StateComplete {
		hint := "wait for its end, or run its config again to resume"
		if o.small {
			hint = "begin it on the page, and wait for its end"
		}
		return nil, cli.Hint(puzzle.ErrIncomplete, hint)
	}
	s, err := l.Peek(ctx, o.Dir)
	if err != nil {
		return nil, err
	}
	if !s.Results.Complete() {
		s.Close()
		return nil, cli.Hint(puzzle.ErrIncomplete, "run its config again to resume")
	}
	return s, nil
}

// notBegun is the status of a small run that can be begun.
func (o *offer) notBegun() status.Status {
	return status.Status{Run: o.ID, Puzzle: o.Definition.Name, State: stateOffered}
}

// giveUp closes a small run and removes its folder, unless it is being read: it can be carried out again.
func (o *offer) giveUp() (given bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.kept == nil || o.kept.users > 0 {
		return false, nil
	}
	o.drop()
	o.status = o.notBegun()
	return true, os.RemoveAll(o.Dir)
}

// errUnknown says that no such run is offered.
var errUnknown = errors.New("no such run is offered here")
