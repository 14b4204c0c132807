//go:build linux

package testbed

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"pagoda/internal/run/pause/pausetest"
)

// asked makes the test program a program that tells the time whenever it is asked, while other threads read the clock
// without pause.
const asked = "PAGODA_TESTBED_TELL_TIME"

func TestMain(m *testing.M) {
	if os.Getenv(asked) != "" {
		tellTime()
		return
	}
	os.Exit(m.Run())
}

func tellTime() {
	begin := time.Now()
	for range runtime.GOMAXPROCS(0) {
		go func() {
			for last := begin; ; {
				now := time.Now()
				if now.Sub(last) < 0 { // the difference of the monotonic readings
					panic("monotonic time went back")
				}
				last = now
			}
		}()
	}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		now := time.Now()
		fmt.Println(now.UnixNano(), int64(now.Sub(begin)))
	}
}

// start starts a program, which ends with the test.
func start(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
}

// TestSetClock makes the clocks of a running process jump to and fro. The test's own clocks do not jump.
func TestSetClock(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asked+"=1", "GOMAXPROCS=3")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	start(t, cmd)
	begin, answers := time.Now(), bufio.NewReader(out)
	ask := func() (wall, monotonic time.Duration) {
		t.Helper()
		if _, err := io.WriteString(in, "?\n"); err != nil {
			t.Fatal(err)
		}
		var w, m int64
		if _, err := fmt.Fscanln(answers, &w, &m); err != nil {
			t.Fatal(err)
		}
		return time.Until(time.Unix(0, w)), time.Duration(m) - time.Since(begin)
	}
	ask()
	const year = 365 * 24 * time.Hour
	skews := []Skew{
		{}, {Wall: time.Hour}, {Wall: -time.Hour}, {Wall: 10 * year}, {Wall: -10*year - time.Nanosecond}, {},
		{Monotonic: time.Hour}, {Wall: 90 * time.Minute, Monotonic: time.Hour}, {Monotonic: time.Hour},
	}
	for range 20 {
		skews = append(skews, Skew{Wall: -time.Hour, Monotonic: time.Hour}, Skew{Monotonic: time.Hour})
	}
	for _, s := range skews {
		err := SetClock(cmd.Process.Pid, s)
		if errors.Is(err, errors.ErrUnsupported) {
			t.Skipf("NOT RUN: %v", err)
		} else if err != nil {
			t.Fatalf("%+v: %v", s, err)
		}
		wall, monotonic := ask()
		// The clocks jump by hours. The test takes less than the 20 minutes allowed.
		if off := wall - s.Wall; off.Abs() > 20*time.Minute {
			t.Errorf("%+v: the wall clock is off by %s", s, off)
		}
		if off := monotonic - s.Monotonic; off.Abs() > 20*time.Minute {
			t.Errorf("%+v: the monotonic clock is off by %s", s, off)
		}
	}
}

// The program is found behind what started it.
func TestProgramOf(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err == nil {
		sleep, err = filepath.EvalSymlinks(sleep)
	}
	if err != nil {
		t.Skip("NOT RUN: no sleep here")
	}
	cmd := exec.Command("sh", "-c", "echo started; sleep 60; true")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	start(t, cmd)
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	pid := 0
	pausetest.Until(t, "it has not been started", func() bool {
		pid, err = programOf(cmd.Process.Pid, sleep)
		return err == nil
	})
	defer func() { _ = syscall.Kill(pid, syscall.SIGKILL) }()
	// A program has its name before it has its arguments.
	pausetest.Until(t, "it has no arguments", func() bool {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err != nil || len(line) > 0 && !strings.HasPrefix(string(line), "sleep\x00") {
			t.Fatalf("%q, %v", line, err)
		}
		return len(line) > 0
	})
}
