package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// hook NAME STATUS starts a webhook that gives the answer STATUS, and sets NAME to its URL. Each message, headers and
// body, is added to the file NAME.
func hook(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: hook name status")
	}
	status, err := strconv.Atoi(args[1])
	ts.Check(err)
	path := ts.MkAbs(args[0])
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := status
		if err := record(path, r); err != nil {
			answer = http.StatusBadRequest // the sender then says so
		}
		w.WriteHeader(answer)
	}))
	ts.Defer(s.Close)
	ts.Setenv(args[0], s.URL)
}

func record(path string, r *http.Request) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err = fmt.Fprintf(f, "%s\nsignature: %s\n%s\n", r.URL, r.Header.Get("webhook-signature"), body); err != nil {
		return err
	}
	return f.Close()
}

// TestDocumentedMessage compares the message in docs/cli.md with that of its run. Time, seconds and version differ.
func TestDocumentedMessage(t *testing.T) {
	var documented strings.Builder
	files := documents(t)
	for i := range files {
		for _, l := range files[i].Lines {
			if files[i].Name == "docs/cli.md" && l.Block && l.Lang == "http" && (documented.Len() > 0 || l.Text == "{") {
				documented.WriteString(l.Text + "\n")
			}
		}
	}
	told, url := receiver(t)
	if out, err := telling(t, url).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var sent []byte
	select {
	case sent = <-told:
	default:
		t.Fatal("the run has ended without a message")
	}
	want, got := message(t, []byte(documented.String())), message(t, sent)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("sent %v\nwant %v", got, want)
	}
}

// TestToldBeforeStaying: a complete run that stays until it is told to stop has sent its message before.
func TestToldBeforeStaying(t *testing.T) {
	told, url := receiver(t)
	cmd := telling(t, url, "--linger")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-told:
	case err := <-ended:
		t.Fatalf("the run has ended without a message: %v", err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// receiver starts a webhook that takes messages, of which told has the bodies.
func receiver(t *testing.T) (told <-chan []byte, url string) {
	t.Helper()
	bodies := make(chan []byte, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest) // the message is sent once, so the test ends without it
			return
		}
		bodies <- body
	}))
	t.Cleanup(s.Close)
	return bodies, s.URL
}

// telling is a run of the triangle that tells a webhook of its end. It is killed when it takes two minutes.
func telling(t *testing.T, url string, flags ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	config, err := filepath.Abs(filepath.Join(root, "configs/triangle15.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	args := append([]string{"run", config, "--data", filepath.Join(t.TempDir(), "r"), "--set", "notify=" + url}, flags...)
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Args[0] = "coordinator"
	return cmd
}

// message reads a message without the values that differ from run to run, which must be there.
func message(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatalf("%v: %q", err, text)
	}
	data, _ := m["data"].(map[string]any)
	for name, of := range map[string]map[string]any{"timestamp": m, "seconds": data, "version": data} {
		if of[name] == nil {
			t.Errorf("%s is missing: %s", name, text)
		}
		delete(of, name)
	}
	return m
}
