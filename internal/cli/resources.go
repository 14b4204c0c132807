package cli

import (
	"os"
	"runtime/debug"
)

// LimitMemory has the runtime keep to limit bytes less those that databases take outside its sight. GOMEMLIMIT, where
// it is set, has the last word.
func LimitMemory(limit, outside uint64) {
	if os.Getenv("GOMEMLIMIT") == "" && limit > 2*outside {
		debug.SetMemoryLimit(int64(limit - outside))
	}
}
