package export

import (
	"errors"

	"golang.org/x/sys/unix"
)

// exchange gives the folder at tmp the name path, at once, and the folder there, if there is one, the name tmp.
func exchange(tmp, path string) error {
	err := unix.Renameat2(unix.AT_FDCWD, tmp, unix.AT_FDCWD, path, unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return moveAside(tmp, path) // there is none, or the file system cannot
	}
	return err
}
