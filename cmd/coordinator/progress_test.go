package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"strings"
	"syscall"
	"testing"
	"time"

	"pagoda/internal/app/cli"
	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/status"
)

func TestProgressAddsUp(t *testing.T) {
	var logged bytes.Buffer
	all := &slog.HandlerOptions{Level: slog.LevelDebug}
	p := &progress{begun: time.Now(), log: slog.New(slog.NewTextHandler(&logged, all))}
	e := p.events()
	e.Resumed(coordinator.Resumed{Run: "r", Windows: 10, Rows: 100, Bytes: 1000, Absent: 3, Again: 2, Left: 12})
	e.Planned(coordinator.Planned{Layers: 4, Cells: 5, Windows: 20, Addresses: 2000})
	w := puzzle.Window{Cell: puzzle.Cell{Layer: 2, Key: "k"}, Addresses: 100}
	e.Committed(coordinator.Committed{Window: w, Rows: 30, Bytes: 300, Done: 11, Total: 20})
	e.Committed(coordinator.Committed{Window: w, Rows: 30, Bytes: 300, Done: 11, Total: 20, Again: true})
	e.LayerDone(coordinator.LayerDone{Layer: 2})
	e.LayerDone(coordinator.LayerDone{Layer: 1})
	e.Retry(coordinator.Retry{Window: w.ID(), Attempt: 1, Worker: "w1", Err: errors.New("boom")})
	e.Lost(coordinator.Lost{Window: w.ID(), Worker: "w1", Cause: "digest"})
	e.Quarantined(coordinator.Quarantined{Window: w.ID(), Attempts: 3, Err: errors.New("boom")})
	e.Resubmitted(coordinator.Resubmitted{Tasks: 4})
	e.Refused(coordinator.Refused{Workers: []kv.Refusal{{Worker: "w2", Window: "2/k/0", Reason: "digest"}}})
	e.Assigned(coordinator.Assigned{Worker: "w1", Windows: []protocol.TaskWindow{{Window: w, Audit: true}}})
	e.Assigned(coordinator.Assigned{Windows: []protocol.TaskWindow{{Window: w, Copy: new(protocol.LocatedWindow)}}})
	e.Audited(coordinator.Audited{Window: w.ID(), Worker: "w1", Took: time.Second, Holds: true})
	e.Copied(coordinator.Copied{Window: w.ID(), Worker: "w1"})
	e.Dropped(coordinator.Dropped{Windows: []puzzle.WindowID{w.ID()}})
	e.WorkerLost(coordinator.WorkerLost{Worker: "w1", Silent: time.Second, Windows: 2, Again: 1})
	e.WorkerDrains(coordinator.WorkerDrains{Worker: "w1", ToCopy: 7})
	e.WorkerDrains(coordinator.WorkerDrains{Worker: "w2", Alone: true})
	e.WorkerDrains(coordinator.WorkerDrains{Worker: "w3", Archive: true})
	e.Disks(status.Disks{NeedBytes: 3 << 30, RoomBytes: 1 << 30, Workers: 2, Disks: 1, MoreLayers: true})
	e.Disks(status.Disks{NeedBytes: 1 << 30, RoomBytes: 1 << 30, Workers: 2, Disks: 2, Fits: true})
	s, _ := p.snapshot()
	want := state{
		layer: 3, layers: 4, done: 11, windows: 20, addresses: 2000, rows: 130, bytes: 1300, newRows: 60, newAddresses: 200,
		reused: 10, again: 1, retries: 1,
	}
	if s != want {
		t.Errorf("state %+v, want %+v", s, want)
	}
	for _, line := range []string{
		`level=INFO msg=resuming windows_reused=10 rows=100 bytes=1000 windows_left=12 ` +
			`why="same run and same parameters, committed before; rows of 3 windows are not on disk, ` +
			`2 of them are needed and computed again"`,
		`level=WARN msg="window failed and is tried again" layer=2 window=2/k/0 attempt=1 worker=w1 error=boom`,
		`level=WARN msg="window is gone or damaged and is computed again" layer=2 window=2/k/0 worker=w1 cause=digest`,
		`level=ERROR msg="window failed too often" layer=2 window=2/k/0 attempts=3 error=boom`,
		`level=WARN msg="the queue lost tasks, they were sent again" tasks=4`,
		`level=DEBUG msg="window committed" layer=2 window=2/k/0 rows=30 bytes=300 took=0s` + "\n",
		`level=ERROR msg="worker reported a wrong result and is refused from now on" layer=2 window=2/k/0 worker=w2 ` +
			`reason=digest`,
		`level=DEBUG msg="window assigned" layer=2 window=2/k/0 worker=w1 audit=true` + "\n",
		`level=DEBUG msg="window assigned" layer=2 window=2/k/0 copy=true` + "\n",
		`level=DEBUG msg="window audited" layer=2 window=2/k/0 worker=w1 took=1s holds=true` + "\n",
		`level=DEBUG msg="window copied" layer=2 window=2/k/0 worker=w1` + "\n",
		`level=DEBUG msg="window dropped" layer=2 window=2/k/0` + "\n",
		`level=WARN msg="worker lost" worker=w1 windows_lost=2 windows_again=1 silent=1s` + "\n",
		`level=INFO msg="worker is leaving, others copy the windows that only it holds" worker=w1 windows=7`,
		`level=INFO msg="worker is leaving, no other is there to copy its windows" worker=w2`,
		`level=INFO msg="worker is leaving, it uploads its windows to the archive" worker=w3`,
		`level=WARN msg="the run may not fit on the disks of its workers; a worker whose disk is full ends" ` +
			`needs_up_to="3.00 GiB in the layers planned so far" there_are="1.00 GiB" workers=2 disks=1 hint="larger disks `,
		`level=INFO msg="the run may fit on the disks of its workers now" needs_up_to="1.00 GiB" there_are="1.00 GiB" ` +
			`workers=2 disks=2` + "\n",
	} {
		if !strings.Contains(logged.String(), line) {
			t.Errorf("not logged: %s\n%s", line, logged.String())
		}
	}
	if r := s.rate(30 * time.Second); r != 2 {
		t.Errorf("rate %v", r)
	}
}

