//go:build e2e

package e2e

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pagoda/test/midrun"
)

// Exit codes of the command, as documented in docs/cli.md.
const (
	fine               = 0
	stopped            = 3
	verificationFailed = 13
	interrupted        = 130
)

// A command is one execution of the coordinator, with its output.
type command struct {
	*exec.Cmd
	stdout, stderr bytes.Buffer
}

// start starts the coordinator, from the top of the repository, without the settings of the caller's environment.
func start(t *testing.T, args ...string) *command {
	t.Helper()
	c := prepare(args)
	c.Stderr = &c.stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

// prepare is start before it starts, with stderr still to be led somewhere.
func prepare(args []string) *command {
	c := &command{Cmd: exec.Command(coordinator, args...)}
	c.Dir = root
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "PAGODA_") {
			c.Env = append(c.Env, e)
		}
	}
	c.Stdout = &c.stdout
	return c
}

// end waits for the command, and returns its exit code, -1 when a signal ended it.
func (c *command) end(t *testing.T) int {
	t.Helper()
	if err := c.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode()
}

// stopAfter sends the signal after a delay, unless the command ends before; it returns what end returns.
func (c *command) stopAfter(t *testing.T, delay time.Duration, s syscall.Signal) int {
	t.Helper()
	timer := time.AfterFunc(delay, func() { _ = c.Process.Signal(s) })
	defer timer.Stop()
	return c.end(t)
}

// stopAt runs the coordinator with args, and sends it the signal at a window: see midrun.Signal. It returns what end
// returns.
func stopAt(t *testing.T, layer, windows int, signal syscall.Signal, args ...string) (*command, int) {
	t.Helper()
	c := prepare(args)
	stderr, err := midrun.Signal(c.Cmd, layer, windows, signal)
	if err != nil {
		t.Fatal(err)
	}
	c.stderr.WriteString(stderr)
	return c, c.end(t)
}

// demand fails the test unless the command ended with the code, and shows what it said.
func (c *command) demand(t *testing.T, got, want int) {
	t.Helper()
	if got != want {
		t.Fatalf("coordinator %s: exit code %d, want %d\n%s%s", strings.Join(c.Args[1:], " "), got, want,
			last(c.stderr.String()), last(c.stdout.String()))
	}
}

// must runs the coordinator to its end and demands that exit code.
func must(t *testing.T, want int, args ...string) *command {
	t.Helper()
	c := start(t, args...)
	c.demand(t, c.end(t), want)
	return c
}

func last(text string) string {
	const most = 4000
	return text[max(0, len(text)-most):]
}

// A row is a line of a layer table, by column.
type row map[string]string

// UnmarshalJSON demands what the JSON contract says: small numbers for jumps and pegs, decimal strings for counts.
func (r *row) UnmarshalJSON(b []byte) error {
	var fields map[string]any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&fields); err != nil {
		return err
	}
	*r = make(row)
	for name, v := range fields {
		n, isNumber := v.(json.Number)
		if small := name == "jumps" || name == "pegs"; small != isNumber {
			return fmt.Errorf("%s is %v, a %T", name, v, v)
		}
		if (*r)[name] = n.String(); !isNumber {
			(*r)[name], _ = v.(string)
		}
	}
	return nil
}

// A document is what run prints with --output json; counts are decimal strings.
type document struct {
	Run       string
	Games     string
	Solutions string
	Classes   string
	Positions string
	Layers    []row
}

func (c *command) document(t *testing.T) document {
	t.Helper()
	var d document
	if err := json.Unmarshal(c.stdout.Bytes(), &d); err != nil {
		t.Fatalf("coordinator %s: stdout is not one json document: %v\n%s", strings.Join(c.Args[1:], " "), err,
			last(c.stdout.String()))
	}
	return d
}

// export writes one export and returns its bytes.
func export(t *testing.T, data, what, layer string) []byte {
	t.Helper()
	return exportFrom(t, "--data", data, what, layer)
}

// exportFrom takes it from a folder, --data, or from a coordinator, --url.
func exportFrom(t *testing.T, flag, where, what, layer string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), fmt.Sprintf("%s-%s.csv", what, layer))
	args := []string{"export", flag, where, "--table", what, "--format", "csv", "--out", out}
	if layer != "" {
		args = append(args, "--layer", layer)
	}
	must(t, fine, args...)
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(out); err != nil {
		t.Fatal(err)
	}
	return b
}

// table reads a CSV with a header.
func table(t *testing.T, content []byte) []row {
	t.Helper()
	lines, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
	if err != nil || len(lines) < 2 {
		t.Fatalf("not a csv table with a header: %v\n%s", err, last(string(content)))
	}
	var rows []row
	for _, l := range lines[1:] {
		r := make(row)
		for i, name := range lines[0] {
			r[name] = l[i]
		}
		rows = append(rows, r)
	}
	return rows
}
