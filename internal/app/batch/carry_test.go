package batch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pagoda/internal/app/runs"
	"pagoda/internal/catalog"
)

// mixed has a base and configs of other folders, and a drawing.
const mixed = `base: above/base.yaml
matrix:
  count: [games, positions]
  include:
    - {count: games, start: r1c0, name: mine}
configs: [small.yaml, above/drawn.yaml]
at_a_time: 2
`

func loadMixed(t *testing.T, environ ...string) *Batch {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.Mkdir("above", 0o700); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		"b.yaml":           mixed,
		"small.yaml":       "puzzle: peg\nboard: triangle4\nstart: r0c0\n",
		"above/base.yaml":  "puzzle: peg\nboard: triangle5\nstart: r0c0\n",
		"above/drawn.yaml": "puzzle: peg\ndrawing: |\n  oooo\n  oooo\n  oooo\n  oooo\nstart: a1\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b, err := Load(t.Context(), runs.Loader{Catalog: catalog.All, Environ: environ}, "b.yaml", "")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestFiles carries a batch with its configs into an empty folder, where it is the same batch.
func TestFiles(t *testing.T) {
	b := loadMixed(t, "PAGODA_CONCURRENCY=3")
	first, files, err := b.Files(t.Context(), []string{"concurrency"})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var names []string
	for name, text := range files {
		names = append(names, name)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{"b.base", "b.yaml", "drawn.config", "small.config"}) || first != "b.yaml" {
		t.Errorf("files %q, first %s", names, first)
	}
	there, err := Load(t.Context(), runs.Loader{Catalog: catalog.All}, filepath.Join(dir, first), "")
	if err != nil {
		t.Fatal(err)
	}
	if there.Name != b.Name || there.ID() != b.ID() || there.AtATime != 2 || !slices.Equal(there.Keys, b.Keys) ||
		len(there.Members) != len(b.Members) {
		t.Fatalf("%+v, want %+v", there, b)
	}
	for i, m := range there.Members {
		if want := b.Members[i]; m.Name != want.Name || m.ID != want.ID || !slices.Equal(m.Values, want.Values) {
			t.Errorf("member %s of run %s has %q, want %s of %s with %q", m.Name, m.ID, m.Values, want.Name, want.ID,
				want.Values)
		}
	}
}

// TestFilesOfEnvironment refuses settings that no file has: elsewhere they would not hold.
func TestFilesOfEnvironment(t *testing.T) {
	b := loadMixed(t, "PAGODA_RETENTION=last", "PAGODA_CONCURRENCY=3")
	if _, _, err := b.Files(t.Context(), []string{"concurrency"}); err == nil ||
		!strings.HasPrefix(err.Error(), "PAGODA_RETENTION is set in the environment") {
		t.Errorf("error %v", err)
	}
}

// TestFilesAreCompared: files that another machine would read as another batch are refused.
func TestFilesAreCompared(t *testing.T) {
	b := loadMixed(t)
	first, files, err := b.Files(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range [][3]string{
		{"small.config", "r0c0", "r1c0"}, {first, "mine", "other"}, {first, "at_a_time: 2", "at_a_time: 3"},
		{"b.base", "triangle5", "nowhere"},
	} {
		other := make(map[string]string)
		for name, text := range files {
			other[name] = text
		}
		other[change[0]] = strings.Replace(files[change[0]], change[1], change[2], 1)
		if err := b.checkFiles(t.Context(), first, other); err == nil {
			t.Errorf("%s with %s in the place of %s is taken for the same batch", change[0], change[2], change[1])
		}
	}
}

// TestHolds tells batches from configs by their keys.
func TestHolds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.yaml")
	for text, want := range map[string]bool{
		mixed: true, "configs: [a.yaml]\n": true, "matrix: 3\nbord: x\n": true, "at_a_time: 2\n": true,
		"puzzle: peg\n": false, "puzzle: peg\nbase: x\n": false, "": false, "- base\n": false, "board: english\n": false,
		"base: [\n": false,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if Holds(path) != want {
			t.Errorf("%q is a batch: %v, want %v", text, !want, want)
		}
	}
	if Holds(filepath.Join(t.TempDir(), "none.yaml")) {
		t.Error("a file that is not there is a batch")
	}
}
