package engine_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/status"
)

// TestDoing checks the windows that a coordinator lists as worked on: one that is held up in a worker, and none that
// the plan lacks, whatever a worker says.
func TestDoing(t *testing.T) { synctest.Test(t, testDoing) }

func testDoing(t *testing.T) {
	y, c, gate := heldCluster(t)
	ctx, epoch := t.Context(), c.Announcement().Epoch
	doing := func(worker string) []status.Doing {
		for _, w := range c.Status(ctx).Workers {
			if w.Name == worker {
				return w.Doing
			}
		}
		t.Fatalf("no worker %s", worker)
		return nil
	}
	held := time.Now()
	time.Sleep(time.Second) // in virtual time: heartbeats pass, of which each says the same
	list := doing("a")
	if len(list) != 1 || !strings.HasPrefix(list[0].Window, "3/") || list[0].Copy ||
		list[0].Since.After(held) || held.Sub(list[0].Since) > time.Second {
		t.Errorf("worker a, of which a window of layer 3 is held up since %s: %+v", held, list)
	}

	join := protocol.Join{
		Version: protocol.Version, Run: y.run, Worker: "x", Incarnation: "i", Concurrency: 1, More: true,
	}
	if r := c.Join(ctx, join); r.Error != "" {
		t.Fatal(r.Error)
	}
	known := puzzle.WindowID{Cell: puzzle.Cell{Layer: 1, Key: "k0"}}
	beat := protocol.Heartbeat{Run: y.run, Worker: "x", Incarnation: "i", Epoch: epoch, Doing: []protocol.Doing{
		{Window: puzzle.WindowID{Cell: puzzle.Cell{Layer: 99, Key: "k0"}}},
		{Window: known, Copy: true, Millis: 2000},
	}}
	if r := c.Heartbeat(ctx, beat); r.Error != "" || r.Rejoin || r.Stop {
		t.Fatalf("%+v", r)
	}
	want := status.Doing{Window: known.String(), Copy: true, Since: time.Now().Add(-2 * time.Second)}
	if list := doing("x"); len(list) != 1 || !list[0].Since.Equal(want.Since) || list[0].Window != want.Window ||
		!list[0].Copy {
		t.Errorf("worker x: %+v, want %+v", list, want)
	}
	beat.Doing = nil
	if r := c.Heartbeat(ctx, beat); r.Error != "" || len(doing("x")) != 0 {
		t.Errorf("a worker that does nothing: %+v, %+v", r, doing("x"))
	}
	gate.open()
	if err := y.end(); err != nil {
		t.Fatal(err)
	}
}
