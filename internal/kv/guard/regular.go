package guard

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pagoda/internal/puzzle/blocks"
	"pagoda/internal/readfile"
)

// LockName is the file that Pebble locks a folder with. OpenedName is the one that counts openings of a store.
const (
	LockName   = "LOCK"
	OpenedName = "OPENED"
)

// Regular returns an error that wraps blocks.ErrCorrupt, and names path, when something else than a regular file is at
// path. A missing file is none of its business. Pebble would follow a link, to an endless device too, and wait for the
// writer of a pipe.
func Regular(fsys vfs.FS, path string) error {
	if vfs.Root(fsys) != vfs.Default { // files in memory are all regular
		return nil
	}
	err := readfile.Regular(path)
	if errors.Is(err, readfile.ErrNotRegular) {
		return fmt.Errorf("%w: %w", blocks.ErrCorrupt, err)
	}
	return nil
}

// CheckRegular is Regular for all files of a folder that the program makes. The segments are read only on demand, and
// left out when segments is false.
func (g *FS) CheckRegular(segments bool) error {
	names, err := g.List(g.dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		own := DatabaseFile(name) || name == LockName || name == ChecksumsName || name == OpenedName ||
			strings.HasSuffix(name, ".tmp") || segments && strings.HasSuffix(name, g.unsummed)
		if !own {
			continue
		}
		if err := Regular(g, g.PathJoin(g.dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// CheckFolder returns an error that wraps blocks.ErrCorrupt when something else than a folder, or a link to one, is at
// dir. A missing folder is none of its business.
func CheckFolder(fsys vfs.FS, dir string) error {
	if vfs.Root(fsys) != vfs.Default {
		return nil
	}
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if info, err := os.Stat(dir); err == nil && info.IsDir() || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return fmt.Errorf("%w: %s is neither a folder nor a link to one", blocks.ErrCorrupt, dir)
}

// Open implements vfs.FS. It opens regular files alone.
func (g *FS) Open(name string, o ...vfs.OpenOption) (vfs.File, error) {
	if err := Regular(g, name); err != nil {
		return nil, err
	}
	return g.FS.Open(name, o...)
}
