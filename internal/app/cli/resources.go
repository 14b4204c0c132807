package cli

import (
	"os"
	"runtime/debug"
	"time"
)

// programMemory is memory that the runtime does not count: the pages of the program, stacks of threads.
const programMemory = 64 << 20

// processStart is the beginning of the time in Used where that is the wall clock.
var processStart = time.Now()

// LimitMemory limits the garbage of the runtime, where limit is low, and its memory: to limit bytes, less the program
// itself and the memory that databases take outside the runtime's sight. GOGC and GOMEMLIMIT, where they are set, have
// the last word.
func LimitMemory(limit, outside uint64) {
	if limitsGarbage(os.Getenv("GOGC"), limit) {
		limitGarbage()
	}
	if os.Getenv("GOMEMLIMIT") == "" && limit > 2*outside {
		debug.SetMemoryLimit(int64(limit - outside - min(programMemory, limit/8)))
	}
}
