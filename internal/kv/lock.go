package kv

import (
	"io"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Lock makes sure that no other process uses a folder, until the lock is closed. The folder is made when it is absent.
// Errors wrap ErrLocked.
func Lock(dir string) (io.Closer, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return lockFolder(dir, vfs.Default)
}
