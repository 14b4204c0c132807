package export

import (
	"errors"

	"golang.org/x/sys/unix"
)

// exchange gives the folder in a scratch its name, at once, and puts the folder there, if there is one, in the
// scratch.
func exchange(s *scratch) error {
	err := unix.Renameat2(unix.AT_FDCWD, s.new(), unix.AT_FDCWD, s.path, unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return moveAside(s) // there is none, or the file system cannot
	}
	return err
}
