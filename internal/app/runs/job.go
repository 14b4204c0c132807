// Package runs opens runs, by their configs and by their data folders, and reads their results: tables, rows, answers
// to questions. The commands and the API of a coordinator stand on it.
package runs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"pagoda/internal/app/cli"
	"pagoda/internal/catalog"
	"pagoda/internal/config"
	"pagoda/internal/fleet/objects"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/rundir"
)

// A Job is a config with the puzzle it describes.
type Job struct {
	Definition *puzzle.Definition
	Config     *config.Config
	Puzzle     puzzle.Puzzle
	Problem    puzzle.Problem // as the config was understood
	ID         string         // of the run
	Dir        string         // data folder

	loader Loader
}

// A Loader makes jobs of configs.
type Loader struct {
	Catalog catalog.Catalog
	Environ []string // KEY=VALUE, for the settings PAGODA_...
}

// Load reads a config, with settings that come from elsewhere, and makes its puzzle.
func (l Loader) Load(ctx context.Context, path string, overrides []config.Override) (*Job, error) {
	return l.begin(ctx, func() (*config.Config, error) {
		return config.Load(path, l.options(path, l.Environ, overrides))
	})
}

// LoadKeys is Load with keys in place of those of the file at path.
func (l Loader) LoadKeys(ctx context.Context, path string, keys, overrides []config.Override) (*Job, error) {
	return l.begin(ctx, func() (*config.Config, error) {
		o := l.options(path, l.Environ, overrides)
		o.File = keys
		return config.Parse(path, nil, o)
	})
}

// begin makes the job of a config, and says whether its run may begin.
func (l Loader) begin(ctx context.Context, read func() (*config.Config, error)) (*Job, error) {
	c, err := cli.Await(ctx, read)
	if err != nil {
		return nil, err
	}
	j, err := l.job(ctx, c)
	if err == nil {
		err = j.goOn(ctx)
	}
	if err != nil || j.Definition.Begin == nil {
		return j, err
	}
	if err := j.Definition.Begin(c); err != nil {
		return nil, c.Locate(err)
	}
	return j, nil
}

// Parse makes the job of a config that is a text, without the environment. name stands for a path in messages.
func (l Loader) Parse(ctx context.Context, name string, text []byte) (*Job, error) {
	c, err := config.Parse(name, text, l.options(name, nil, nil))
	if err != nil {
		return nil, err
	}
	return l.job(ctx, c)
}

func (l Loader) options(path string, environ []string, overrides []config.Override) config.Options {
	return config.Options{
		General: config.General(path, l.Catalog.Names(), cli.Machine(), objects.CheckURL), Puzzle: l.Catalog.Settings,
		Environ: environ, Overrides: overrides,
	}
}

func (l Loader) job(ctx context.Context, c *config.Config) (*Job, error) {
	d, err := l.Catalog.Find(c.Text("puzzle"))
	if err != nil {
		return nil, c.Locate(err)
	}
	p, err := cli.Await(ctx, func() (puzzle.Puzzle, error) { return l.Catalog.Build(c) })
	if err != nil {
		return nil, err
	}
	problem, err := d.State(c)
	if err != nil {
		return nil, c.Locate(err)
	}
	j := &Job{Definition: d, Config: c, Problem: problem, loader: l}
	j.set(p)
	return j, nil
}

// set makes the job one of p, in its folder.
func (j *Job) set(p puzzle.Puzzle) {
	j.Puzzle, j.ID = p, rundir.RunID(p.Identity())
	j.Dir = j.folder(j.ID)
}

// folder is the data folder for a run of the config.
func (j *Job) folder(run string) string {
	if dir := j.Config.Text("data_dir"); dir != "" {
		return dir
	}
	return fmt.Sprintf("runs/%s-%s", j.Config.Text("name"), run)
}

// as makes the job that of the run, where an earlier program began it; see rundir.As.
func (j *Job) as(ctx context.Context, run string) error {
	p, err := cli.Await(ctx, func() (puzzle.Puzzle, error) { return rundir.As(j.Puzzle, run) })
	if err == nil {
		j.set(p)
	}
	return err
}

// goOn makes the job that of a run which an earlier program began in its folder, or in the folder named by the earlier
// ID.
func (j *Job) goOn(ctx context.Context) error {
	r, ok := j.Puzzle.(puzzle.Revised)
	if !ok {
		return nil
	}
	began, err := cli.Await(ctx, func() (run string, err error) {
		meta, err := rundir.ReadMeta(j.Dir)
		if errors.Is(err, rundir.ErrNoRun) {
			meta, err = rundir.ReadMeta(j.folder(rundir.RunID(r.EarlierIdentity())))
		}
		if err != nil {
			return j.ID, nil //nolint:nilerr // commands that use the folder report its faults
		}
		return meta.Run, nil
	})
	if err != nil {
		return err
	}
	return j.as(ctx, began)
}

// WithSetting makes the puzzle of the job with another value of a setting.
func (j *Job) WithSetting(key, value string) (puzzle.Puzzle, error) {
	text, err := j.Config.YAML(false)
	if err != nil {
		return nil, err
	}
	c, err := config.Parse("config", text, j.loader.options("config", nil, []config.Override{{Key: key, Value: value}}))
	if err != nil {
		return nil, err
	}
	return j.loader.Catalog.Build(c)
}

// Stored makes the job of a data folder from the config that is kept in it. It takes no lock.
func (l Loader) Stored(ctx context.Context, dir string) (*Job, error) {
	meta, err := rundir.ReadMeta(dir)
	if err != nil {
		return nil, cli.AdviseFolder(err, dir)
	}
	path := filepath.Join(dir, "run.json")
	// No environment: the run was decided when it began.
	o := l.options(path, nil, nil)
	o.PassUnknown = true // the identity is compared below
	c, err := config.Parse(path, []byte(meta.Config), o)
	if err != nil {
		return nil, err
	}
	j, err := l.job(ctx, c)
	if err == nil {
		err = j.as(ctx, meta.Run)
	}
	if err != nil {
		return nil, err
	}
	if err := rundir.Compare(meta.Identity(), j.Puzzle.Identity()); err != nil {
		// The folder's own config gives another run here: another version of the program made it.
		return nil, cli.Hint(fmt.Errorf("%s: %w", dir, err), "use the version of the program that made the folder")
	}
	j.Dir = dir
	return j, nil
}
