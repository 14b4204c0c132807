package kv

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pagoda/internal/kv/guard"
)

// Lock makes sure that no other process uses a folder, until the lock is closed. The folder is made when it is absent.
// Errors wrap ErrLocked.
func Lock(dir string) (io.Closer, error) {
	if err := makeFolder(vfs.Default, dir); err != nil {
		return nil, err
	}
	if err := clearLock(dir, vfs.Default); err != nil {
		return nil, err
	}
	return lockFolder(dir, vfs.Default)
}

// clearLock moves anything but a regular file away from the place of a folder's lock. No process of this program can
// hold a lock on it, and a link would lock, or make, a file elsewhere.
func clearLock(dir string, fsys vfs.FS) error {
	path := fsys.PathJoin(dir, guard.LockName)
	if guard.Regular(fsys, path) == nil {
		return nil
	}
	aside := path + ".damaged"
	err := fsys.RemoveAll(aside)
	if err == nil {
		err = fsys.Rename(path, aside)
	}
	if err != nil {
		return fmt.Errorf("folder %s: %w", dir, err)
	}
	return nil
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

// readerLock is a file system for readers. A lock is a file that is made. Where that is not permitted, a reader takes a
// shared lock, or none.
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
