package estimate

import (
	"errors"
	"math"

	"pagoda/internal/app/cli"
	"pagoda/internal/app/runs"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/rundir"
)

// Bounds of the cache of decoded windows. A window is decoded once and read by up to four children; more than the
// windows of the layers at work is not needed.
const (
	minCache = 64 << 20
	maxCache = 1 << 30
	// A worker's memory for others' windows: the least, and the part of the whole.
	minFetched   = 64 << 20
	fetchedShare = 4
)

// CacheBytes returns the largest useful cache for a predicted run: as large as its windows, within the bounds, and with
// room for the bytes that they share.
func CacheBytes(pred *plan.Prediction) uint64 {
	return max(minCache, min(maxCache, pred.MemoryBytes), pred.SharedBytes)
}

// FetchedBytes bounds a worker's memory for windows fetched from others, as they came. To keep them costs less than to
// fetch them again for each of their readers. Most of a layer lies between its windows that read the same.
func FetchedBytes(memory uint64) uint64 { return max(minFetched, memory/fetchedShare) }

// Useful returns the memory that a worker has a use for in a run, in bytes: twice that of its windows and their cache.
// The other half is for windows of others, and for layers that the plan does not know yet.
func Useful(pl *plan.Plan, concurrency int) uint64 {
	_, pred := Resources(pl, concurrency, plan.RetainAll, math.MaxUint64)
	return 2 * min(pred.MemoryBytes, math.MaxUint64/2)
}

// Resources chooses how a process computes windows of a plan under a limit on its memory, in bytes, and predicts the
// cost. The cache takes half of the memory that the windows leave. Where the limit leaves no room for the largest
// windows in every slot, windows wait for each other's memory.
func Resources(
	pl *plan.Plan, concurrency int, keep plan.Retention, limit uint64,
) (plan.Resources, plan.Prediction) {
	use := plan.Resources{Concurrency: max(1, concurrency), Retention: keep}
	pred := pl.Predict(use)
	if limit > pred.MemoryBytes {
		use.CacheBytes = min((limit-pred.MemoryBytes)/2, CacheBytes(&pred))
		pred = pl.Predict(use)
	} else if limit > 0 && limit < pred.MemoryBytes {
		use.Budget, use.CacheBytes = pl.Budget(limit, CacheBytes(&pred), use.Concurrency)
		pred = pl.Predict(use)
	}
	return use, pred
}

// resources chooses how a job is carried out, and predicts the cost.
func resources(j *runs.Job, pl *plan.Plan) (plan.Resources, plan.Prediction) {
	return Resources(pl, int(j.Config.Uint("concurrency")), plan.Retention(j.Config.Text("retention")),
		j.Config.Uint("memory_limit_bytes"))
}

// freeDisk returns the disk that the run may use: the free bytes, and those that its folder already takes.
func freeDisk(j *runs.Job) (uint64, error) {
	free, err := rundir.FreeDisk(j.Dir)
	if err != nil || free == 0 {
		return free, cli.AdviseFolder(err, j.Dir)
	}
	used, err := rundir.UsedDisk(j.Dir)
	return free + used, cli.AdviseFolder(err, j.Dir)
}

// Scratch chooses how a job is carried out again in a folder of its own below dir, which keeps only needed windows. The
// error says that the machine cannot hold that.
func Scratch(j *runs.Job, dir string, concurrency int) (plan.Resources, error) {
	pl, err := plan.Forecast(j.Puzzle)
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

// adviseLack adds advice to an error of a prediction.
func adviseLack(err error, disk string) error {
	var lack *plan.ResourceError
	if !errors.As(err, &lack) {
		return err
	}
	hint := "smaller window_addresses or a higher memory_limit_bytes help"
	if lack.What == "disk" {
		hint = disk
	}
	return cli.Hint(&cli.UsageError{Err: err}, hint)
}

// A Start is how a run begins.
type Start struct {
	Fleet  bool // rows are spread over the folders of workers
	Resume bool // the folder has the run, which was accepted then: it is not refused now
	// AnyDisk says that it begins also where the disk may be too small.
	AnyDisk bool
}

// A Preflight is the result of Check, before a run begins.
type Preflight struct {
	Use plan.Resources
	// MemoryLimit bounds the memory of the process, in bytes: the limit that was set, or the most that the plan predicts,
	// where that is less. The collector would otherwise leave as much garbage as there is room for.
	MemoryLimit uint64
	// Disk says that the disk may be too small for a run that begins all the same; nil where it is not.
	Disk *plan.ResourceError
}

// Check says whether the machine can hold the run. In a fleet, rows are spread over its workers, and a process that
// computes nothing needs no memory for windows. A full disk loses nothing, and the prediction for the disk is only a
// bound: a run that has begun is not refused for it.
func Check(j *runs.Job, s Start) (Preflight, error) {
	pl, err := plan.Forecast(j.Puzzle)
	if err != nil {
		return Preflight{}, err
	}
	use, pred := resources(j, pl)
	limit, free := j.Config.Uint("memory_limit_bytes"), uint64(0)
	out := Preflight{Use: use, MemoryLimit: limit}
	if !pred.Partial && pred.Expected == 0 && !s.Fleet {
		out.MemoryLimit = min(limit, pred.MemoryBytes)
	}
	if !s.Fleet {
		if free, err = freeDisk(j); err != nil {
			return out, err
		}
	}
	if j.Config.Uint("concurrency") == 0 {
		limit = 0
	}
	err = pred.Check(limit, free, j.Dir)
	if errors.As(err, &out.Disk) && out.Disk.What == "disk" && (s.Resume || s.AnyDisk) {
		return out, nil
	}
	if errors.As(err, &out.Disk) && out.Disk.What == "memory" {
		return out, cli.Hint(&cli.UsageError{Err: err}, leastMemory(j, out.Disk.Need, limit))
	}
	return out, adviseLack(err, "retention: last or summary needs less, --data chooses a folder on a larger disk, and "+
		"--any-disk begins all the same: a run that fills the disk stops, and goes on when there is room")
}
