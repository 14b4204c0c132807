//go:build unix

package kv

import (
	"errors"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// sharedLock locks a file against writers; several readers may hold such a lock. A missing file, or a file system
// without locks, has no lock to take, but the folder can be read all the same.
func sharedLock(name string) (io.Closer, error) {
	f, err := os.Open(name)
	if err != nil {
		return nothing{}, nil //nolint:nilerr // there is no lock
	}
	err = unix.FcntlFlock(f.Fd(), unix.F_SETLK, &unix.Flock_t{Type: unix.F_RDLCK, Whence: io.SeekStart})
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) {
		free(f)
		return nil, err
	}
	return f, nil
}
