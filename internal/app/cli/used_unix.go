//go:build unix

package cli

import (
	"runtime"
	"syscall"
	"time"
)

// Used returns the processor time that this process has taken, and the most bytes of memory that it has had.
func Used() (cpu time.Duration, peak uint64) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return time.Since(processStart), 0
	}
	peak = uint64(u.Maxrss) //nolint:gosec // at least 0
	if runtime.GOOS != "darwin" && runtime.GOOS != "ios" {
		peak <<= 10 // elsewhere it is counted in KiB
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), peak
}
