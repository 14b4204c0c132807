//go:build linux || darwin || freebsd

package rundir

import (
	"os"

	"golang.org/x/sys/unix"
)

func statfs(dir string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	// The fields differ in type between systems; some report less than nothing to the unprivileged.
	return uint64(max(0, int64(s.Bavail))) * uint64(s.Bsize), nil
}
