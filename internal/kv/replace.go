package kv

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pagoda/internal/kv/guard"
)

// Replace puts the folder fresh in the place of the folder dir, neither of which is open, and keeps the old one as
// aside, replacing what is there. A crash in between leaves fresh complete and dir missing; see Recover.
func Replace(dir, fresh, aside string, o Options) error {
	fsys := o.fileSystem()
	// A folder that has just been filled must not be lost with its name.
	err := guard.SyncDir(fsys, fsys.PathDir(dir))
	if err == nil {
		err = fsys.RemoveAll(aside)
	}
	if err == nil {
		err = fsys.Rename(dir, aside)
	}
	if err == nil {
		err = fsys.Rename(fresh, dir)
	}
	if err == nil {
		err = guard.SyncDir(fsys, fsys.PathDir(dir))
	}
	if err != nil {
		return fmt.Errorf("put folder %s in the place of %s: %w", fresh, dir, err)
	}
	return nil
}

// Recover finishes a Replace that was cut off: when dir is missing and aside is there, fresh takes its place.
func Recover(dir, fresh, aside string, o Options) error {
	fsys := o.fileSystem()
	for _, f := range []struct {
		path string
		want bool
	}{{dir, false}, {aside, true}, {fresh, true}} {
		there, err := exists(fsys, f.path)
		if err != nil || there != f.want {
			return err
		}
	}
	return errors.Join(fsys.Rename(fresh, dir), guard.SyncDir(fsys, fsys.PathDir(dir)))
}

// MakeFolder makes a folder with its missing parents, so that a crash loses none of them: synced files are of no use
// when their folder is gone.
func MakeFolder(dir string, o Options) error { return makeFolder(o.fileSystem(), dir) }

func makeFolder(fsys vfs.FS, dir string) error {
	var parents []string // of the missing folders
	for path := dir; ; path = fsys.PathDir(path) {
		if there, err := exists(fsys, path); err != nil || there {
			if err != nil {
				return err
			}
			break
		}
		parent := fsys.PathDir(path)
		parents = append(parents, parent)
		if parent == path || parent == "." || parent == "" {
			break
		}
	}
	if err := fsys.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, parent := range parents {
		if err := guard.SyncDir(fsys, parent); err != nil {
			return err
		}
	}
	return nil
}

// Remove removes a folder that is not open.
func Remove(dir string, o Options) error { return o.fileSystem().RemoveAll(dir) }

func (o *Options) fileSystem() vfs.FS {
	if o.FS == nil {
		return vfs.Default
	}
	return o.FS
}

// Exists reports whether there is a folder or file at path.
func Exists(path string, o Options) (bool, error) { return exists(o.fileSystem(), path) }

func exists(fsys vfs.FS, path string) (bool, error) {
	_, err := fsys.Stat(path)
	if err == nil {
		return true, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return false, err
}
