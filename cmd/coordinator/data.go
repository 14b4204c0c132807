package main

import (
	"context"
	"fmt"
	"path/filepath"

	"pagoda/internal/cli"
	"pagoda/internal/config"
	"pagoda/internal/plan"
	"pagoda/internal/puzzle"
	"pagoda/internal/rundir"
)

// A storedRun is a run as its data folder has it.
type storedRun struct {
	*job
	folder  *rundir.Folder
	results *plan.Plan // nil until they are loaded
	// remote reads rows that are with the workers; nil: they are in the folder.
	remote func(ctx context.Context, id puzzle.Cell, fn func(*puzzle.Block) error) error
}

// scan passes the rows of a cell to fn, in address order.
func (s *storedRun) scan(ctx context.Context, id puzzle.Cell, fn func(*puzzle.Block) error) error {
	if s.remote != nil {
		return s.remote(ctx, id, fn)
	}
	return s.folder.Scan(ctx, s.results, id, fn)
}

// readCache is how much memory decoded windows may take while results are read: a quarter of what the run may use.
func (s *storedRun) readCache() uint64 { return s.config.Uint("memory_limit_bytes") / 4 }

// close gives the folder back. What was read has been read: there is nothing left to go wrong that would matter.
func (s *storedRun) close() { _ = s.folder.Close() }

// storedJob makes the job of a data folder from the config that is kept in it. It takes no lock.
func (a *app) storedJob(ctx context.Context, dir string) (*job, error) {
	meta, err := rundir.ReadMeta(dir)
	if err != nil {
		return nil, adviseFolder(err, dir)
	}
	path := filepath.Join(dir, "run.json")
	o, err := a.options(path, &settingFlags{})
	if err != nil {
		return nil, err
	}
	o.Environ = nil // what the run is was decided when it began
	c, err := config.Parse(path, []byte(meta.Config), o)
	if err != nil {
		return nil, err
	}
	j, err := newJob(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := rundir.Compare(meta.Identity(), j.puzzle.Identity()); err != nil {
		// The folder's own config gives another run here: another version of the program made it.
		return nil, cli.Hint(fmt.Errorf("%s: %w", dir, err), "use the version of the program that made the folder")
	}
	j.dir = dir
	return j, nil
}

// openRun opens a data folder that nobody else uses.
func (a *app) openRun(ctx context.Context, dir string, readOnly bool) (*storedRun, error) {
	j, err := a.storedJob(ctx, dir)
	if err != nil {
		return nil, err
	}
	folder, err := rundir.Open(dir, rundir.FolderOptions{ReadOnly: readOnly})
	if err != nil {
		return nil, adviseFolder(err, dir)
	}
	return &storedRun{job: j, folder: folder}, nil
}

// openResults opens a data folder for reading, and loads its results.
func (a *app) openResults(ctx context.Context, dir string) (*storedRun, error) {
	s, err := a.openRun(ctx, dir, true)
	if err != nil {
		return nil, err
	}
	if s.results, err = rundir.Load(s.puzzle, s.folder); err != nil {
		s.close()
		return nil, cli.Hint(err, "verify the run: it says what is damaged")
	}
	return s, nil
}

// adviseFolder adds to an error of opening a data folder what to do about it, and what kind of error it is.
func adviseFolder(err error, dir string) error { return cli.AdviseFolder(err, dir) }
