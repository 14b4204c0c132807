package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"pagoda/internal/cli"
	"pagoda/internal/fleet"
	"pagoda/internal/kv"
	"pagoda/internal/pipeline"
	"pagoda/internal/puzzle"
)

func (a *app) runCommand() *cobra.Command {
	var f settingFlags
	var output string
	cmd := &cobra.Command{
		Use:   "run CONFIG",
		Short: "carry out a run, or resume it, and print its results",
		Long: `Carry out a run and print its results: a table and the totals, or one JSON document.

Windows that the data folder holds already are not computed again; what is reused, and why, is said on stderr. A folder
of a run with other parameters is refused. Ctrl-C and SIGTERM stop the run within seconds; the same command resumes
it.`,
		Example: `  coordinator run configs/english.yaml
  coordinator run configs/english.yaml --workers 2 --output json
  coordinator run configs/english.yaml --set board=french --set start=r0c2 --set goal= --data /data/french`,
		Args:              oneConfig,
		ValidArgsFunction: completeConfig,
		RunE: a.action(func(ctx context.Context, args []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			j, err := a.load(ctx, args[0], &f)
			if err != nil {
				return err
			}
			if j.config.Uint("workers") == 0 {
				return usage("--workers 0 leaves all windows to worker processes, and they cannot reach this run",
					"add --listen or --nats, or give --workers 1 or more")
			}
			return a.run(ctx, j, output)
		}),
	}
	f.add(cmd)
	addOutput(cmd, &output)
	return cmd
}

// run carries out a job. Nothing is created before everything that can be known beforehand is known to be right.
func (a *app) run(ctx context.Context, j *job, output string) error {
	text, err := j.config.YAML(false)
	if err != nil {
		return err
	}
	meta := pipeline.NewMeta(j.puzzle.Identity(), string(text))
	if _, err := pipeline.CheckFolder(j.dir, meta); err != nil {
		return adviseFolder(err, j.dir)
	}
	use, err := await(ctx, j.preflight)
	if err != nil {
		return err
	}
	cli.LimitMemory(j.config.Uint("memory_limit_bytes"),
		kv.StoreMemory(kv.Options{})+kv.LedgerMemory(kv.Options{}))
	folder, err := pipeline.Create(j.dir, meta, pipeline.FolderOptions{})
	if err != nil {
		return adviseFolder(err, j.dir)
	}
	out, err := a.carryOut(ctx, j, folder, use)
	// An error of closing is one of the last writes.
	if err := errors.Join(err, folder.Close()); err != nil {
		return err
	}
	sum, err := j.puzzle.Summarise(out.Results)
	if err != nil {
		return err
	}
	return a.show(j, &sum, output)
}

// carryOut runs the pipeline with a display.
func (a *app) carryOut(
	ctx context.Context, j *job, folder *pipeline.Folder, use pipeline.Resources,
) (*pipeline.Outcome, error) {
	p := &progress{begun: time.Now()}
	d := newDisplay(a.stderr, a.environ, p, "run", j.run)
	defer d.close()
	p.log = d.log
	d.log.Info("run", "puzzle", j.config.Text("puzzle"), "name", j.config.Text("name"), "data", j.dir,
		"workers", use.Slots, "keep", string(use.Keep))
	queue, err := fleet.Start(ctx, fleet.LocalOptions{Run: j.run, Dir: filepath.Join(j.dir, "queue")})
	if err != nil {
		return nil, err
	}
	out, err := pipeline.Run(ctx, j.puzzle, folder, queue.Tasks, queue.Work, pipeline.RunOptions{
		Slots: use.Slots, CacheBytes: use.CacheBytes, Keep: use.Keep, Events: p.events(),
	})
	err = errors.Join(err, queue.Close())
	d.close()
	s, elapsed := p.snapshot()
	if err != nil {
		return nil, ended(cli.Cause(ctx, err), s)
	}
	d.log.Info("complete", "windows", s.windows, "windows_reused", s.reused, "rows", s.rows, "bytes", s.bytes,
		"seconds", fmt.Sprintf("%.2f", elapsed.Seconds()))
	return out, nil
}

// ended adds to the error of a run what became of it and what to do.
func ended(err error, s state) error {
	committed := fmt.Sprintf("%d of %d windows are committed", s.done, s.windows)
	var flow *pipeline.FlowError
	switch {
	case errors.Is(err, cli.ErrInterrupted), errors.Is(err, cli.ErrTerminated):
		return cli.Hint(fmt.Errorf("%w: %s", err, committed), "run the same command again to resume")
	case errors.Is(err, kv.ErrDiskFull):
		return cli.Hint(&cli.StoppedError{Err: fmt.Errorf("%w: %s", err, committed)},
			"free some space and run the same command again to resume")
	case errors.Is(err, puzzle.ErrOverflow):
		return cli.Hint(err, "the run cannot be completed with counts of 128 bits")
	case errors.Is(err, kv.ErrConflict), errors.As(err, &flow):
		return cli.Hint(err, "memory, disk or program is at fault: verify the folder, and do not trust its results")
	}
	return cli.Hint(err, committed+"; the same command resumes, and tries again what failed")
}

// show prints the results.
func (a *app) show(j *job, sum *puzzle.Summary, output string) error {
	if output == outputJSON {
		return a.print(document(j.run, j.config.Text("puzzle"), sum))
	}
	return a.print(report(j.run, j.config.Text("puzzle"), sum))
}
