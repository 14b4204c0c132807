package damage

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// inflict damages one to three files of a folder, and says how. older is the folder of the same run at another time.
func inflict(t *testing.T, rnd *rand.Rand, folder, older string) (done []string) {
	t.Helper()
	for range 1 + rnd.IntN(2)*rnd.IntN(3) {
		if rnd.IntN(10) == 0 {
			done = append(done, replace(t, rnd, folder, older))
			continue
		}
		files := list(t, folder)
		path := files[rnd.IntN(len(files))]
		name, err := filepath.Rel(folder, path)
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		switch kind := rnd.IntN(8); {
		case kind < 4 && len(b) > 0:
			n := 1
			if kind%2 == 1 {
				n += rnd.IntN(100)
			}
			for range n {
				i := rnd.IntN(8 * len(b))
				b[i/8] ^= 1 << (i % 8)
			}
			write(t, path, b)
			done = append(done, fmt.Sprintf("%d bits of %s", n, name))
		case kind == 4 && len(b) > 0:
			n := rnd.IntN(len(b))
			write(t, path, b[:n])
			done = append(done, fmt.Sprintf("%s cut to %d of %d bytes", name, n, len(b)))
		case kind <= 5:
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			done = append(done, name+" removed")
		default:
			other := files[rnd.IntN(len(files))]
			c, err := os.ReadFile(other)
			if err != nil {
				t.Fatal(err)
			}
			write(t, path, c)
			write(t, other, b)
			done = append(done, fmt.Sprintf("%s and %s exchanged", name, filepath.Base(other)))
		}
	}
	return done
}

// replace removes the ledger or the store of a folder, and puts in its place that of another time, or none.
func replace(t *testing.T, rnd *rand.Rand, folder, older string) string {
	t.Helper()
	name := []string{"ledger", "store"}[rnd.IntN(2)]
	if err := os.RemoveAll(filepath.Join(folder, name)); err != nil {
		t.Fatal(err)
	}
	if rnd.IntN(2) == 0 {
		return name + " removed"
	}
	copyFolder(t, filepath.Join(older, name), filepath.Join(folder, name))
	return name + " of another time"
}

// list returns the files of a folder in the order of their names.
func list(t *testing.T, folder string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files in %s: %v", len(files), folder, err)
	}
	return files
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}
