//go:build !unix

package estimate

import "time"

// cpuTime is the wall clock where the system is not asked for the processor's.
func cpuTime() time.Duration { return time.Since(processStart) }