// TestProgressOfStatus demands of a status from a coordinator elsewhere the same progress as there.
func TestProgressOfStatus(t *testing.T) {
	p := &progress{begun: time.Now()}
	now, left := time.Now(), &status.Left{Low: 3, High: 9}
	p.remote(&status.Status{
		Windows: 20, Done: 12, Rows: 130, Bytes: 1300, Addresses: 2000, Committed: 2, NewRows: 60, NewAddresses: 200,
		Retries: 1, Started: now.Add(-10 * time.Second), Updated: now, Left: left,
		FleetStatus: status.FleetStatus{
			Waiting: &status.Waiting{For: "a worker", Since: now.Add(-30 * time.Second)},
			Workers: []status.WorkerStatus{{ToCopy: 5}, {}, {ToCopy: 2}},
		},
		Layers: []plan.Progress{
			{Layer: 0, Windows: 4, Done: 4}, {Layer: 1, Windows: 8, Done: 8}, {Layer: 2, Windows: 8, Done: 0}, {Layer: 3},
		},
	})
	s, elapsed := p.snapshot()
	want := state{
		layer: 2, layers: 4, done: 12, windows: 20, addresses: 2000, rows: 130, bytes: 1300, newRows: 60, newAddresses: 200,
		reused: 10, retries: 1,
		forecast: forecast{left: left, waiting: "a worker", waited: 30 * time.Second, leaving: 2, toCopy: 7},
	}
	if s != want {
		t.Errorf("state %+v, want %+v", s, want)
	}
	if line := p.line(200); !strings.Contains(line, "2 workers leaving, 7 windows to copy") {
		t.Errorf("line %q", line)
	}
	if elapsed < 10*time.Second {
		t.Errorf("running for %v", elapsed)
	}
}

func TestEndsOfARun(t *testing.T) {
	s := state{done: 3, windows: 5}
	for _, test := range []struct {
		err  error
		code int
		text string
	}{
		{cli.ErrInterrupted, cli.Interrupted, "interrupted: 3 of 5 windows are committed"},
		{cli.ErrTerminated, cli.Stopped, "asked to stop by SIGTERM: 3 of 5 windows are committed"},
		{plan.ErrPlan, cli.Failed, "the run was begun by a program that planned it otherwise"},
		{kv.ErrDiskFull, cli.Stopped, "no space left on device: 3 of 5 windows are committed"},
		{puzzle.ErrOverflow, cli.Failed, "count exceeds 128 bits"},
		{&plan.FlowError{}, cli.Failed, "flow is not conserved"},
		{errors.New("boom"), cli.Failed, "boom"},
	} {
		err := ended(test.err, s)
		var user *cli.UserError
		if cli.Code(err) != test.code || !strings.HasPrefix(err.Error(), test.text) || !errors.As(err, &user) {
			t.Errorf("ended(%v) = %v with code %d, want %s with code %d", test.err, err, cli.Code(err), test.text, test.code)
		}
	}
}

func TestFolderErrors(t *testing.T) {
	for _, test := range []struct {
		cause error
		code  int
		text  string
	}{
		{syscall.EROFS, cli.Usage, "data folder d: read-only file system"},
		{syscall.EACCES, cli.Usage, "data folder d: permission denied"},
		{syscall.ENOSPC, cli.Stopped, "data folder d: no space left on device"},
		{syscall.ENOTDIR, cli.Usage, "data folder d: not a directory"},
		{syscall.EIO, cli.Failed, "data folder d: input/output error"},
	} {
		err := cli.AdviseFolder(&fs.PathError{Op: "mkdir", Path: "d/x", Err: test.cause}, "d")
		if err.Error() != test.text || cli.Code(err) != test.code {
			t.Errorf("%v: %q with code %d, want %q with code %d", test.cause, err, cli.Code(err), test.text, test.code)
		}
	}
	if cli.AdviseFolder(nil, "d") != nil {
		t.Error("no error becomes one")
	}
}

func TestAwaitEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cli.ErrInterrupted)
	forever := make(chan struct{})
	defer close(forever)
	_, err := await(ctx, func() (int, error) { <-forever; return 0, nil })
	if !errors.Is(err, cli.ErrInterrupted) {
		t.Errorf("error %v", err)
	}
	if v, err := await(context.Background(), func() (int, error) { return 7, nil }); v != 7 || err != nil {
		t.Errorf("%v, %v", v, err)
	}
}

func TestLine(t *testing.T) {
	p := &progress{state: state{layer: 12, layers: 32, done: 3, windows: 4, bytes: 2048}}
	for width, want := range map[int]string{
		100: "layer 12/32  windows 3/4 [============>---------] left unknown  0 classes/s  2.00 KiB",
		60:  "layer 12/32  windows 3/4 [===========>--------] left unknown",
		50:  "layer 12/32  windows 3/4 [=====>----] left unknown",
		30:  "layer 12/32  windows 3/4  lef…",
	} {
		if got := p.line(width); got != want {
			t.Errorf("%d columns: %q, want %q", width, got, want)
		}
	}
	for done, want := range []string{"[--------]", "[=>------]", "[==>-----]", "[====>---]", "[=====>--]", "[=======>]"} {
		if got := bar(done, 5, 10); got != want {
			t.Errorf("%d of 5: %s, want %s", done, got, want)
		}
	}
}
