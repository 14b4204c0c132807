package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"pagoda/internal/app/api"
	"pagoda/internal/app/cli"
	"pagoda/internal/output/render"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/status"
)

// watched is a status of a run with 40 layers and 30 workers, of which so many windows are done.
func watched(state string, done int) *api.Status {
	s := status.Status{Run: "336d5d54123e", Puzzle: "peg", State: state, Planned: true, Windows: 4000, Done: done}
	for n := range 40 {
		s.Layers = append(s.Layers, plan.Progress{Layer: n, Windows: 100, Done: min(100, max(0, done-100*n))})
	}
	for _, name := range []string{"anna", "bert"} {
		s.Workers = append(s.Workers, status.WorkerStatus{Name: name, State: status.WorkerActive, Concurrency: 1})
	}
	return &api.Status{Status: s}
}

// lastPicture is the last picture of statusScreen, as lines. Pictures are written over each other: every line erases
// the rest of it to the right, the last one the lines below, and nothing else is erased.
func lastPicture(t *testing.T, text string) []string {
	t.Helper()
	if !strings.HasPrefix(text, enterScreen) || strings.Contains(text, "\x1b[2J") {
		t.Fatalf("not the second screen, or it is cleared: %q", text)
	}
	text, _, _ = strings.Cut(text, leaveScreen)
	text = text[strings.LastIndex(text, toCorner)+len(toCorner):]
	text, whole := strings.CutSuffix(text, eraseBelow)
	lines := strings.Split(text, "\r\n")
	for i := range lines {
		line, ok := strings.CutSuffix(lines[i], eraseLine)
		if !ok || strings.Contains(line, "\x1b") {
			t.Errorf("line %q leaves what was there before", line)
		}
		lines[i] = line
	}
	if !whole {
		t.Errorf("no whole picture: %q", text)
	}
	return lines
}

// resize gives a terminal another size.
func resize(t *testing.T, f *os.File, rows, columns uint16) {
	t.Helper()
	if err := unix.IoctlSetWinsize(int(f.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns}); err != nil {
		t.Fatal(err)
	}
}

// TestWatchOnTerminal watches a run on a terminal that changes its size, until Ctrl-C and until its end.
func TestWatchOnTerminal(t *testing.T) {
	master, slave := pseudoTerminal(t)
	resize(t, slave, 24, 50)
	ctx, interrupt := context.WithCancelCause(t.Context())
	a := &app{stdout: slave, stderr: slave, environ: []string{"TERM=xterm"}}
	f := &statusFlags{output: render.Text, every: time.Hour, url: "https://head:7443"}
	ended := make(chan error, 1)
	read := reading(master)

	s := watched(status.StateRunning, 1720)
	go func() {
		ended <- a.watchStatus(ctx, f, func(context.Context) (*api.Status, error) { return s, nil })
	}()
	text := wait(t, read, eraseBelow)
	if got, want := lastPicture(t, text), render.Screen(&s.Status, "", 24, 49); !slices.Equal(got, want) {
		t.Errorf("on 24 rows of 50 columns\n%q, want\n%q", got, want)
	}
	// The terminal has another size long before there is another status.
	resize(t, slave, 32, 120)
	text += wait(t, read, eraseBelow)
	if got, want := lastPicture(t, text), render.Screen(&s.Status, "", 32, 119); !slices.Equal(got, want) {
		t.Errorf("on 32 rows of 120 columns\n%q, want\n%q", got, want)
	}
	interrupt(cli.ErrInterrupted)
	if err := <-ended; !errors.Is(err, cli.ErrInterrupted) {
		t.Errorf("it ended with %v", err)
	}
	wait(t, read, leaveScreen+strings.Join(render.Screen(&s.Status, "", 31, 119), "\r\n")+"\r\n")
}

// TestWatchEnds: on a terminal as elsewhere the run's end is the end, with its error.
func TestWatchEnds(t *testing.T) {
	master, slave := pseudoTerminal(t)
	read := reading(master)
	for _, test := range []struct {
		term string
		last *api.Status
		code int
	}{
		{"xterm", watched(status.StateComplete, 4000), cli.OK},
		{"xterm", watched(status.StateFailed, 4000), cli.Failed},
		{"dumb", watched(status.StateComplete, 4000), cli.OK},
	} {
		a := &app{stdout: slave, stderr: slave, environ: []string{"TERM=" + test.term}}
		f := &statusFlags{output: render.Text, every: time.Millisecond, url: "https://head:7443"}
		n := 0
		err := a.watchStatus(t.Context(), f, func(context.Context) (*api.Status, error) {
			switch n++; n {
			case 1:
				return watched(status.StateRunning, 1720), nil
			case 2:
				return nil, errors.New("head is away")
			}
			return test.last, nil
		})
		if cli.Code(err) != test.code {
			t.Errorf("%s: it ended with %v", test.term, err)
		}
		if test.term == "dumb" {
			if text := wait(t, read, "head is away", "4000 of 4000"); strings.Contains(text, "\x1b") {
				t.Errorf("control sequences on a dumb terminal: %q", text)
			}
			continue
		}
		left := strings.Join(render.Screen(&test.last.Status, "", 23, 159), "\r\n") + "\r\n"
		text := wait(t, read, "head is away", leaveScreen+left)
		if got, want := lastPicture(t, text), render.Screen(&test.last.Status, "", 24, 159); !slices.Equal(got, want) {
			t.Errorf("last picture\n%q, want\n%q", got, want)
		}
	}
}
