package kv

import (
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Lock makes sure that no other process uses a folder, until the lock is closed. The folder is made when it is absent.
// Errors wrap ErrLocked.
func Lock(dir string) (io.Closer, error) {
	if err := makeFolder(vfs.Default, dir); err != nil {
		return nil, err
	}
	return lockFolder(dir, vfs.Default)
}

// briefLock is a file system whose lock Pebble holds for as long as it likes, and which others can have after release.
type briefLock struct {
	vfs.FS
	held io.Closer
}

// Lock implements vfs.FS.
func (b *briefLock) Lock(name string) (_ io.Closer, err error) {
	b.held, err = b.FS.Lock(name)
	return nothing{}, err
}

func (b *briefLock) release() {
	if b.held != nil {
		free(b.held)
	}
}

type nothing struct{}

func (nothing) Close() error { return nil }
