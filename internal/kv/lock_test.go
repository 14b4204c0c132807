package kv

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pagoda/internal/kv/guard"
)

// TestLock: a folder that is locked is not opened again before the lock is closed. It is made when it is absent.
// A link in the place of the lock is moved aside.
func TestLock(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "store")
	path := filepath.Join(dir, guard.LockName)
	other := filepath.Join(t.TempDir(), "other")
	if err := errors.Join(os.MkdirAll(dir, 0o755), os.Symlink(other, path)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		lock, err := Lock(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Lock(dir); !errors.Is(err, ErrLocked) {
			t.Errorf("a second lock: %v", err)
		}
		if err := opened(dir, testRun, Options{}); !errors.Is(err, ErrLocked) {
			t.Errorf("a store: %v", err)
		}
		closed(t, lock)
		if err := opened(dir, testRun, Options{}); err != nil {
			t.Errorf("after the lock: %v", err)
		}
	}
	if _, err := os.Lstat(other); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the link was followed: %v", err)
	}
	if to, err := os.Readlink(path + ".damaged"); err != nil || to != other {
		t.Errorf("the link is not kept: %q, %v", to, err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(filepath.Join(file, "store")); err == nil || errors.Is(err, ErrLocked) {
		t.Errorf("below a file: %v", err)
	}
}

// TestSharedLock: where a reader may not make a lock, it takes one that other readers can have too. Where there is no
// file to lock, it takes none.
func TestSharedLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), guard.LockName)
	if lock, err := sharedLock(path); err != nil || lock != (nothing{}) {
		t.Errorf("without a file: %v, %v", lock, err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		lock, err := sharedLock(path)
		if _, isFile := lock.(*os.File); err != nil || !isFile {
			t.Fatalf("%v, %v", lock, err)
		}
		defer closed(t, lock)
	}
}

// TestReaderLock: a reader that may not make a lock does without one. Other failures of the disk are errors.
func TestReaderLock(t *testing.T) {
	for errno, locked := range map[error]bool{syscall.EROFS: true, syscall.EACCES: true, syscall.EIO: false} {
		lock, err := readerLock{lockFails{vfs.NewMem(), errno}}.Lock("LOCK")
		if (err == nil) != locked || locked && lock != (nothing{}) || !locked && !errors.Is(err, errno) {
			t.Errorf("%v: %v, %v", errno, lock, err)
		}
	}
}

type lockFails struct {
	vfs.FS
	err error
}

func (l lockFails) Lock(string) (io.Closer, error) { return nil, l.err }
