//go:build unix

package estimate

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time of this process so far. On a busy machine it says more than the wall clock.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return time.Since(processStart)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
