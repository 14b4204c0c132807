package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"pagoda/internal/app/cli"
	"pagoda/internal/fleet/ops"
	"pagoda/internal/output/render"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/quantity"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/status"
)

// pseudoTerminal opens a pair: master reads all output that is written to slave.
func pseudoTerminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	master = os.NewFile(uintptr(fd), "ptmx")
	t.Cleanup(func() { _ = master.Close() })
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = slave.Close() })
	widen(t, master, 160)
	return master, slave
}

// widen gives a terminal so many columns.
func widen(t *testing.T, master *os.File, columns uint16) {
	t.Helper()
	size := &unix.Winsize{Row: 24, Col: columns}
	if err := unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, size); err != nil {
		t.Fatal(err)
	}
}

func TestTerminalAndColour(t *testing.T) {
	_, slave := pseudoTerminal(t)
	for _, test := range []struct {
		environ          []string
		terminal, colour bool
	}{
		{[]string{"TERM=xterm"}, true, true},
		{[]string{"TERM=xterm", "NO_COLOR=1"}, true, false},
		{[]string{"TERM=xterm", "NO_COLOR="}, true, true},
		{[]string{"TERM=dumb"}, false, false},
	} {
		if cli.Terminal(slave, test.environ) != test.terminal || cli.Colour(slave, test.environ) != test.colour {
			t.Errorf("%q: not terminal %v, colour %v", test.environ, test.terminal, test.colour)
		}
	}
}

// TestStyle: digits are grouped and boards are as wide as the window on a terminal only, and colours can be refused.
func TestStyle(t *testing.T) {
	_, slave := pseudoTerminal(t)
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	for _, test := range []struct {
		out     *os.File
		environ string
		want    render.Style
	}{
		{slave, "TERM=xterm", render.Style{Width: 160, Grouped: true, Colour: true}},
		{slave, "NO_COLOR=1", render.Style{Width: 160, Grouped: true}},
		{slave, "TERM=dumb", render.Style{}},
		{file, "TERM=xterm", render.Style{}},
	} {
		a := app{stdout: test.out, environ: []string{test.environ}}
		if got := a.style(); got != test.want {
			t.Errorf("%s on %s: %+v, want %+v", test.environ, test.out.Name(), got, test.want)
		}
	}
}

// TestDisplayOnTerminal looks for the line that is redrawn, and for a log line above it.
func TestDisplayOnTerminal(t *testing.T) {
	master, slave := pseudoTerminal(t)
	p := &progress{begun: time.Now()}
	d := newDisplay(slave, []string{"TERM=xterm"}, ops.LogStyle{}, p, "run", "r1")
	p.log = d.log
	e := p.events()
	e.Planned(coordinator.Planned{Layers: 9, Windows: 40, Addresses: 4000})
	e.Committed(coordinator.Committed{Window: puzzle.Window{Addresses: 100}, Rows: 5, Bytes: 2048, Done: 7, Total: 40})
	read := reading(master)
	wait(t, read, "layer 0/9  windows 7/40", "classes/s", "2.00 KiB", "left unknown")
	d.log.Warn("look here")
	wait(t, read, "  warning: look here\r\n")
	d.close()
	d.log.Info("after")
	wait(t, read, "  after\r\n")
}

// TestNarrowDisplay looks at the line on 64 columns: it has its bar and the time left, and the rest of it does not fit.
func TestNarrowDisplay(t *testing.T) {
	master, slave := pseudoTerminal(t)
	widen(t, master, 64)
	p := &progress{begun: time.Now(), state: state{
		layer: 12, layers: 32, done: 1234, windows: 2711, newRows: 5_000_000, bytes: 12_345_678,
		forecast: forecast{left: &status.Left{Low: 200, High: 200}},
	}}
	d := newDisplay(slave, []string{"TERM=xterm"}, ops.LogStyle{}, p)
	text := wait(t, reading(master), "layer 12/32  windows 1234/2711 [=", "] left about "+quantity.Duration(200))
	d.close()
	if strings.Contains(text, "classes/s") || strings.Contains(text, "…") {
		t.Errorf("on 64 columns: %q", text)
	}
}

// TestLogFormOnTerminal: a form that was asked for stays on a terminal too.
func TestLogFormOnTerminal(t *testing.T) {
	master, slave := pseudoTerminal(t)
	style := ops.LogStyle{Form: ops.LogText}
	d := newDisplay(slave, []string{"TERM=xterm"}, style, &progress{begun: time.Now()}, "run", "r1")
	d.close()
	d.log.Warn("look here")
	wait(t, reading(master), `level=WARN msg="look here" run=r1`)
}

// TestDisplayElsewhere: where lines cannot be redrawn there are log lines only, without control sequences.
func TestDisplayElsewhere(t *testing.T) {
	master, slave := pseudoTerminal(t)
	p := &progress{begun: time.Now()}
	d := newDisplay(slave, []string{"TERM=dumb"}, ops.LogStyle{}, p, "run", "r1")
	logProgress(d.log, p)
	d.close()
	read := reading(master)
	text := wait(t, read, "msg=progress run=r1 layer=0 layers=0 windows_done=0 windows=0")
	if strings.Contains(text, "\x1b") {
		t.Errorf("control sequences on a dumb terminal: %q", text)
	}
}

// reading passes on the output that arrives at the master.
func reading(master *os.File) <-chan string {
	out := make(chan string, 1024)
	go func() {
		defer close(out)
		buf := make([]byte, 4096)
		for {
			n, err := master.Read(buf)
			if n > 0 {
				out <- string(buf[:n])
			}
			if err != nil {
				return
			}
		}
	}()
	return out
}

// wait reads until all texts have been seen.
func wait(t *testing.T, read <-chan string, texts ...string) string {
	t.Helper()
	var seen strings.Builder
	deadline := time.After(time.Minute)
	for {
		missing := ""
		for _, text := range texts {
			if !strings.Contains(seen.String(), text) {
				missing = text
			}
		}
		if missing == "" {
			return seen.String()
		}
		select {
		case s := <-read:
			seen.WriteString(s)
		case <-deadline:
			t.Fatalf("%q was not shown; shown was %q", missing, seen.String())
		}
	}
}
