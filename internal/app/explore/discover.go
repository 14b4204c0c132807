package explore

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"pagoda/internal/app/cli"
	"pagoda/internal/app/runs"
	"pagoda/internal/run/rundir"
)

// runFolders are the data folders that are named, and those in folders that are none themselves, of which a folder may
// have none yet.
func runFolders(named []string) (list []string, err error) {
	for _, dir := range named {
		if rundir.Holds(dir) { // a damaged one, too: the damage is told when it is read
			list = append(list, dir)
			continue
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, &cli.UsageError{Err: err}
		}
		for _, e := range entries {
			if inner := filepath.Join(dir, e.Name()); rundir.Holds(inner) {
				list = append(list, inner)
			}
		}
	}
	return list, nil
}

// discover offers the runs of folders that are new since the last time. At first an error of a folder is returned; of
// one that comes later it is shown as the state of a run, once.
func (s *Server) discover(ctx context.Context, first bool) error {
	s.discovering.Lock()
	defer s.discovering.Unlock()
	folders, err := runFolders(s.o.Folders)
	if err != nil {
		return err
	}
	for _, dir := range folders {
		if s.folders[dir] {
			continue
		}
		j, err := s.o.Loader.Stored(ctx, dir)
		switch {
		case err == nil:
			s.folders[dir] = true
			s.offerFolder(j)
		case first:
			return err
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, rundir.ErrNoRun):
			// it has gone again
		default:
			s.folders[dir] = true
			if s.o.Unreadable != nil {
				s.o.Unreadable(dir, err)
			}
		}
	}
	return nil
}

// offerFolder offers the run of a folder: a page names a run by its ID, so of several folders of the same run the one
// that is further is shown. A run that could be carried out here is in the folder now.
func (s *Server) offerFolder(j *runs.Job) {
	o := &offer{Job: j, ID: j.ID, title: j.Config.Text("name")}
	o.status = o.look()
	shown, other := j.Dir, ""
	s.mu.Lock()
	have := s.byID[j.ID]
	switch {
	case have == nil:
		s.add(o)
	case have.small && have.state() == stateOffered:
		s.replace(have, o)
	case have.small || have.live != nil || have.remote != nil:
		s.mu.Unlock()
		return // it is shown as it is there
	case o.status.Done > have.committed():
		other = have.Dir
		s.replace(have, o)
	default:
		shown, other, o = have.Dir, j.Dir, have
	}
	s.mu.Unlock()
	o.changed()
	if other != "" && s.o.Same != nil {
		s.o.Same(shown, other, j.ID)
	}
}

// replace offers o in place of another one of the same run, under the lock.
func (s *Server) replace(have, o *offer) {
	s.offers = slices.DeleteFunc(s.offers, func(other *offer) bool { return other == have })
	s.add(o)
	have.release()
	have.forget()
}

// committed is how many windows are committed.
func (o *offer) committed() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.status.Done
}
