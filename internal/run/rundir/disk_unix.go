//go:build linux || darwin || freebsd

package rundir

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func statfs(dir string) (free, size uint64, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, 0, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	// The fields differ in type between systems; some report less than nothing to the unprivileged.
	available, used := uint64(max(0, int64(s.Bavail))), s.Blocks-s.Bfree
	return available * uint64(s.Bsize), (available + used) * uint64(s.Bsize), nil
}

// device names the file system of a folder on this machine.
func device(dir string) (string, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return "", err
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprint(s.Dev), nil
	}
	return "", nil
}

// allocated returns the bytes that a file takes on the disk. Stat counts them in blocks of 512 bytes, whatever the file
// system's blocks are.
func allocated(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Blocks) * 512
	}
	return uint64(info.Size())
}
