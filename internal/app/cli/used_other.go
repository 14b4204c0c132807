//go:build !unix

package cli

import "time"

// Used returns the time since the start of this process, and 0: the system is not asked for the time of the processors,
// and for memory.
func Used() (cpu time.Duration, peak uint64) { return time.Since(processStart), 0 }
