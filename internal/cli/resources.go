package cli

import (
	"os"
	"runtime/debug"

	"pagoda/internal/pipeline"
	"pagoda/internal/puzzle"
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

// Resources says how a process with a limit on its memory, in bytes, computes windows of p. The cache takes half of
// what the windows leave.
func Resources(p puzzle.Puzzle, slots int, keep pipeline.Keep, limit uint64) pipeline.Resources {
	use := pipeline.Resources{Slots: max(1, slots), Keep: keep}
	if pred, err := pipeline.Predict(p, use); err == nil { // its error is reported by who asks next
		if limit > pred.MemoryBytes {
			use.CacheBytes = min((limit-pred.MemoryBytes)/2, CacheBytes(&pred))
		}
	}
	return use
}

// LimitMemory has the runtime keep to limit bytes less those that databases take outside its sight. GOMEMLIMIT, where
// it is set, has the last word.
func LimitMemory(limit, outside uint64) {
	if os.Getenv("GOMEMLIMIT") == "" && limit > 2*outside {
		debug.SetMemoryLimit(int64(limit - outside))
	}
}
