package estimate

import (
	"errors"
	"io/fs"
	"path/filepath"

	"pagoda/internal/cli"
	"pagoda/internal/plan"
	"pagoda/internal/rundir"
	"pagoda/internal/runs"
)

// Bounds of the cache of decoded windows. A window is decoded once and read by up to four children; more than the
// windows of the layers at work is not needed.
const (
	minCache = 64 << 20
	maxCache = 1 << 30
)

// CacheBytes is the cache that a run predicted so can make use of.
func CacheBytes(pred *plan.Prediction) uint64 {
	return max(minCache, min(maxCache, pred.MemoryBytes))
}

// Resources says how a process with a limit on its memory, in bytes, computes windows of a plan, and what that takes.
// The cache takes half of what the windows leave.
func Resources(
	pl *plan.Plan, concurrency int, keep plan.Retention, limit uint64,
) (plan.Resources, plan.Prediction) {
	use := plan.Resources{Concurrency: max(1, concurrency), Retention: keep}
	pred := pl.Predict(use)
	if limit > pred.MemoryBytes {
		use.CacheBytes = min((limit-pred.MemoryBytes)/2, CacheBytes(&pred))
		pred = pl.Predict(use)
	}
	return use, pred
}

// resources says how a job is carried out, and what that takes.
func resources(j *runs.Job, pl *plan.Plan) (plan.Resources, plan.Prediction) {
	return Resources(pl, int(j.Config.Uint("concurrency")), plan.Retention(j.Config.Text("retention")),
		j.Config.Uint("memory_limit_bytes"))
}

// freeDisk is what the run may use of the disk: what is free, and what its folder holds already.
func freeDisk(j *runs.Job) (uint64, error) {
	free, err := rundir.FreeDisk(j.Dir)
	if err != nil || free == 0 {
		return free, cli.AdviseFolder(err, j.Dir)
	}
	err = filepath.WalkDir(j.Dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			free += uint64(info.Size())
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // a file that a live run has just replaced
		return 0, cli.AdviseFolder(err, j.Dir)
	}
	return free, nil
}

// Scratch says how a job is carried out again in a folder of its own below dir, which keeps nothing that is not needed,
// and whether the machine can hold that.
func Scratch(j *runs.Job, dir string, concurrency int) (plan.Resources, error) {
	pl, err := plan.New(j.Puzzle)
	if err != nil {
		return plan.Resources{}, err
	}
	limit := j.Config.Uint("memory_limit_bytes")
	use, pred := Resources(pl, concurrency, plan.RetainSummary, limit)
	free, err := rundir.FreeDisk(dir)
	if err != nil {
		return use, cli.AdviseFolder(err, dir)
	}
	return use, adviseLack(pred.Check(limit, free, dir), "name a folder on a larger disk with --scratch")
}

// adviseLack adds to an error of a prediction what to do about it.
func adviseLack(err error, disk string) error {
	var lack *plan.ResourceError
	if !errors.As(err, &lack) {
		return err
	}
	hint := "less concurrency, smaller window_addresses or a higher memory_limit_bytes help"
	if lack.What == "disk" {
		hint = disk
	}
	return cli.Hint(&cli.UsageError{Err: err}, hint)
}

// Preflight says whether the machine can hold the run. In a fleet, rows are spread over its workers, and a process that
// computes nothing needs no memory for windows.
func Preflight(j *runs.Job, fleet bool) (plan.Resources, error) {
	pl, err := plan.New(j.Puzzle)
	if err != nil {
		return plan.Resources{}, err
	}
	use, pred := resources(j, pl)
	limit, free := j.Config.Uint("memory_limit_bytes"), uint64(0)
	if !fleet {
		if free, err = freeDisk(j); err != nil {
			return use, err
		}
	}
	if j.Config.Uint("concurrency") == 0 {
		limit = 0
	}
	return use, adviseLack(pred.Check(limit, free, j.Dir),
		"retention: last or summary needs less, or choose a folder on a larger disk with --data")
}
