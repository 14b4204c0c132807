package cli

import (
	"os"
	"runtime/debug"
)

// programMemory is what a process takes that the runtime does not count: the pages of the program, stacks of threads.
const programMemory = 64 << 20

// LimitMemory has the runtime keep to limit bytes less those that databases take outside its sight, and the program
// itself. GOMEMLIMIT, where it is set, has the last word.
func LimitMemory(limit, outside uint64) {
	if os.Getenv("GOMEMLIMIT") == "" && limit > 2*outside {
		debug.SetMemoryLimit(int64(limit - outside - min(programMemory, limit/8)))
	}
}
