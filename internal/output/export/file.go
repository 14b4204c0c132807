package export

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrExists is wrapped when an output path is taken. Nothing is ever overwritten.
var ErrExists = errors.New("already exists")

// Free says whether a file can be created at path: nothing is there, and its folder is. It removes what killed
// processes left beside the path.
func Free(path string) error {
	sweep(path)
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("output %s %w", path, ErrExists)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("output %s: %w", path, plain(err))
	}
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("output %s: folder %s: %w", path, dir, plain(err))
	}
	if !info.IsDir() {
		return fmt.Errorf("output %s: %s is not a folder", path, dir)
	}
	return nil
}

// A File is an output that appears under its name complete or not at all: it is written in a scratch beside it, synced,
// and given its name by [File.Commit].
type File struct {
	path    string
	scratch *scratch
	tmp     *os.File
	buf     *bufio.Writer
	done    bool
}

// Create begins an output at path, which must be free.
func Create(path string) (*File, error) {
	if err := Free(path); err != nil {
		return nil, err
	}
	return create(path)
}

// CreateOver begins an output at path, where [File.Replace] is to put it whatever is there.
func CreateOver(path string) (*File, error) {
	sweep(path)
	return create(path)
}

func create(path string) (*File, error) {
	s, err := newScratch(path)
	if err != nil {
		return nil, fmt.Errorf("output %s: %w", path, plain(err))
	}
	tmp, err := os.OpenFile(s.new(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		s.remove()
		return nil, fmt.Errorf("output %s: %w", path, plain(err))
	}
	return &File{path: path, scratch: s, tmp: tmp, buf: bufio.NewWriterSize(tmp, 1<<18)}, nil
}

// Write implements io.Writer.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.buf.Write(p)
	if err != nil {
		err = fmt.Errorf("output %s: %w", f.path, plain(err))
	}
	return n, err
}

// Abort removes the unfinished file. After Commit it does nothing, and can be deferred.
func (f *File) Abort() {
	if !f.done {
		f.done = true
		_ = f.tmp.Close() // it can only fail when it is closed already
		f.scratch.remove()
	}
}

// Commit makes the output durable and gives it its name. When it fails nothing is left.
func (f *File) Commit() error { return f.finish(f.link) }

// Replace is Commit in the place of a file with the same name. When it fails, that file stays.
func (f *File) Replace() error {
	return f.finish(func() error { return os.Rename(f.tmp.Name(), f.path) })
}

func (f *File) finish(name func() error) error {
	defer f.Abort()
	if err := f.commit(name); err != nil {
		return fmt.Errorf("output %s: %w", f.path, plain(err))
	}
	return nil
}

func (f *File) commit(name func() error) error {
	if err := f.buf.Flush(); err != nil {
		return err
	}
	if err := f.tmp.Chmod(0o644); err != nil {
		return err
	}
	if err := f.tmp.Sync(); err != nil {
		return err
	}
	if err := f.tmp.Close(); err != nil {
		return err
	}
	if err := name(); err != nil {
		return err
	}
	return syncDir(filepath.Dir(f.path))
}

// link gives the file its name, which must be free. A link, unlike a rename, fails when another process has taken the
// name meanwhile. Not every file system has links.
func (f *File) link() error {
	err := os.Link(f.tmp.Name(), f.path)
	switch {
	case errors.Is(err, fs.ErrExist):
		return ErrExists
	case err == nil:
		return nil // the other name goes with the scratch
	}
	return os.Rename(f.tmp.Name(), f.path)
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

var _ io.Writer = (*File)(nil)

// plain strips the operation and the path from an error of package os: the path is said already, and the temporary name
// means nothing to people.
func plain(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err
	}
	return err
}
