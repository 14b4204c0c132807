package readfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ErrNotRegular is wrapped when a folder, a link, a pipe, a socket or a device is where a regular file belongs.
var ErrNotRegular = errors.New("no regular file")

// Own is Bounded for a file that the program itself writes into a folder of its own. It follows no link and waits for
// no pipe: the program makes neither, so the error of anything but a regular file wraps ErrNotRegular. All errors name
// the path.
func Own(path string, limit int64) ([]byte, error) {
	if err := Regular(path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|ownFlags, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	if err == nil {
		err = regular(path, info.Mode())
	}
	if err != nil {
		return nil, err
	}
	b, err := all(f, limit)
	if errors.Is(err, ErrTooLarge) {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return b, err
}

// Regular returns nil when a regular file is at path. Otherwise the error names path, and wraps ErrNotRegular or is
// that of the file system.
func Regular(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	return regular(path, info.Mode())
}

func regular(path string, mode fs.FileMode) error {
	kind := "a special file"
	switch mode.Type() {
	case 0:
		return nil
	case fs.ModeDir:
		kind = "a folder"
	case fs.ModeSymlink:
		kind = "a symbolic link"
	case fs.ModeNamedPipe:
		kind = "a pipe"
	case fs.ModeSocket:
		kind = "a socket"
	case fs.ModeDevice, fs.ModeDevice | fs.ModeCharDevice:
		kind = "a device"
	}
	return fmt.Errorf("%s: %w: %s is in its place", path, ErrNotRegular, kind)
}
