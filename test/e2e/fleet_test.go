//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pagoda/internal/run/pause/pausetest"
)

// startWorker starts a worker process.
func startWorker(t *testing.T, nats string, args ...string) *command {
	t.Helper()
	c := &command{Cmd: exec.Command(worker, append([]string{"--nats", nats}, args...)...)}
	c.Dir, c.Stdout, c.Stderr = root, &c.stdout, &c.stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

var listening = regexp.MustCompile(`msg=listening .*what=(\w+) address=(\S+)`)

// addresses waits until a coordinator says where it listens. Its stderr goes to the file log.
func addresses(t *testing.T, log string, wanted ...string) map[string]string {
	t.Helper()
	found := make(map[string]string)
	pausetest.UntilRight(t, func() string {
		b, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range listening.FindAllStringSubmatch(string(b), -1) {
			found[m[1]] = m[2]
		}
		for _, w := range wanted {
			if found[w] == "" {
				return "the coordinator does not say where it listens: " + w
			}
		}
		return ""
	})
	return found
}

// Two worker processes, and a coordinator that computes nothing: the bytes of a single process, rows included.
func TestEnglishFleet(t *testing.T) {
	uninterrupted(t)
	dir := t.TempDir()
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	data := filepath.Join(dir, "data")
	c := &command{Cmd: exec.Command(coordinator, "run", "configs/english.yaml", "--data", data, "--concurrency", "0",
		"--listen", "127.0.0.1:0", "--api", "127.0.0.1:0", "--linger", "--output", "json", "--set", "audit_fraction=0.02",
		"--set", "window_addresses=300000")}
	c.Dir, c.Stdout, c.Stderr = root, &c.stdout, log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Process.Kill() }()
	at := addresses(t, log.Name(), "queue", "api")
	var workers []*command
	for _, name := range []string{"a", "b"} {
		w := startWorker(t, "nats://"+at["queue"], "--data", filepath.Join(dir, name), "--name", name, "--concurrency", "1")
		defer func() { _ = w.Process.Kill() }()
		workers = append(workers, w)
	}
	url := "http://" + at["api"]
	must(t, fine, "status", "--url", url, "--watch", "--interval", "500ms")
	status := must(t, fine, "status", "--url", url)
	if text := status.stdout.String(); !strings.Contains(text, "complete") {
		t.Errorf("status %s", text)
	}
	sameExports(t, "--url", url, slices.Concat(compared, large))
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	c.demand(t, c.end(t), fine)
	for _, w := range workers {
		if err := w.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		w.demand(t, w.end(t), fine)
	}
	matchesGolden(t, c.document(t), data)
}
