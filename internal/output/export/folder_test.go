package export

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const sums = "list.sha256"

// publish makes a folder of files, with their list.
func publish(t *testing.T, path string, files map[string]string) error {
	t.Helper()
	f, err := CreateFolder(path, sums)
	if err != nil {
		return err
	}
	defer f.Abort()
	list := ""
	for name, text := range files {
		list += fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(text)), name)
		if err := f.Write(name, []byte(text)); err != nil {
			return err
		}
	}
	if err := f.Write(sums, []byte(list)); err != nil {
		return err
	}
	return f.Replace()
}

func holds(t *testing.T, path, want string) {
	t.Helper()
	if b, err := os.ReadFile(path); err != nil || string(b) != want {
		t.Errorf("%s holds %q, want %q: %v", path, b, want, err)
	}
}

// TestFolder: a folder appears, and replaces one that was made so; nothing is left beside it.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "book")
	for _, text := range []string{"first", "second"} {
		if err := publish(t, path+"/", map[string]string{"index.html": text, "a/b/" + text: "x"}); err != nil {
			t.Fatal(err)
		}
		holds(t, filepath.Join(path, "index.html"), text)
	}
	if got := entries(t, filepath.Join(path, "a", "b")); !slices.Equal(got, []string{"second"}) {
		t.Errorf("a/b has %q", got)
	}
	empty := filepath.Join(dir, "empty")
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := publish(t, empty, map[string]string{"x": "y"}); err != nil {
		t.Error(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink("book", link); err != nil {
		t.Fatal(err)
	}
	if err := publish(t, link, map[string]string{"index.html": "third"}); err != nil {
		t.Error(err)
	}
	holds(t, filepath.Join(path, "index.html"), "third")
	if to, err := os.Readlink(link); err != nil || to != "book" {
		t.Errorf("the link leads to %q: %v", to, err)
	}
	if got := entries(t, dir); !slices.Equal(got, []string{"book", "empty", "link"}) {
		t.Errorf("left behind: %q", got)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("mode %v: %v", info.Mode(), err)
	}
}

// TestOccupied: a folder with a file that its list does not have, or that was changed, is not replaced.
func TestOccupied(t *testing.T) {
	for want, change := range map[string]func(path string) error{
		"does not list more": func(path string) error { return os.WriteFile(filepath.Join(path, "more"), nil, 0o600) },
		"index.html was changed": func(path string) error {
			return os.WriteFile(filepath.Join(path, "index.html"), []byte("own"), 0o600)
		},
		"does not list a/link":   func(path string) error { return os.Symlink("b", filepath.Join(path, "a", "link")) },
		"it has no file " + sums: func(path string) error { return os.Remove(filepath.Join(path, sums)) },
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "book")
		first := map[string]string{"index.html": "first", "a/b": "x"}
		if err := publish(t, path, first); err != nil {
			t.Fatal(err)
		}
		// The change comes before the folder is begun, and while it is written.
		late, err := CreateFolder(path, sums)
		if err != nil {
			t.Fatal(err)
		}
		if err := change(path); err != nil {
			t.Fatal(err)
		}
		before := entries(t, path)
		for _, err := range []error{publish(t, path, first), late.Replace()} {
			if !errors.Is(err, ErrOccupied) || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
		}
		if got := entries(t, path); !slices.Equal(got, before) {
			t.Errorf("%s: the folder has %q, and had %q", want, got, before)
		}
		if got := entries(t, dir); !slices.Equal(got, []string{"book"}) {
			t.Errorf("%s: left behind: %q", want, got)
		}
	}
}

// TestAbortedFolder: a folder that is not completed leaves the one that is there.
func TestAbortedFolder(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "book")
	if err := publish(t, path, map[string]string{"index.html": "first"}); err != nil {
		t.Fatal(err)
	}
	f, err := CreateFolder(path, sums)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Write("index.html", []byte("second")), f.Write("index.html/x", nil)); err == nil {
		t.Error("a file was made in a file")
	}
	f.Abort()
	f.Abort()
	holds(t, filepath.Join(path, "index.html"), "first")
	if got := entries(t, dir); !slices.Equal(got, []string{"book"}) {
		t.Errorf("left behind: %q", got)
	}
	if _, err := CreateFolder(filepath.Join(path, "index.html"), sums); err == nil {
		t.Error("a file was taken for a folder")
	}
}

// TestMoveAside: the way of file systems that cannot exchange two folders.
func TestMoveAside(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "book")
	for _, text := range []string{"first", "second"} {
		f, err := CreateFolder(path, sums)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(f.Write("index.html", []byte(text)), f.Write(sums, nil),
			moveAside(f.scratch)); err != nil {
			t.Fatal(err)
		}
		holds(t, filepath.Join(path, "index.html"), text)
		if err := moveAside(f.scratch); err == nil {
			t.Error("a folder that is not there was moved")
		}
		holds(t, filepath.Join(path, "index.html"), text)
		f.Abort()
		if err := os.WriteFile(filepath.Join(path, sums),
			fmt.Appendf(nil, "%x  index.html\n", sha256.Sum256([]byte(text))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := entries(t, dir); !slices.Equal(got, []string{"book"}) {
		t.Errorf("left behind: %q", got)
	}
}
