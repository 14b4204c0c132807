package explore

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"pagoda/internal/app/estimate"
	"pagoda/internal/app/runs"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/rundir"
	"pagoda/internal/run/status"
)

// A Small is a run of a few seconds that the page offers to carry out.
type Small struct {
	Title  string
	Config string // the text of a config
}

// Smalls are the runs that are offered where none is named: solutions through every position.
func Smalls() []Small {
	return []Small{
		{"English board, centre to centre", ways(named("english"), "center", "center")},
		{"English board, 31 to 34", ways(named("english"), "r0c2", "r3c2")},
		{"Triangle of 15, corner to corner", ways(named("triangle5"), "r0c0", "r0c0")},
		{"Triangle of 21, corner to corner", ways(named("triangle6"), "r0c0", "r0c0")},
	}
}

// named returns the part of a config that names a board.
func named(board string) string { return "name: " + board + "\nboard: " + board + "\n" }

// ways is the config of the solutions through every position of a problem. board is its part about the board.
func ways(board, start, goal string) string {
	return "puzzle: peg\n" + board + "start: " + start + "\ngoal: " + goal +
		"\ncount: solutions\nstore_ways: true\nretention: all\n"
}

// pairs is the config of the solutions of all pairs of a board.
func pairs(board string) string {
	return "puzzle: peg\n" + board + "count: solutions\npairs: all\nretention: last\n"
}

// newSmall offers a run that can be carried out here.
func newSmall(j *runs.Job, title string) *offer {
	o := &offer{Job: j, ID: j.ID, title: title, small: true}
	o.status = o.notBegun()
	return o
}

// begin carries out a small run, unless that has been done or is being done.
func (s *Server) begin(o *offer) error {
	if o.remote != nil {
		return errElsewhereCarried
	}
	if !o.small {
		return errors.New("this run is in a folder of its own: run its config with coordinator run")
	}
	o.mu.Lock()
	state := o.status.State
	if state != stateOffered && state != status.StateFailed {
		o.mu.Unlock()
		return nil
	}
	o.status = status.Status{Run: o.ID, Puzzle: o.Definition.Name, State: status.StateRunning}
	o.err = nil
	ctx, cancel := context.WithCancel(s.ctx)
	o.cancel = cancel
	o.mu.Unlock()
	o.changed()
	s.wait.Go(func() {
		defer cancel()
		err := s.carryOut(ctx, o)
		cancelled := err != nil && ctx.Err() != nil && s.ctx.Err() == nil
		o.update(func(now *status.Status) {
			o.cancel = nil
			switch {
			case cancelled:
				*now = o.notBegun()
			case err != nil:
				o.err, now.State = err, status.StateFailed
			}
		})
	})
	return nil
}

// errNotCarriedOut says that there is nothing to cancel.
var errNotCarriedOut = errors.New("this run is not being carried out here")

// serveCancel ends a small run under way. Its files stay until it is begun again, or the server ends.
func (s *Server) serveCancel(w http.ResponseWriter, r *http.Request) {
	o := s.offered(w, r)
	if o == nil {
		return
	}
	o.mu.Lock()
	cancel := o.cancel
	o.mu.Unlock()
	if cancel == nil {
		refuse(w, http.StatusConflict, errNotCarriedOut)
		return
	}
	cancel()
	reply(w, http.StatusAccepted, o.doc())
}

// carryOut carries out a small run in a temporary folder, one such run at a time.
func (s *Server) carryOut(ctx context.Context, o *offer) error {
	select {
	case s.small <- struct{}{}:
		defer func() { <-s.small }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := s.makeRoom(); err != nil {
		return err
	}
	dir, err := s.temporary()
	if err != nil {
		return err
	}
	o.mu.Lock()
	o.Dir = filepath.Join(dir, o.ID)
	o.mu.Unlock()
	if err := os.RemoveAll(o.Dir); err != nil { // left by a failed attempt
		return err
	}
	text, err := o.Config.YAML(false)
	if err != nil {
		return err
	}
	pre, err := estimate.Check(o.Job, estimate.Start{})
	if err != nil {
		return err
	}
	folder, err := rundir.Create(o.Dir, rundir.NewMeta(o.Puzzle.Identity(), string(text)), rundir.FolderOptions{})
	if err != nil {
		return err
	}
	begun := time.Now()
	out, err := engine.Run(ctx, o.Puzzle, folder, engine.Options{
		Concurrency: pre.Use.Concurrency, CacheBytes: pre.Use.CacheBytes, Events: o.progress(),
		OnStatus: func(told status.Status) { o.update(func(now *status.Status) { now.Left = told.Left }) },
	})
	if err != nil {
		return errors.Join(err, folder.Close())
	}
	last := rundir.PlanStatus(&folder.Meta, out.Results)
	last.Started, last.Updated, last.Committed = begun, time.Now(), last.Windows
	if _, err = o.find(out.Results, &last); err == nil {
		err = o.Certify(folder, out.Results)
	}
	if err != nil {
		return errors.Join(err, folder.Close())
	}
	o.update(func(now *status.Status) {
		*now = last
		o.kept = &kept{Stored: &runs.Stored{Job: o.Job, Folder: folder, Results: out.Results}}
	})
	s.mu.Lock()
	s.carriedOut = append(s.carriedOut, o)
	s.mu.Unlock()
	return nil
}

// progress keeps the status of a small run up to date.
func (o *offer) progress() coordinator.Events {
	return coordinator.Events{
		Planned: func(e coordinator.Planned) {
			o.update(func(now *status.Status) {
				now.Windows, now.Addresses, now.Planned = e.Windows, e.Addresses, e.Complete
			})
		},
		Committed: func(e coordinator.Committed) {
			o.update(func(now *status.Status) {
				now.Done, now.Windows = e.Done, e.Total
				now.NewAddresses += e.Window.Addresses
				now.Rows += e.Rows
				now.Bytes += e.Bytes
			})
		},
	}
}

// temporary is the folder of the small runs.
func (s *Server) temporary() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.temp != "" {
		return s.temp, nil
	}
	dir, err := os.MkdirTemp(s.o.Temp, "pagoda-explore-")
	if err == nil {
		s.temp = dir
	}
	return dir, err
}
