package main

import (
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
		if err := record(path, r); err != nil {
			status = http.StatusBadRequest // the sender then says so
		}
		w.WriteHeader(status)
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
	var sent []byte
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		sent, _ = io.ReadAll(r.Body) // what is missing is found below
	}))
	defer s.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	config, err := filepath.Abs(filepath.Join(root, "configs/triangle15.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "run", config, "--data", filepath.Join(t.TempDir(), "r"), "--set", "notify="+s.URL)
	cmd.Args[0] = "coordinator"
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want, got := message(t, []byte(documented.String())), message(t, sent)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("sent %v\nwant %v", got, want)
	}
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
