//go:build faults

package faults

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pagoda/test/testbed"
)

var (
	seed    = flag.Uint64("seed", 0, "`number` that decides the faults; 0: a new one")
	count   = flag.Int("faults", 200, "`number` of faults to put in")
	each    = flag.Int("each", 0, "put in every kind of fault this `number` of times instead")
	only    = flag.String("only", "", "put in only faults whose names match this regular `expression`")
	pace    = flag.Duration("pace", 700*time.Millisecond, "mean time between faults")
	workers = flag.Int("workers", 4, "worker processes")
	logs    = flag.String("logs", "", "`folder` in which the logs of all processes stay")
	limit   = flag.Duration("limit", 30*time.Minute, "time after which the run is given up")
	run     = flag.String("config", "configs/french.yaml", "the run: a `config and settings`, separated by spaces")
	secure  = flag.Bool("secure", false, "with keys and TLS; bits that flip in transfer then break connections")
)

// Where the repository begins, and the programs.
var root, bin string

func TestMain(m *testing.M) {
	flag.Parse()
	if *seed == 0 {
		*seed = 1 + rand.Uint64N(1<<32)
	}
	kinds, err := regexp.Compile(*only)
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "error: -only:", err)
		os.Exit(1)
	}
	faults = slices.DeleteFunc(faults, func(f fault) bool { return !kinds.MatchString(f.name) })
	if len(faults) == 0 {
		_, _ = fmt.Fprintf(os.Stderr, "error: -only: no fault is called %s\n", *only)
		os.Exit(1)
	}
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	if os.Geteuid() != 0 {
		_, _ = fmt.Fprintln(os.Stderr, "error: the fault injection needs root, for network namespaces and disks of its own")
		return 1
	}
	var err error
	if root, err = filepath.Abs("../.."); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	if bin = os.Getenv("TESTED_PROGRAMS"); bin != "" {
		return m.Run() // built already, for all suites
	}
	bin, err = os.MkdirTemp("", "pagoda-faults-")
	defer func() { _ = os.RemoveAll(bin) }()
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	if err := testbed.Build(root, bin); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	return m.Run()
}

// logDir is where the processes' logs go.
func logDir(t *testing.T) string {
	t.Helper()
	dir := *logs
	if dir == "" {
		dir = filepath.Join(t.TempDir(), "logs")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The run of -config on a fleet under -faults faults gives the digits, the tallies and the digests of the same run in
// one process. On a machine that is through before all faults have been put in, the fleet carries out the run again.
func TestFaults(t *testing.T) {
	fmt.Printf("seed %d; repeat these choices with -seed %d\n", *seed, *seed)
	config := strings.Fields(*run)
	want, alone := reference(t, config)
	t.Logf("in one process, undisturbed: %.1f s", alone.Seconds())

	c := newTestFleet(t, config, want)
	begin := time.Now()
	watch := watchProgress(c)
	injected, err := c.injectFaults(t, begin)
	if err != nil {
		t.Fatal(err)
	}
	c.checkOutcome(t, begin)
	took := time.Since(begin)
	report(t, injected, watch(), alone, took, c.Runs())
	if c.noJumps != nil {
		fmt.Printf("!!! NOT RUN: clocks that jump in a running process: %v\n", c.noJumps)
	}
}

// checkOutcome waits for the end of the run and compares its results with those of the undisturbed one.
func (c *testFleet) checkOutcome(t *testing.T, begin time.Time) {
	t.Helper()
	for {
		select {
		case e := <-c.Ended:
			if c.complete(t, e) {
				return
			}
		case <-time.After(time.Until(begin.Add(*limit))):
			s, _ := c.Status()
			t.Fatalf("not done after %s: %+v\n%s", *limit, s, c.Tail(c.Coordinator))
		}
	}
}

// complete takes the end of a coordinator. It reports whether it was that of the run, and compares the results.
func (c *testFleet) complete(t *testing.T, e testbed.Exit) bool {
	t.Helper()
	switch {
	case e.Code != 0 && c.exitTolerated(e.Code):
		return false // it is started again
	case e.Code != 0:
		t.Fatalf("the coordinator ended with exit code %d\n%s", e.Code, c.Tail(c.Coordinator))
	}
	got := outcome(t, c.Data(), c.Result.String())
	for name, text := range c.want {
		if got[name] != text {
			t.Fatalf("%s differ from those of the undisturbed run (%d and %d bytes)", name, len(got[name]), len(text))
		}
	}
	return true
}

// newTestFleet starts the fleet of the test.
func newTestFleet(t *testing.T, config []string, want map[string]string) *testFleet {
	t.Helper()
	c := &testFleet{dir: t.TempDir(), want: want, runs: 1, held: map[*testbed.Process]bool{}, excuses: map[int]time.Time{}}
	var err error
	c.Fleet, err = testbed.NewFleet(testbed.FleetOptions{
		Bin: bin, Dir: c.dir, Logs: logDir(t), Root: root, Workers: *workers, Secure: *secure, DiskBytes: "1500m",
		Run:     append(config, "--set", "ack_wait=6s", "--set", "worker_timeout=4s"),
		Proxies: func(i int) bool { return i%2 == 1 },
	})
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// reference carries out the run in one process, and returns its results and how long it took.
func reference(t *testing.T, config []string) (map[string]string, time.Duration) {
	t.Helper()
	data := filepath.Join(t.TempDir(), "alone")
	begin := time.Now()
	cmd := exec.Command(filepath.Join(bin, "coordinator"), append(append([]string{"run"}, config...),
		"--data", data, "--output", "json", "--concurrency", "2")...)
	cmd.Dir = root
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("the run in one process: %v\n%s", err, stderr.String())
	}
	took := time.Since(begin)
	return outcome(t, data, stdout.String()), took
}

// outcome is everything that two equal runs have in common: the printed document, and the digest of every window.
func outcome(t *testing.T, data, document string) map[string]string {
	t.Helper()
	cmd := exec.Command(filepath.Join(bin, "coordinator"), "export", "--data", data, "--table", "windows",
		"--format", "csv")
	windows, err := cmd.Output()
	if err != nil {
		failed := new(exec.ExitError)
		errors.As(err, &failed)
		t.Fatalf("export of the windows: %v\n%s", err, failed.Stderr)
	}
	return map[string]string{"documents": document, "windows": string(windows)}
}
