//go:build unix

package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// An outputting is a process of the coordinator that has begun an output, and waits until it is told to go on.
type outputting struct {
	*exec.Cmd
	text bytes.Buffer
}

func startOutput(t *testing.T, args ...string) *outputting {
	t.Helper()
	o := &outputting{Cmd: exec.Command("coordinator", args...)}
	o.Stdout, o.Stderr = &o.text, &o.text
	if err := o.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.Process.Kill(); _ = o.Wait() })
	return o
}

// die kills the process.
func (o *outputting) die(t *testing.T) {
	t.Helper()
	if err := o.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := o.Wait(); err == nil || o.ProcessState.Exited() {
		t.Fatalf("the process ended by itself: %v\n%s", err, &o.text)
	}
}

func (o *outputting) succeed(t *testing.T) {
	t.Helper()
	if err := o.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, &o.text)
	}
}

// demandNames fails the test unless dir has these names and so many temporary ones.
func demandNames(t *testing.T, dir string, temporary int, want ...string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		if strings.Contains(e.Name(), "tmp-") {
			temporary--
		} else {
			names = append(names, e.Name())
		}
	}
	if !slices.Equal(names, want) || temporary != 0 {
		t.Errorf("%q, want %q; %d temporary ones are missing", list, want, temporary)
	}
}

// TestKilledPublish kills publish while it waits for a record. There is no book, and the next book of the same name
// removes the leftovers. It leaves the scratch of a living process alone.
func TestKilledPublish(t *testing.T) {
	records, err := filepath.Glob("../../docs/book/records/*.json")
	if err != nil || len(records) == 0 {
		t.Fatalf("no records: %v", err)
	}
	record, err := os.ReadFile(records[0])
	if err != nil {
		t.Fatal(err)
	}
	dir, pipes := t.TempDir(), t.TempDir()
	book := filepath.Join(dir, "book")
	begin := func(name string) (*outputting, *os.File) {
		pipe := filepath.Join(pipes, name)
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		o := startOutput(t, "publish", "--record", pipe, "--out", book)
		w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // returns when the process reads the pipe
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = w.Close() })
		return o, w
	}
	finish := func(o *outputting, w *os.File) {
		if _, err := w.Write(record); err != nil {
			t.Fatal(err)
		}
		_ = w.Close()
		o.succeed(t)
	}
	killed, _ := begin("killed")
	demandNames(t, dir, 1)
	killed.die(t)
	demandNames(t, dir, 1)
	first, w1 := begin("first")
	demandNames(t, dir, 1)
	second, w2 := begin("second")
	demandNames(t, dir, 2)
	finish(first, w1)
	demandNames(t, dir, 1, "book")
	killed, _ = begin("killed over a book")
	killed.die(t)
	sums, err := os.ReadFile(filepath.Join(book, "book.sha256"))
	if err != nil {
		t.Fatal(err)
	}
	demandNames(t, dir, 2, "book")
	finish(second, w2)
	demandNames(t, dir, 1, "book")
	startOutput(t, "publish", "--record", records[0], "--out", book).succeed(t)
	demandNames(t, dir, 0, "book")
	if again, err := os.ReadFile(filepath.Join(book, "book.sha256")); err != nil || !bytes.Equal(again, sums) {
		t.Errorf("the book of the same record is another: %v", err)
	}
}

// TestKilledExport kills an export after its first rows. There is no file, and the next export to the same name removes
// the leftovers.
func TestKilledExport(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "layers.csv")
	half := strings.Repeat("1,2\r\n", 200_000) // more than is buffered anywhere
	requests, goOn := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, half)
		_ = http.NewResponseController(w).Flush()
		requests <- struct{}{}
		<-goOn
		_, _ = io.WriteString(w, half)
	}))
	defer server.Close()
	defer close(goOn)
	begin := func() *outputting {
		o := startOutput(t, "export", "--url", server.URL, "--out", file)
		<-requests
		return o
	}
	begin().die(t)
	demandNames(t, dir, 1)
	alive := begin()
	demandNames(t, dir, 1)
	begin().die(t)
	demandNames(t, dir, 2)
	goOn <- struct{}{}
	goOn <- struct{}{}
	goOn <- struct{}{} // to the dead, too
	alive.succeed(t)
	demandNames(t, dir, 1, "layers.csv")
	if b, err := os.ReadFile(file); err != nil || string(b) != half+half {
		t.Errorf("the file has %d bytes: %v", len(b), err)
	}
	again := startOutput(t, "export", "--url", server.URL, "--out", file)
	if err := again.Wait(); err == nil || again.ProcessState.ExitCode() != 2 {
		t.Errorf("a file was overwritten: %v\n%s", err, &again.text)
	}
	demandNames(t, dir, 0, "layers.csv")
}
