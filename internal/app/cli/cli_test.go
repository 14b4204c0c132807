package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pagoda/internal/config"
	"pagoda/internal/kv"
	"pagoda/internal/output/export"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/rundir"
)

func TestCodes(t *testing.T) {
	for _, test := range []struct {
		err  error
		want int
	}{
		{nil, OK},
		{errors.New("x"), Failed},
		{&UsageError{errors.New("x")}, Usage},
		{fmt.Errorf("plan: %w", puzzle.CheckSize(puzzle.MostWindows+1)), Usage},
		{puzzle.CheckSize(puzzle.MostWindows), OK},
		{Hint(&UsageError{errors.New("x")}, "y"), Usage},
		{&config.Error{Where: "f", Err: errors.New("x")}, Usage},
		{fmt.Errorf("output: %w", export.ErrExists), Usage},
		{fmt.Errorf("svg: %w", export.ErrFormat), Usage},
		{fmt.Errorf("store: %w", kv.ErrLocked), Usage},
		{&kv.FormatError{}, Usage},
		{&kv.RunError{}, Differs},
		{Hint(&rundir.DiffersError{}, "y"), Differs},
		{fmt.Errorf("run: %w", ErrUnverified), Unverified},
		{&StoppedError{fmt.Errorf("store: %w", kv.ErrDiskFull)}, Stopped},
		{AdviseFolder(&os.PathError{Op: "mkdir", Path: "d/x", Err: syscall.ENOSPC}, "d"), Stopped},
		{AdviseFolder(&os.PathError{Op: "open", Path: "d/x", Err: syscall.EDQUOT}, "d"), Stopped},
		{AdviseFolder(fmt.Errorf("store: %w", kv.ErrDiskFull), "d"), Stopped},
		{fmt.Errorf("output: %w", &os.PathError{Op: "write", Path: "f", Err: syscall.ENOSPC}), Stopped},
		{fmt.Errorf("%w: 3 windows", ErrTerminated), Stopped},
		{fmt.Errorf("%w: 3 windows", ErrInterrupted), Interrupted},
		{errors.Join(ErrInterrupted, errors.New("x")), Interrupted},
		{kv.ErrCorrupt, Failed},
		{Hint(&RemoteError{errors.New("x"), Differs}, "y"), Differs},
		{&RemoteError{Err: errors.New("x")}, Failed},
		{context.Canceled, Failed},
	} {
		if got := Code(test.err); got != test.want {
			t.Errorf("Code(%v) = %d, want %d", test.err, got, test.want)
		}
	}
}

func TestReport(t *testing.T) {
	const sentence = "Open failed." // such as libraries write
	for _, test := range []struct {
		err  error
		want string
	}{
		{errors.New(sentence), "error: open failed\n"},
		{errors.New("OEIS has\n\tit"), "error: OEIS has it\n"},
		{errors.New(strings.Repeat("/abc", 1000) + "/x.yaml: none"),
			"error: " + strings.Repeat("/abc", 30) + "..." + strings.Repeat("/abc", 13) + "/x.yaml: none\n"},
		{errors.New("bad \x1b[31m name\x00"), "error: bad ?[31m name?\n"},
		{Hint(errors.New("x"), "Try y."), "error: x\nhint: try y\n"},
		{fmt.Errorf("in z: %w", Hint(errors.New("x"), "y")), "error: in z: x\nhint: y\n"},
		{&config.Error{Where: "f", Err: errors.New("x")}, "error: f: x\n"},
	} {
		var b bytes.Buffer
		Report(&b, false, test.err)
		if b.String() != test.want {
			t.Errorf("Report(%q) = %q, want %q", test.err, b.String(), test.want)
		}
	}
	var b bytes.Buffer
	Report(&b, true, errors.New("x"))
	if b.String() != "\x1b[1;31merror:\x1b[0m x\n" {
		t.Errorf("in colour: %q", b.String())
	}
}

func TestCause(t *testing.T) {
	live := context.Background()
	ended, cancel := context.WithCancelCause(live)
	cancel(ErrTerminated)
	other := errors.New("other")
	told := fmt.Errorf("%w: 3 windows", ErrInterrupted)
	for _, test := range []struct {
		ctx       context.Context
		err, want error
	}{
		{live, nil, nil}, {ended, nil, nil}, {live, other, other}, {ended, other, other},
		{ended, fmt.Errorf("read: %w", context.Canceled), ErrTerminated}, {live, context.Canceled, context.Canceled},
		{ended, told, told},
	} {
		if got := Cause(test.ctx, test.err); fmt.Sprint(got) != fmt.Sprint(test.want) || !errors.Is(got, test.want) {
			t.Errorf("Cause(%v) = %v, want %v", test.err, got, test.want)
		}
	}
}

// TestSignals sends signals to the test's own process.
func TestSignals(t *testing.T) {
	for _, test := range []struct {
		signal syscall.Signal
		cause  error
		code   int
	}{{syscall.SIGINT, ErrInterrupted, Interrupted}, {syscall.SIGTERM, ErrTerminated, Stopped}} {
		quit := make(chan int, 1)
		ctx, stop := Signals(context.Background(), func(code int) { quit <- code })
		if err := syscall.Kill(os.Getpid(), test.signal); err != nil {
			t.Fatal(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Minute):
			t.Fatal("the first signal does not end the context")
		}
		if got := context.Cause(ctx); !errors.Is(got, test.cause) || !errors.Is(got, context.Canceled) {
			t.Errorf("cause %v, want %v", got, test.cause)
		}
		if err := syscall.Kill(os.Getpid(), test.signal); err != nil {
			t.Fatal(err)
		}
		select {
		case code := <-quit:
			if code != test.code {
				t.Errorf("second signal: exit code %d, want %d", code, test.code)
			}
		case <-time.After(time.Minute):
			t.Fatal("the second signal does not end the process")
		}
		stop()
	}
}

func TestAFileIsNoTerminal(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if Terminal(f, []string{"TERM=xterm"}) || Colour(f, []string{"TERM=xterm"}) {
		t.Error("a file passes for a terminal")
	}
}

func TestMachine(t *testing.T) {
	if m := Machine(); m.CPUs < 1 || m.MemoryBytes < 1<<20 {
		t.Errorf("machine %+v", m)
	}
}
