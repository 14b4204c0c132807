package kv

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestPlaces puts links and folders in the place of files of a store. It is then damaged and the error names the file;
// the lock, which holds nothing, is made anew; and no file is made where a dangling link leads.
func TestPlaces(t *testing.T) {
	made := func(t *testing.T) string {
		t.Helper()
		dir := filepath.Join(t.TempDir(), "store")
		s, err := Open(dir, "r", Options{})
		if err == nil {
			err = s.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		return dir
	}
	entries, err := os.ReadDir(made(t))
	if err != nil || len(entries) < 6 {
		t.Fatal(entries, err)
	}
	for _, e := range entries {
		for what, put := range map[string]func(path string) error{
			"link":   func(path string) error { return os.Symlink(path+".nowhere", path) },
			"folder": func(path string) error { return os.MkdirAll(filepath.Join(path, "below"), 0o755) },
		} {
			dir := made(t)
			path := filepath.Join(dir, e.Name())
			if err := errors.Join(os.Remove(path), put(path)); err != nil {
				t.Fatal(err)
			}
			for _, o := range []Options{{ReadOnly: true}, {}} {
				s, err := Open(dir, "r", o)
				if err == nil {
					_ = s.Close()
				}
				if lock := e.Name() == "LOCK" && !o.ReadOnly; (err == nil) != lock || !lock && !errors.Is(err, ErrCorrupt) {
					t.Errorf("%s: %s, read only %t: %v", e.Name(), what, o.ReadOnly, err)
				}
			}
			if _, err := os.Lstat(path + ".nowhere"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %s: the link was followed: %v", e.Name(), what, err)
			}
		}
	}
	// Salvage works on a folder that is none.
	dir := filepath.Join(t.TempDir(), "store")
	if err := os.WriteFile(dir, []byte("a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, "r", Options{}); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a file in the place of a folder: %v", err)
	}
	if n, err := SalvageStore(dir, dir+".new", "r", Options{}); n != 0 || err != nil {
		t.Errorf("salvage of a file: %d, %v", n, err)
	}
}
