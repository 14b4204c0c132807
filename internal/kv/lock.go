package kv

import (
	"errors"
	"io"
	"io/fs"
	"syscall"

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

// readerLock is a file system for those who only read. A lock is a file that is made; where that cannot be, its reader
// makes do with what can be had there.
type readerLock struct{ vfs.FS }

// Lock implements vfs.FS.
func (r readerLock) Lock(name string) (io.Closer, error) {
	lock, err := r.FS.Lock(name)
	if err == nil || !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
		return lock, err
	}
	if r.FS != vfs.Default {
		return nothing{}, nil
	}
	return sharedLock(name)
}

type nothing struct{}

func (nothing) Close() error { return nil }
