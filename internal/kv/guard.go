package kv

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// guard is the file system below Pebble. Pebble answers a write that fails (a full disk, above all) by ending the
// process, or by a panic in a goroutine of its own. Instead, the guard freezes the folder at the first failed write:
// from then on nothing reaches the disk, and every write is reported as done. On disk that is a crash at that moment,
// which Pebble recovers from; in the process Pebble has nothing to complain about, and every operation of the store
// returns the error that froze it. A commit is confirmed only if the folder is not frozen after its sync.
type guard struct {
	vfs.FS
	dir    string
	failed atomic.Pointer[error]
	sums   written // of the files, but for segments
}

// fail freezes the folder; the first error stays.
func (g *guard) fail(err error) {
	switch {
	case errors.Is(err, syscall.EDQUOT) && !errors.Is(err, ErrDiskFull):
		err = fmt.Errorf("%w: %w", ErrDiskFull, err)
		fallthrough
	case errors.Is(err, ErrDiskFull):
		err = fmt.Errorf("folder %s: the disk is full, free some space and start again: %w", g.dir, err)
	default:
		err = fmt.Errorf("folder %s: writing failed: %w", g.dir, err)
	}
	g.failed.CompareAndSwap(nil, &err)
}

// err returns the error that froze the folder, nil while it is alive.
func (g *guard) err() error {
	if p := g.failed.Load(); p != nil {
		return *p
	}
	return nil
}

func (g *guard) frozen() bool { return g.failed.Load() != nil }

// do carries out a write unless the folder is frozen, and freezes it when the write fails. Only an answer that says
// nothing about the disk is passed on. That something does not exist which is to be written says that the folder itself
// was removed.
func (g *guard) do(write func() error) error {
	if g.frozen() {
		return nil
	}
	err := write()
	if err != nil && !errors.Is(err, fs.ErrExist) {
		g.fail(err)
		err = nil
	}
	return err
}

// remove is do for what need not be there.
func (g *guard) remove(remove func() error) error {
	var missing error
	err := g.do(func() error {
		err := remove()
		if errors.Is(err, fs.ErrNotExist) {
			missing, err = err, nil
		}
		return err
	})
	return errors.Join(err, missing)
}

// open is do for a file to be written.
func (g *guard) open(open func() (vfs.File, error)) (vfs.File, error) {
	var f vfs.File
	err := g.do(func() (err error) {
		f, err = open()
		return err
	})
	if err != nil {
		return nil, err
	}
	return &guardedFile{g: g, f: f}, nil
}

func (g *guard) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := g.open(func() (vfs.File, error) { return g.FS.Create(name, c) })
	if guarded, ok := f.(*guardedFile); ok && !strings.HasSuffix(name, segmentSuffix) {
		guarded.sum = g.sums.begin(name)
	}
	return f, err
}

func (g *guard) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	g.sums.forget(name)
	return g.open(func() (vfs.File, error) { return g.FS.OpenReadWrite(name, c, o...) })
}

func (g *guard) ReuseForWrite(oldname, newname string, c vfs.DiskWriteCategory) (vfs.File, error) {
	g.sums.forget(oldname, newname) // what it has and is not written over stays
	return g.open(func() (vfs.File, error) { return g.FS.ReuseForWrite(oldname, newname, c) })
}

func (g *guard) OpenDir(name string) (vfs.File, error) {
	return g.open(func() (vfs.File, error) { return g.FS.OpenDir(name) })
}

func (g *guard) Link(oldname, newname string) error {
	g.sums.forget(newname)
	return g.do(func() error { return g.FS.Link(oldname, newname) })
}

func (g *guard) Rename(oldname, newname string) error {
	return g.do(func() error {
		err := g.FS.Rename(oldname, newname)
		if err == nil {
			g.sums.rename(oldname, newname)
		}
		return err
	})
}

func (g *guard) MkdirAll(dir string, perm os.FileMode) error {
	return g.do(func() error { return g.FS.MkdirAll(dir, perm) })
}

func (g *guard) Remove(name string) error {
	g.sums.forget(name)
	return g.remove(func() error { return g.FS.Remove(name) })
}

func (g *guard) RemoveAll(name string) error {
	g.sums.forget(name)
	return g.remove(func() error { return g.FS.RemoveAll(name) })
}

func (g *guard) Unwrap() vfs.FS { return g.FS }

// guardedFile is a file open for writing; f is nil when it was opened after the freeze. sum is nil when nobody will ask
// for it.
type guardedFile struct {
	g   *guard
	f   vfs.File
	sum *writtenFile
}

func (f *guardedFile) do(write func() error) error {
	if f.f == nil {
		return nil
	}
	return f.g.do(write)
}

func (f *guardedFile) Write(p []byte) (int, error) {
	return len(p), f.do(func() error {
		if f.sum != nil { // before Write, which may change p; where it fails, nobody asks for the sum any more
			f.g.sums.add(f.sum, p)
		}
		n, err := f.f.Write(p)
		if err == nil && n < len(p) {
			err = io.ErrShortWrite
		}
		return err
	})
}

func (f *guardedFile) WriteAt(p []byte, at int64) (int, error) {
	return len(p), f.do(func() error {
		n, err := f.f.WriteAt(p, at)
		if err == nil && n < len(p) {
			err = io.ErrShortWrite
		}
		return err
	})
}

func (f *guardedFile) Sync() error     { return f.do(func() error { return f.f.Sync() }) }
func (f *guardedFile) SyncData() error { return f.do(func() error { return f.f.SyncData() }) }

func (f *guardedFile) SyncTo(n int64) (full bool, err error) {
	err = f.do(func() (err error) {
		full, err = f.f.SyncTo(n)
		return err
	})
	return full, err
}

// Preallocate only asks for a favour; a disk too full for it fails the write that follows.
func (f *guardedFile) Preallocate(offset, length int64) error {
	if f.f != nil && f.g.err() == nil {
		_ = f.f.Preallocate(offset, length)
	}
	return nil
}

func (f *guardedFile) Close() error {
	if f.f == nil {
		return nil
	}
	if err := f.f.Close(); err != nil && f.g.err() == nil {
		f.g.fail(err)
	}
	return nil
}

func (f *guardedFile) Read(p []byte) (int, error) {
	if f.f == nil {
		return 0, io.EOF
	}
	return f.f.Read(p)
}

func (f *guardedFile) ReadAt(p []byte, at int64) (int, error) {
	if f.f == nil {
		return 0, io.EOF
	}
	return f.f.ReadAt(p, at)
}

func (f *guardedFile) Stat() (vfs.FileInfo, error) {
	if f.f == nil {
		return noInfo{}, nil
	}
	return f.f.Stat()
}

// noInfo describes a file opened after the freeze: it is empty.
type noInfo struct{}

func (noInfo) Name() string           { return "" }
func (noInfo) Size() int64            { return 0 }
func (noInfo) Mode() fs.FileMode      { return 0 }
func (noInfo) ModTime() time.Time     { return time.Time{} }
func (noInfo) IsDir() bool            { return false }
func (noInfo) Sys() any               { return nil }
func (noInfo) DeviceID() vfs.DeviceID { return vfs.DeviceID{} }

func (f *guardedFile) Prefetch(offset, length int64) error {
	if f.f == nil {
		return nil
	}
	return f.f.Prefetch(offset, length)
}

func (f *guardedFile) Fd() uintptr {
	if f.f == nil {
		return vfs.InvalidFd
	}
	return f.f.Fd()
}
