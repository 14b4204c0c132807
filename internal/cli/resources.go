package cli

import (
	"os"
	"runtime/debug"

	"pagoda/internal/pipeline"
)

// Bounds of the cache of decoded windows. A window is decoded once and read by up to four children; more than the
// windows of the layers at work is not needed.
const (
	minCache = 64 << 20
	maxCache = 1 << 30
)

// CacheBytes is the cache that a run predicted so can make use of.
func CacheBytes(pred *pipeline.Prediction) uint64 {
	return max(minCache, min(maxCache, pred.MemoryBytes))
}

// Resources says how a process with a limit on its memory, in bytes, computes windows of a plan, and what that takes.
// The cache takes half of what the windows leave.
func Resources(
	plan *pipeline.Plan, concurrency int, keep pipeline.Keep, limit uint64,
) (pipeline.Resources, pipeline.Prediction) {
	use := pipeline.Resources{Concurrency: max(1, concurrency), Keep: keep}
	pred := plan.Predict(use)
	if limit > pred.MemoryBytes {
		use.CacheBytes = min((limit-pred.MemoryBytes)/2, CacheBytes(&pred))
		pred = plan.Predict(use)
	}
	return use, pred
}

// LimitMemory has the runtime keep to limit bytes less those that databases take outside its sight. GOMEMLIMIT, where
// it is set, has the last word.
func LimitMemory(limit, outside uint64) {
	if os.Getenv("GOMEMLIMIT") == "" && limit > 2*outside {
		debug.SetMemoryLimit(int64(limit - outside))
	}
}
