package export

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"pagoda/internal/puzzle"
)

func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// writeFile writes rows to a new file at path, complete or not at all.
func writeFile(path string, format Format, rows Rows, o Options) error {
	if err := Suits(format, rows.Columns, o); err != nil {
		return err
	}
	f, err := Create(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	if err := Write(f, format, rows, o); err != nil {
		return err
	}
	return f.Commit()
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "layers.csv")
	if err := writeFile(path, CSV, FromTable(sample()), Options{}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if want := render(t, CSV, FromTable(sample()), Options{}); err != nil || string(data) != string(want) {
		t.Errorf("%v: %q", err, data)
	}
	if got := entries(t, dir); len(got) != 1 {
		t.Errorf("left behind: %q", got)
	}
	if err := writeFile(path, JSONL, FromTable(sample()), Options{}); !errors.Is(err, ErrExists) {
		t.Errorf("an existing file was overwritten: %v", err)
	}
	if again, err := os.ReadFile(path); err != nil || string(again) != string(data) {
		t.Error("the existing file was changed")
	}
}

var errBroken = errors.New("the rows broke off")

func TestNothingIsLeftOnError(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "layers.csv")
	broken := Rows{Columns: sample().Columns, Each: func(emit func([]puzzle.Value) error) error {
		for range 100_000 {
			if err := emit(sample().Rows[0]); err != nil {
				return err
			}
		}
		return errBroken
	}}
	for _, f := range []Format{CSV, JSONL, Parquet} {
		if err := writeFile(path, f, broken, Options{}); !errors.Is(err, errBroken) {
			t.Errorf("%s: %v", f, err)
		}
	}
	if err := writeFile(path, BFile, FromTable(sample()), Options{}); !errors.Is(err, ErrFormat) {
		t.Errorf("bfile without column: %v", err)
	}
	err := writeFile(filepath.Join(dir, "no", "x"), CSV, FromTable(sample()), Options{})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("folder that does not exist: %v", err)
	}
	if got := entries(t, dir); len(got) != 0 {
		t.Errorf("left behind: %q", got)
	}
}

// TestReplace: a file takes the place of another in one step, and when it fails that one stays.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	if err := os.WriteFile(path, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, fails := range []bool{true, false} {
		f, err := CreateOver(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte("after")); err != nil {
			t.Fatal(err)
		}
		want := "after"
		if fails {
			want = "before"
			if err := f.tmp.Close(); err != nil { // so that it cannot be written
				t.Fatal(err)
			}
		}
		if err := f.Replace(); (err != nil) != fails {
			t.Errorf("replace: %v", err)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != want {
			t.Errorf("it is %q (%v), want %q", data, err, want)
		}
		if got := entries(t, dir); len(got) != 1 {
			t.Errorf("left behind: %q", got)
		}
	}
}

// TestNameTakenMeanwhile: another process creates the file while ours is being written.
func TestNameTakenMeanwhile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Abort()
	if err := os.WriteFile(path, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); !errors.Is(err, ErrExists) {
		t.Errorf("commit: %v", err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "theirs" {
		t.Errorf("theirs is now %q (%v)", data, err)
	}
	if got := entries(t, dir); len(got) != 1 {
		t.Errorf("left behind: %q", got)
	}
}
