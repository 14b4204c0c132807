//go:build k8s

package k8s

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// A problem is a config with some keys changed.
type problem struct {
	config string
	set    string // key=value, several separated by spaces
	counts string // layers whose counts are compared as well, separated by spaces, or all
}

var (
	// Small windows make a run long enough for pods to come and go in it, also where that takes its time.
	english = problem{config: "english.yaml", set: "window_addresses=5000", counts: "12 25 31"}
	// diagonal has five times the positions up to symmetry: long enough for several faults.
	diagonal = problem{config: "english.yaml", set: "start=r2c2 goal= window_addresses=30000"}
	triangle = problem{config: "triangle15.yaml", counts: "all"}
)

func (p problem) args() []string {
	args := []string{filepath.Join(root, "configs", p.config)}
	for set := range strings.FieldsSeq(p.set) {
		args = append(args, "--set", set)
	}
	return args
}

// resultsFile is what run prints.
const resultsFile = "results.txt"

var references sync.Map // problem -> func() (string, error)

// reference carries a problem out on this machine, once, and exports what is compared into the folder returned.
func reference(t *testing.T, p problem) string {
	t.Helper()
	once, _ := references.LoadOrStore(p, sync.OnceValues(func() (string, error) {
		dir, err := os.MkdirTemp("", "pagoda-reference-")
		if err != nil {
			return "", err
		}
		data := filepath.Join(dir, "run")
		commands := [][]string{
			append([]string{"run"}, append(p.args(), "--data", data)...),
			{"export", "--data", data, "--table", "layers", "--out", filepath.Join(dir, "layers.csv")},
			{"export", "--data", data, "--table", "windows", "--out", filepath.Join(dir, "windows.csv")},
		}
		for layer := range strings.FieldsSeq(p.counts) {
			commands = append(commands, []string{"export", "--data", data, "--table", "counts", "--layer", layer, "--out",
				filepath.Join(dir, "counts-"+strings.ReplaceAll(layer, "all", "{layer}")+".csv")})
		}
		for i, args := range commands {
			var stdout, stderr bytes.Buffer
			cmd := exec.Command(coordinator, args...)
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Run(); err != nil {
				return "", &failure{strings.Join(args, " "), stdout.String() + stderr.String(), err}
			}
			if i > 0 {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, resultsFile), stdout.Bytes(), 0o600); err != nil {
				return "", err
			}
		}
		return dir, os.RemoveAll(data)
	}))
	dir, err := once.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

type failure struct {
	command, output string
	err             error
}

func (e *failure) Error() string { return e.command + ": " + e.err.Error() + "\n" + e.output }

// sameExports exports tables of a run and compares them with the reference: the layers, the digests of all windows, and
// the counts of the layers that p names.
func sameExports(t *testing.T, ns, name string, p problem) {
	t.Helper()
	want := reference(t, p)
	got := filepath.Join(t.TempDir(), "export")
	begun := time.Now()
	mustK8s(t, time.Minute, ns, "export", name, "--table", "layers,windows", "--out", got)
	for layer := range strings.FieldsSeq(p.counts) {
		mustK8s(t, 3*time.Minute, ns, "export", name, "--table", "counts", "--layer", layer, "--out", got)
	}
	files, err := os.ReadDir(got)
	if err != nil {
		t.Fatal(err)
	}
	bytesRead := 0
	for _, f := range files {
		a, err := os.ReadFile(filepath.Join(got, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(want, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s of run %s differs from that of one machine: %d bytes, want %d", f.Name(), name, len(a), len(b))
		}
		bytesRead += len(a)
	}
	if len(files) < 2+len(strings.Fields(p.counts)) {
		t.Errorf("only %d files were exported", len(files))
	}
	t.Logf("%s: %d files, %d bytes, equal to those of one machine; taken home in %.1f s", name, len(files), bytesRead,
		time.Since(begun).Seconds())
}
