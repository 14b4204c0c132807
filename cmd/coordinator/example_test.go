package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pagoda/internal/catalog"
	"pagoda/internal/puzzle/example"
)

// mainWithExample is the program with one more line in the list of puzzles: that of docs/adding-a-puzzle.md. The script
// example.txt runs it. Nothing else differs, so all that the example can do there comes from its definition.
func mainWithExample() {
	all := append(slices.Clone(catalog.All), example.Definition)
	a := &app{stdout: os.Stdout, stderr: os.Stderr, environ: os.Environ(), catalog: all}
	os.Exit(a.main(os.Args[1:]))
}

// TestExampleIsNamedNowhere demands that no Go file but the example's own and tests knows the example: its folder holds
// all that it needs.
func TestExampleIsNamedNowhere(t *testing.T) {
	const root = "../.."
	seen := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && rel != "." && strings.HasPrefix(d.Name(), "."),
			rel == filepath.FromSlash("internal/puzzle/example"):
			return filepath.SkipDir
		case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		seen++
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte("internal/puzzle/example")) || bytes.Contains(text, []byte(`"knight"`)) {
			t.Errorf("%s knows the example", rel)
		}
		return err
	})
	if err != nil || seen < 100 {
		t.Errorf("%d files were read: %v", seen, err)
	}
}
