package rundir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pagoda/internal/kv"
)

// spoil damages a database.
func spoil(dir string) error {
	names, err := filepath.Glob(filepath.Join(dir, "MANIFEST-*"))
	if err != nil || len(names) != 1 {
		return errors.Join(err, errors.New("no manifest"))
	}
	return os.WriteFile(names[0], []byte("nonsense"), 0o600)
}

// TestDamagedIsKept: a damaged store is kept as store.damaged when it is replaced, and one that was merely never closed
// is not.
func TestDamagedIsKept(t *testing.T) {
	for name, c := range map[string]struct {
		damage func(store string) error
		kept   bool
	}{
		"damaged": {spoil, true},
		"never closed": {func(store string) error {
			sums := filepath.Join(store, "CHECKSUMS")
			return errors.Join(os.Remove(sums), os.WriteFile(filepath.Join(store, "OPENED"), []byte("3\n"), 0o600))
		}, false},
	} {
		dir := t.TempDir()
		store, _, aside := storePaths(dir)
		s, damage, err := OpenStore(dir, "r", kv.Options{})
		if err != nil || damage != nil {
			t.Fatal(damage, err)
		}
		if err := errors.Join(s.Close(), c.damage(store)); err != nil {
			t.Fatal(err)
		}
		s, damage, err = OpenStore(dir, "r", kv.Options{})
		if err != nil || !errors.Is(damage, kv.ErrCorrupt) || errors.Is(damage, kv.ErrNeverClosed) == c.kept ||
			!strings.Contains(damage.Error(), "0 windows in it could be read") {
			t.Fatalf("%s: %v, %v", name, damage, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(aside); errors.Is(err, fs.ErrNotExist) == c.kept {
			t.Errorf("%s: %s: %v", name, aside, err)
		}
	}
}

// TestWriteFileInAnyPlace: writeFile replaces a file or a link in its place. It keeps a folder aside, with its files.
func TestWriteFileInAnyPlace(t *testing.T) {
	for name, put := range map[string]func(path, other string) error{
		"nothing": func(string, string) error { return nil },
		"file":    func(path, _ string) error { return os.WriteFile(path, []byte("old"), 0o600) },
		"link":    func(path, other string) error { return os.Symlink(other, path) },
		"folder": func(path, _ string) error {
			return errors.Join(os.Mkdir(path, 0o700), os.WriteFile(filepath.Join(path, "a"), []byte("kept"), 0o600))
		},
	} {
		for _, suffix := range []string{"", ".tmp"} {
			dir := t.TempDir()
			path, other := filepath.Join(dir, "file"), filepath.Join(dir, "other")
			if err := errors.Join(os.WriteFile(other, []byte("other"), 0o600), put(path+suffix, other)); err != nil {
				t.Fatal(err)
			}
			if err := writeFile(path, []byte("new"), true); err != nil {
				t.Errorf("%s at file%s: %v", name, suffix, err)
			}
			info, err := os.Lstat(path)
			if b, rerr := os.ReadFile(path); err != nil || rerr != nil || string(b) != "new" || !info.Mode().IsRegular() {
				t.Errorf("%s at file%s: %q, %v, %v", name, suffix, b, err, rerr)
			}
			if b, err := os.ReadFile(other); err != nil || string(b) != "other" {
				t.Errorf("%s at file%s: the link was followed: %q, %v", name, suffix, b, err)
			}
			if b, _ := os.ReadFile(filepath.Join(asidePath(path+suffix), "a")); (string(b) == "kept") != (name == "folder") {
				t.Errorf("%s at file%s: %q is kept", name, suffix, b)
			}
		}
	}
}
