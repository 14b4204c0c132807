package estimate

import (
	"errors"

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
	// Of what a worker keeps of others' windows.
	minFetched   = 64 << 20
	fetchedShare = 4
)

// CacheBytes is the cache that a run predicted so can make use of: as large as its windows are, within the bounds, and
// what its puzzle says that they share.
func CacheBytes(pred *plan.Prediction) uint64 {
	return max(minCache, min(maxCache, pred.MemoryBytes), pred.SharedBytes)
}

// FetchedBytes is what the windows that a worker has fetched from others may take of its memory, as they came: less
// than it would cost to fetch them again for each of their readers. Between the windows of a layer that read the same
// lies most of the layer.
func FetchedBytes(memory uint64) uint64 { return max(minFetched, memory/fetchedShare) }

// Resources says how a process with a limit on its memory, in bytes, computes windows of a plan, and what that takes.
// The cache takes half of what the windows leave. Where the limit leaves no room for the largest windows in every slot,
// windows wait for each other's memory.
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

// resources says how a job is carried out, and what that takes.
func resources(j *runs.Job, pl *plan.Plan) (plan.Resources, plan.Prediction) {
	return Resources(pl, int(j.Config.Uint("concurrency")), plan.Retention(j.Config.Text("retention")),
		j.Config.Uint("memory_limit_bytes"))
}

// freeDisk is what the run may use of the disk: what is free, and what its folder has already.
func freeDisk(j *runs.Job) (uint64, error) {
	free, err := rundir.FreeDisk(j.Dir)
	if err != nil || free == 0 {
		return free, cli.AdviseFolder(err, j.Dir)
	}
	used, err := rundir.UsedDisk(j.Dir)
	return free + used, cli.AdviseFolder(err, j.Dir)
}

// Scratch says how a job is carried out again in a folder of its own below dir, which keeps nothing that is not needed,
// and whether the machine can hold that.
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

// adviseLack adds to an error of a prediction what to do about it.
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
	Resume bool // the folder has the run already: it was accepted, so it is not refused now
	// AnyDisk says that it begins also where the disk may be too small.
	AnyDisk bool
}

// A Preflight is what is known before a run begins.
type Preflight struct {
	Use plan.Resources
	// MemoryLimit is what the process has to keep to, in bytes: the limit that was set, or what the plan says that the run
	// takes at most, where that is less. The collector would otherwise leave as much garbage as there is room for.
	MemoryLimit uint64
	// Disk says that the disk may be too small for a run that begins all the same; nil where it is not.
	Disk *plan.ResourceError
}

// Check says whether the machine can hold the run. In a fleet, rows are spread over its workers, and a process that
// computes nothing needs no memory for windows. A full disk loses nothing, and what a disk must hold is a bound: a run
// that has begun is not refused for it.
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
