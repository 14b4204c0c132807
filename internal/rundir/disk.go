package rundir

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// FreeDisk returns the bytes that an unprivileged process may still write where dir is, or will be: it looks at the
// nearest parent that exists. 0 without an error says that this system does not tell.
func FreeDisk(dir string) (uint64, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return 0, err
	}
	for {
		free, err := statfs(dir)
		parent := filepath.Dir(dir)
		if !errors.Is(err, fs.ErrNotExist) || parent == dir {
			return free, err
		}
		dir = parent
	}
}
