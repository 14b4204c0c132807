package export

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrOccupied is wrapped when a folder holds files that its replacement would delete.
var ErrOccupied = errors.New("is not replaced")

// A Folder is a folder of outputs that appears under its name complete or not at all, in place of an earlier one. It is
// written in a scratch beside it, and given its name by [Folder.Replace].
type Folder struct {
	path, sums string
	scratch    *scratch
	done       bool
}

// CreateFolder begins a folder at path. A folder there must be empty, or hold a file of the name sums that lists each
// of its files with its SHA-256, as sha256sum does: such a folder has not been changed since it was made.
func CreateFolder(path, sums string) (*Folder, error) {
	if linked, err := filepath.EvalSymlinks(path); err == nil {
		path = linked // the folder is replaced, not the link
	}
	path = filepath.Clean(path)
	sweep(path)
	if err := replaceable(path, sums); err != nil {
		return nil, fmt.Errorf("output %s: %w", path, plain(err))
	}
	s, err := newScratch(path)
	if err != nil {
		return nil, fmt.Errorf("output %s: %w", path, plain(err))
	}
	f := &Folder{path: path, sums: sums, scratch: s}
	if err := os.Mkdir(s.new(), 0o700); err != nil {
		f.Abort()
		return nil, fmt.Errorf("output %s: %w", path, plain(err))
	}
	return f, nil
}

// replaceable says whether nothing is lost when the folder at path is replaced.
func replaceable(path, sums string) error {
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || len(entries) == 0 {
		return err
	}
	list, err := os.ReadFile(filepath.Join(path, sums))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the folder is not empty, and %w: it has no file %s", ErrOccupied, sums)
	}
	if err != nil {
		return err
	}
	known := map[string]string{sums: ""}
	for line := range bytes.Lines(list) {
		if sum, name, ok := strings.Cut(strings.TrimSuffix(string(line), "\n"), "  "); ok {
			known[name] = sum
		}
	}
	return filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(path, p)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		sum, ok := known[name]
		if !ok || !d.Type().IsRegular() {
			return fmt.Errorf("the folder %w: %s does not list %s", ErrOccupied, sums, name)
		}
		if name == sums {
			return nil
		}
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		if fmt.Sprintf("%x", sha256.Sum256(b)) != sum {
			return fmt.Errorf("the folder %w: %s was changed", ErrOccupied, name)
		}
		return nil
	})
}

// Write writes a file of the folder. name has slashes.
func (f *Folder) Write(name string, data []byte) error {
	path := filepath.Join(f.scratch.new(), filepath.FromSlash(name))
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = writeSynced(path, data)
	}
	if err != nil {
		return fmt.Errorf("output %s: %w", filepath.Join(f.path, name), plain(err))
	}
	return nil
}

func writeSynced(path string, data []byte) error {
	w, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return errors.Join(err, w.Sync(), w.Close())
}

// Replace gives the folder its name, in place of the folder that is there. When it fails, that one stays.
func (f *Folder) Replace() error {
	defer f.Abort()
	err := os.Chmod(f.scratch.new(), 0o755)
	if err == nil {
		err = replaceable(f.path, f.sums) // it may have changed meanwhile
	}
	if err == nil {
		err = exchange(f.scratch)
	}
	if err != nil {
		return fmt.Errorf("output %s: %w", f.path, plain(err))
	}
	return syncDir(filepath.Dir(f.path))
}

// Abort removes the unfinished folder, or after Replace the one that it has replaced.
func (f *Folder) Abort() {
	if !f.done {
		f.done = true
		f.scratch.remove()
	}
}

// moveAside gives the folder in a scratch its name, and keeps the folder there in the scratch. Between the two
// there is none.
func moveAside(s *scratch) error {
	err := os.Rename(s.path, s.old())
	if errors.Is(err, fs.ErrNotExist) {
		return os.Rename(s.new(), s.path)
	}
	if err != nil {
		return err
	}
	if err := os.Rename(s.new(), s.path); err != nil {
		return errors.Join(err, os.Rename(s.old(), s.path))
	}
	return nil
}
