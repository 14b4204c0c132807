package natsqueue_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"pagoda/internal/fleet/natsqueue"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
	"pagoda/test/testbed"
)

// A server's wall clock that jumps neither loses the task of a worker that has died, nor keeps it from the others for
// as long as the clock went back.
func TestServerWallClockJumps(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), aloneDir+"="+t.TempDir())
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	dial := func(name string) *nats.Conn {
		t.Helper()
		nc, err := natsqueue.Dial(ctx, natsqueue.DialOptions{URL: strings.TrimSpace(url), Name: name})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(nc.Close)
		return nc
	}
	work := func(nc *nats.Conn, name string) *natsqueue.Work {
		t.Helper()
		w, err := natsqueue.NewWork(nc, "r1", name, natsqueue.WorkOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(w.Close)
		return w
	}
	// The tasks of a worker that vanishes are assigned again after a second.
	tasks, err := natsqueue.NewTasks(ctx, dial("coordinator"), "r1", natsqueue.TaskOptions{AckWait: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	for i, jump := range []time.Duration{-time.Hour, time.Hour, 10 * 365 * 24 * time.Hour, 0} {
		id := "task" + string(rune('1'+i))
		if err := tasks.Submit(ctx, []protocol.Task{{Run: "r1", ID: id, Windows: []protocol.TaskWindow{
			{Window: puzzle.Window{Cell: puzzle.Cell{Key: "k"}, Addresses: 1}},
		}}}); err != nil {
			t.Fatal(err)
		}
		dying := dial("dying")
		if d, err := work(dying, "dying").Next(ctx); err != nil || d.Task().ID != id {
			t.Fatalf("%v, %v", d, err)
		}
		dying.Close()
		if _, err := tasks.Pending(ctx); err != nil {
			t.Fatal(err)
		}
		if err := testbed.SetClock(cmd.Process.Pid, testbed.Skew{Wall: jump}); errors.Is(err, errors.ErrUnsupported) {
			t.Skipf("NOT RUN: %v", err)
		} else if err != nil {
			t.Fatal(err)
		}
		stop := make(chan struct{})
		watched := make(chan error, 1)
		go func() { // as the coordinator does
			for {
				select {
				case <-stop:
					watched <- nil
					return
				case <-time.After(100 * time.Millisecond):
					if n, err := tasks.Pending(ctx); err != nil || n != 1 {
						watched <- errors.Join(err, errors.New("the task is not in the queue any more"))
						return
					}
				}
			}
		}()
		living := work(dial("living"), "living")
		d, err := living.Next(ctx)
		if err != nil || d.Task().ID != id {
			t.Fatalf("after a jump to %s: %v", jump, err)
		}
		close(stop)
		if err := <-watched; err != nil {
			t.Fatal(err)
		}
		if err := d.Ack(); err != nil {
			t.Fatal(err)
		}
		living.Close()
	}
}
