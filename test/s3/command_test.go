package s3

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// programs is the folder of the programs under test.
var programs string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		if programs = os.Getenv("TESTED_PROGRAMS"); programs != "" {
			return m.Run() // built already, for all suites
		}
		dir, err := os.MkdirTemp("", "s3-programs")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer func() { _ = os.RemoveAll(dir) }()
		programs = dir
		build := exec.Command("go", "build", "-C", "../..", "-o", dir, "./cmd/...")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build of the programs: %v\n%s", err, out)
			return 1
		}
		return m.Run()
	}())
}

// command runs coordinator in a folder and returns its exit code and its output.
func command(t *testing.T, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, said bytes.Buffer
	cmd := exec.CommandContext(t.Context(), filepath.Join(programs, "coordinator"), args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &said
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), said.String()
}

// must is command for one that ends with 0.
func must(t *testing.T, dir string, args ...string) string {
	t.Helper()
	code, stdout, stderr := command(t, dir, args...)
	if code != 0 {
		t.Fatalf("coordinator %s: exit %d\n%s", strings.Join(args, " "), code, stderr)
	}
	return stdout
}

// smallRun carries out a run of a few windows and returns its folder.
func smallRun(t *testing.T) (dir, data string) {
	t.Helper()
	dir = t.TempDir()
	config, err := filepath.Abs("../../configs/triangle15.yaml")
	if err != nil {
		t.Fatal(err)
	}
	must(t, dir, "run", config, "--data", "run", "--set", "window_addresses=2000")
	return dir, "run"
}

// TestExport: each object of an export to a bucket is equal to the file of the same export to the disk.
func TestExport(t *testing.T) {
	storage := Start(t, t.TempDir())
	storage.Environment(t)
	dir, data := smallRun(t)
	same := func(file, object string) {
		t.Helper()
		want, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(storage.Folder, object)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("object %s has %d bytes, file %s has %d: %v", object, len(got), file, len(want), err)
		}
	}
	must(t, dir, "export", "--data", data, "--out", "layers.csv")
	must(t, dir, "export", "--data", data, "--out", "s3://windows/a/table.csv")
	same("layers.csv", "a/table.csv")
	must(t, dir, "export", "--data", data, "--out", "s3://windows/a/")
	same("layers.csv", "a/layers.csv")
	must(t, dir, "export", "--data", data, "--format", "parquet", "--out", "layers.parquet")
	must(t, dir, "export", "--data", data, "--format", "parquet", "--out", "s3://windows/")
	same("layers.parquet", "layers.parquet")
	must(t, dir, "export", "--data", data, "--table", "counts", "--layer", "all", "--out", "counts-{layer}.csv")
	must(t, dir, "export", "--data", data, "--table", "counts", "--layer", "all", "--out", "s3://windows/all/")
	must(t, dir, "export", "--data", data, "--table", "counts", "--layer", "7", "--out", "s3://windows/one/")
	same("counts-07.csv", "all/counts-07.csv")
	same("counts-13.csv", "all/counts-13.csv")
	same("counts-07.csv", "one/counts-07.csv")
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || slices.ContainsFunc(left, func(s string) bool {
		return strings.Contains(s, "s3:") || strings.Contains(s, "pagoda-object")
	}) {
		t.Errorf("there are %q, %v", left, err)
	}
}

// TestExportRefused gives what cannot be done: exit 2, one line and a hint, and nothing is made.
func TestExportRefused(t *testing.T) {
	storage := Start(t, t.TempDir())
	dir, data := smallRun(t)
	storage.Environment(t)
	must(t, dir, "export", "--data", data, "--out", "s3://windows/taken.csv")
	before := allFiles(t, storage.Folder)
	for name, c := range map[string]struct {
		out  string
		set  [2]string
		code int
		says string
	}{
		"taken":        {out: "s3://windows/taken.csv", code: 2, says: "s3://windows/taken.csv: already exists"},
		"no bucket":    {out: "s3://nowhere/x.csv", code: 2, says: "s3://nowhere: refused: there is no such bucket"},
		"no URL":       {out: "s3://x", code: 2, says: "the name of a bucket has 3 to 63 letters"},
		"odd name":     {out: "s3://windows/a//b.csv", code: 2, says: "no empty part"},
		"unknown key":  {out: "s3://windows/x.csv", set: [2]string{"AWS_ACCESS_KEY_ID", "nobody"}, code: 2, says: "refused"},
		"wrong secret": {out: "s3://windows/x.csv", set: [2]string{"AWS_SECRET_ACCESS_KEY", "no"}, code: 2, says: "SignatureDoesNotMatch"},
		"half of keys": {out: "s3://windows/x.csv", set: [2]string{"AWS_SECRET_ACCESS_KEY", ""}, code: 2, says: "only one is set"},
		"odd endpoint": {out: "s3://windows/x.csv", set: [2]string{"AWS_ENDPOINT_URL", "localhost:9000"}, code: 2, says: "AWS_ENDPOINT_URL"},
		"nobody there": {out: "s3://windows/x.csv", set: [2]string{"AWS_ENDPOINT_URL", "http://127.0.0.1:1"}, code: 1, says: "connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			storage.Environment(t)
			if c.set[0] != "" {
				t.Setenv(c.set[0], c.set[1])
			}
			code, stdout, stderr := command(t, dir, "export", "--data", data, "--out", c.out)
			lines := strings.Split(strings.TrimSuffix(stderr, "\n"), "\n")
			if code != c.code || stdout != "" || len(lines) != 2 || !strings.HasPrefix(lines[0], "error: ") ||
				!strings.Contains(lines[0], c.says) || !strings.HasPrefix(lines[1], "hint: ") {
				t.Errorf("exit %d, %q\n%s", code, stdout, stderr)
			}
		})
	}
	if after := allFiles(t, storage.Folder); !slices.Equal(after, before) {
		t.Errorf("there are %q, there were %q", after, before)
	}
}

// allFiles lists the files below a folder.
func allFiles(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
