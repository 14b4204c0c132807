package check

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/certificate"
	"pagoda/internal/run/rundir"
	"pagoda/test/built"
)

const root = "../.."

// coordinator is the program under test.
var coordinator string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	folder, remove, err := built.Programs(root)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	defer remove()
	coordinator = filepath.Join(folder, "coordinator")
	return m.Run()
}

// needPython skips a test without Python 3, of which .ci/run says loudly that it was not run.
func needPython(t *testing.T) {
	t.Helper()
	for _, name := range []string{"check-results", "recount.py"} {
		if _, err := os.ReadFile(filepath.Join(root, "tools", name)); err != nil { // so that the test cache knows them
			t.Fatal(err)
		}
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("NOT RUN: there is no python3 for tools/check-results; .ci/run says so")
	}
}

// A result is the certificate and the leaves of a completed run.
type result struct{ certificate, leaves []byte }

// carryOut runs a config of configs/ with settings key=value, and exports its leaves.
func carryOut(t *testing.T, config string, settings ...string) result {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	args := []string{"run", filepath.Join(root, "configs", config+".yaml"), "--data", data}
	for _, s := range settings {
		args = append(args, "--set", s)
	}
	program(t, args...)
	c, err := os.ReadFile(filepath.Join(data, "certificate.json"))
	if err != nil {
		t.Fatal(err)
	}
	return result{c, program(t, "export", "--data", data, "--table", "leaves", "--format", "jsonl")}
}

func program(t *testing.T, args ...string) []byte {
	t.Helper()
	var stderr strings.Builder
	cmd := exec.Command(coordinator, args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("coordinator %q: %v\n%s", args, err, stderr.String())
	}
	return out
}

// files writes a result into a new folder and returns the two paths.
func (r *result) files(t *testing.T) (certificate, leaves string) {
	t.Helper()
	dir := t.TempDir()
	certificate, leaves = filepath.Join(dir, "certificate.json"), filepath.Join(dir, "leaves.jsonl")
	if err := errors.Join(os.WriteFile(certificate, r.certificate, 0o600),
		os.WriteFile(leaves, r.leaves, 0o600)); err != nil {
		t.Fatal(err)
	}
	return certificate, leaves
}

// A verdict is the answer of the checker.
type verdict struct {
	code           int
	stdout, stderr string
}

// last is the last line of the output.
func (v *verdict) last() string {
	lines := strings.Split(strings.TrimSuffix(v.stdout, "\n"), "\n")
	return lines[len(lines)-1]
}

func check(t *testing.T, args ...string) verdict {
	t.Helper()
	var stdout, stderr strings.Builder
	cmd := exec.Command(filepath.Join(root, "tools/check-results"), args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return verdict{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// demand compares a verdict with the exit code, and with the beginning of the last line on stdout.
func demand(t *testing.T, v verdict, code int, line string) {
	t.Helper()
	if v.code != code || !strings.HasPrefix(v.last(), line) || v.stderr != "" {
		t.Errorf("exit code %d, want %d and a last line %q\n%s%s", v.code, code, line, v.stdout, v.stderr)
	}
}

// document decodes the certificate.
func (r *result) document(t *testing.T) *certificate.Certificate {
	t.Helper()
	c, err := certificate.Decode(r.certificate)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// edited is the result with another certificate, whose hashes are not made anew.
func (r *result) edited(t *testing.T, edit func(*certificate.Certificate)) result {
	t.Helper()
	c := r.document(t)
	edit(c)
	b, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return result{b, r.leaves}
}

// replaced is the result with another text in the leaves, whose hashes are not made anew.
func (r *result) replaced(t *testing.T, from, to string) result {
	t.Helper()
	if !bytes.Contains(r.leaves, []byte(from)) {
		t.Fatalf("the leaves have no %s", from)
	}
	return result{r.certificate, bytes.Replace(r.leaves, []byte(from), []byte(to), 1)}
}

// forged is the result after a lie that the hashes do not show: all of them are made anew, the run ID too. edit returns
// the windows that are left.
func (r *result) forged(
	t *testing.T, edit func(*certificate.Certificate, []certificate.Window) []certificate.Window,
) result {
	t.Helper()
	c := r.document(t)
	var windows []certificate.Window
	for line := range bytes.Lines(r.leaves) {
		windows = append(windows, window(t, line))
	}
	windows = edit(c, windows)
	id := puzzle.Identity{Puzzle: c.Puzzle}
	for _, p := range c.Params {
		id.Params = append(id.Params, puzzle.Param{Name: p.Name, Value: p.Value})
	}
	c.Run = rundir.RunID(id)
	b := certificate.NewBuilder(c.Run)
	var forged result
	rows := uint64(0)
	for i := range windows {
		line, err := windows[i].JSON()
		if err := errors.Join(err, b.Add(windows[i])); err != nil {
			t.Fatal(err)
		}
		forged.leaves = append(append(forged.leaves, line...), '\n')
		rows += windows[i].Rows
	}
	var err error
	if c.Tree, err = b.Finish(); err != nil {
		t.Fatal(err)
	}
	c.Rows, c.Words, c.Columns = fmt.Sprint(rows), nil, nil
	if forged.certificate, err = c.Encode(); err != nil {
		t.Fatal(err)
	}
	if _, err := certificate.Decode(forged.certificate); err != nil {
		t.Fatal("a forgery that the program sees through: ", err)
	}
	return forged
}
