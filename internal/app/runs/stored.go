package runs

import (
	"context"

	"pagoda/internal/app/cli"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/rundir"
)

// A Stored is a run as its data folder has it, or as a coordinator leads it.
type Stored struct {
	*Job
	Folder  *rundir.Folder // nil where nothing but results is asked
	Results *plan.Plan     // nil until they are loaded
	// Remote has the rows that are with the workers; nil: they are in the folder.
	Remote puzzle.Source
}

// Open opens a data folder that no other process uses.
func (l Loader) Open(ctx context.Context, dir string, readOnly bool) (*Stored, error) {
	return l.open(ctx, dir, rundir.FolderOptions{ReadOnly: readOnly})
}

func (l Loader) open(ctx context.Context, dir string, o rundir.FolderOptions) (*Stored, error) {
	j, err := l.Stored(ctx, dir)
	if err != nil {
		return nil, err
	}
	folder, err := rundir.Open(dir, o)
	if err != nil {
		return nil, cli.AdviseFolder(err, dir)
	}
	return &Stored{Job: j, Folder: folder}, nil
}

// Results opens a data folder for reading, and loads its results.
func (l Loader) Results(ctx context.Context, dir string) (*Stored, error) {
	return l.results(ctx, dir, rundir.FolderOptions{ReadOnly: true})
}

// Peek is Results that keeps no other program from the folder afterwards. Reading fails once another has replaced the
// files: see rundir.Written.
func (l Loader) Peek(ctx context.Context, dir string) (*Stored, error) {
	return l.results(ctx, dir, rundir.FolderOptions{ReadOnly: true, Peek: true})
}

func (l Loader) results(ctx context.Context, dir string, o rundir.FolderOptions) (*Stored, error) {
	s, err := l.open(ctx, dir, o)
	if err != nil {
		return nil, err
	}
	if s.Results, err = rundir.Load(s.Puzzle, s.Folder); err != nil {
		s.Close()
		return nil, cli.Hint(err, "verify the run: it says what is damaged")
	}
	return s, nil
}

// Rows are the rows of the run, wherever they are.
func (s *Stored) Rows() puzzle.Source {
	if s.Remote != nil {
		return s.Remote
	}
	return s.Folder.Reader(s.Results, s.CacheBytes())
}

// CacheBytes bounds the memory of decoded windows while results are read: a quarter of the run's limit.
func (s *Stored) CacheBytes() uint64 { return s.Config.Uint("memory_limit_bytes") / 4 }

// Close gives the folder back. Its error is dropped: the results have been read, and no failure would matter.
func (s *Stored) Close() { _ = s.Folder.Close() }
