package guard

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

// FS is the file system below Pebble, of one folder. Pebble answers a write that fails (a full disk, above all) by
// ending the process, or by a panic in a goroutine of its own. Instead, the guard freezes the folder at the first
// failed write: from then on nothing reaches the disk, and every write is reported as done. On disk that is a crash at
// that moment, which Pebble recovers from; in the process Pebble has nothing to complain about, and every operation of
// the store returns the error that froze it. A commit is confirmed only if the folder is not frozen after its sync.
type FS struct {
	vfs.FS
	dir      string
	unsummed string
	failed   atomic.Pointer[error]
	sums     written
}

// New returns the guard of a folder. The files whose names end in unsummed are not summed up, see WriteChecksums.
func New(below vfs.FS, dir, unsummed string) *FS { return &FS{FS: below, dir: dir, unsummed: unsummed} }

// ErrDiskFull is wrapped by the error that froze a folder whose disk is full.
var ErrDiskFull error = syscall.ENOSPC

// SyncDir makes the names of a folder's files durable.
func SyncDir(fsys vfs.FS, dir string) error {
	d, err := fsys.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Dir is the folder.
func (g *FS) Dir() string { return g.dir }

// Fail freezes the folder; the first error stays.
func (g *FS) Fail(err error) {
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

// Err returns the error that froze the folder, nil while it is alive.
func (g *FS) Err() error {
	if p := g.failed.Load(); p != nil {
		return *p
	}
	return nil
}

func (g *FS) frozen() bool { return g.failed.Load() != nil }

// do carries out a write unless the folder is frozen, and freezes it when the write fails. Only an answer that says
// nothing about the disk is passed on. A missing file that is to be written says that the folder was removed.
func (g *FS) do(write func() error) error {
	if g.frozen() {
		return nil
	}
	err := write()
	if err != nil && !errors.Is(err, fs.ErrExist) {
		g.Fail(err)
		err = nil
	}
	return err
}

// remove is do for a file that need not exist.
func (g *FS) remove(remove func() error) error {
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
func (g *FS) open(open func() (vfs.File, error)) (vfs.File, error) {
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

// Create implements vfs.FS.
func (g *FS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := g.open(func() (vfs.File, error) { return g.FS.Create(name, c) })
	if guarded, ok := f.(*guardedFile); ok && !strings.HasSuffix(name, g.unsummed) {
		guarded.sum = g.sums.begin(name)
	}
	return f, err
}

// OpenReadWrite implements vfs.FS.
func (g *FS) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	g.sums.forget(name)
	return g.open(func() (vfs.File, error) { return g.FS.OpenReadWrite(name, c, o...) })
}

// ReuseForWrite implements vfs.FS.
func (g *FS) ReuseForWrite(oldname, newname string, c vfs.DiskWriteCategory) (vfs.File, error) {
	g.sums.forget(oldname, newname) // old bytes that are not overwritten stay
	return g.open(func() (vfs.File, error) { return g.FS.ReuseForWrite(oldname, newname, c) })
}

// OpenDir implements vfs.FS.
func (g *FS) OpenDir(name string) (vfs.File, error) {
	return g.open(func() (vfs.File, error) { return g.FS.OpenDir(name) })
}

// Link implements vfs.FS.
func (g *FS) Link(oldname, newname string) error {
	g.sums.forget(newname)
	return g.do(func() error { return g.FS.Link(oldname, newname) })
}

// Rename implements vfs.FS.
func (g *FS) Rename(oldname, newname string) error {
	return g.do(func() error {
		err := g.FS.Rename(oldname, newname)
		if err == nil {
			g.sums.rename(oldname, newname)
		}
		return err
	})
}

// MkdirAll implements vfs.FS.
func (g *FS) MkdirAll(dir string, perm os.FileMode) error {
	return g.do(func() error { return g.FS.MkdirAll(dir, perm) })
}

// Remove implements vfs.FS.
func (g *FS) Remove(name string) error {
	g.sums.forget(name)
	return g.remove(func() error { return g.FS.Remove(name) })
}

// RemoveAll implements vfs.FS.
func (g *FS) RemoveAll(name string) error {
	g.sums.forget(name)
	return g.remove(func() error { return g.FS.RemoveAll(name) })
}

// Unwrap implements vfs.FS.
func (g *FS) Unwrap() vfs.FS { return g.FS }

// guardedFile is a file open for writing. f is nil when it was opened after the freeze, sum for an unsummed file.
type guardedFile struct {
	g   *FS
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
		if f.sum != nil { // before Write, which may change p; after a failed Write the sum is not used any more
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
	if f.f != nil && f.g.Err() == nil {
		_ = f.f.Preallocate(offset, length)
	}
	return nil
}

func (f *guardedFile) Close() error {
	if f.f == nil {
		return nil
	}
	if err := f.f.Close(); err != nil && f.g.Err() == nil {
		f.g.Fail(err)
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
