//go:build unix

package readfile_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pagoda/internal/readfile"
)

// TestOwn: of all that can be in the place of a file, a regular file alone is read, and the error names the others.
func TestOwn(t *testing.T) {
	dir, err := os.MkdirTemp("", "own") // short, for the name of a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	at := func(name string) string { return filepath.Join(dir, name) }
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: at("socket"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if err := errors.Join(
		os.WriteFile(at("file"), []byte("content"), 0o600), os.Mkdir(at("folder"), 0o700), syscall.Mkfifo(at("pipe"), 0o600),
		os.Symlink("/dev/zero", at("zeros")), os.Symlink(at("file"), at("link")), os.Symlink(at("none"), at("dangling")),
	); err != nil {
		t.Fatal(err)
	}
	if b, err := readfile.Own(at("file"), 10); err != nil || string(b) != "content" {
		t.Errorf("%q, %v", b, err)
	}
	if _, err := readfile.Own(at("file"), 6); !errors.Is(err, readfile.ErrTooLarge) ||
		!strings.HasPrefix(err.Error(), at("file")+": ") {
		t.Errorf("over the limit: %v", err)
	}
	if _, err := readfile.Own(at("none"), 10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	for name, kind := range map[string]string{
		"folder": "a folder", "pipe": "a pipe", "socket": "a socket",
		"zeros": "a symbolic link", "link": "a symbolic link", "dangling": "a symbolic link",
	} {
		_, err := readfile.Own(at(name), 10)
		if !errors.Is(err, readfile.ErrNotRegular) || !strings.Contains(err.Error(), at(name)) ||
			!strings.Contains(err.Error(), kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
