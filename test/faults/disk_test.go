//go:build faults

package faults

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"
)

// A coordinator whose disk is full says so once, ends with 3, and the same command goes on when there is room. Its
// worker, on another disk, waits.
func TestCoordinatorDiskFull(t *testing.T) {
	config := []string{"configs/english.yaml"}
	want, _ := reference(t, config)
	dir := t.TempDir()
	disk := filepath.Join(dir, "disk")
	if err := os.Mkdir(disk, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=400k"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Error(err)
		}
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}

	worker := exec.Command(filepath.Join(bin, "worker"), "--nats", "nats://"+address,
		"--data", filepath.Join(dir, "worker"))
	var log bytes.Buffer
	worker.Stderr = &log
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := worker.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if err := worker.Wait(); err != nil {
			t.Errorf("worker: %v\n%s", err, log.String())
		}
	})
	data := filepath.Join(disk, "run")
	lead := func() (code int, stdout, stderr string) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, filepath.Join(bin, "coordinator"), append(append([]string{"run"}, config...),
			"--data", data, "--output", "json", "--concurrency", "0", "--listen", address)...)
		cmd.Dir = root
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		err := cmd.Run()
		if failed := new(exec.ExitError); err != nil && !errors.As(err, &failed) {
			t.Fatal(err)
		}
		return cmd.ProcessState.ExitCode(), out.String(), errs.String()
	}

	code, _, stderr := lead()
	line := regexp.MustCompile(`(?m)^error: .*disk is full.* of \d+ windows are committed\nhint: free some space .*\n\z`)
	twice := regexp.MustCompile(`disk is full.*disk is full`)
	if code != 3 || !line.MatchString(stderr) || twice.MatchString(stderr) {
		t.Fatalf("on a full disk: exit code %d\n%s", code, stderr)
	}
	if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, "size=256m"); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := lead()
	if code != 0 || !regexp.MustCompile(`windows_reused=[1-9]`).MatchString(stderr) {
		t.Fatalf("with room again: exit code %d\n%s", code, stderr)
	}
	for name, text := range outcome(t, data, stdout) {
		if text != want[name] {
			t.Errorf("%s differ from those of the undisturbed run (%d and %d bytes)", name, len(text), len(want[name]))
		}
	}
}
