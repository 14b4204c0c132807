package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"pagoda/internal/app/cli"
	"pagoda/internal/app/estimate"
	"pagoda/internal/app/runs"
	"pagoda/internal/kv"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/rundir"
)

// scratchPattern names the temporary folders of runs that are carried out again.
const scratchPattern = "verify-*.tmp"

// rerun carries out a stored run again in a temporary folder, which is removed in the end, and passes its records to
// compare. Rows are dropped as soon as nothing reads them any more, so that it takes as little disk as the run can.
func rerun(ctx context.Context, s *runs.Stored, f *verifyFlags, compare func(kv.Record) error) (err error) {
	parent := f.scratch
	if parent == "" {
		parent = s.Dir
		if !f.dryRun { // the folder is ours alone: a killed process left these
			old, err := filepath.Glob(filepath.Join(parent, scratchPattern))
			for _, dir := range old {
				err = errors.Join(err, os.RemoveAll(dir))
			}
			if err != nil {
				return err
			}
		}
	}
	use, err := estimate.Scratch(s.Job, parent, f.workers)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(parent, scratchPattern)
	if err != nil {
		return cli.Hint(&cli.UsageError{Err: err}, "name a folder that can be written to with --scratch")
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	folder, err := rundir.Create(dir, rundir.NewMeta(s.Puzzle.Identity(), s.Folder.Meta.Config), rundir.FolderOptions{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	if _, err := engine.Run(ctx, s.Puzzle, folder, engine.Options{
		Concurrency: use.Concurrency, CacheBytes: use.CacheBytes, Budget: use.Budget, Retention: use.Retention,
	}); err != nil {
		return err
	}
	return folder.Ledger.Load(func(e kv.Entry) error { return compare(e.Record) })
}
