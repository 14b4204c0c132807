package coordinator

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/plan/plantest"
	"pagoda/internal/run/protocol"
)

// first is the first window of a grid, and inFirst describes it as a worker does.
var (
	first   = puzzle.WindowID{Cell: puzzle.Cell{Layer: 0, Key: "a0"}}
	inFirst = puzzle.Window{Cell: first.Cell, Addresses: 10}
)

// brings returns the message of a worker that joins and holds some windows.
func brings(worker string, held ...protocol.Held) protocol.Join {
	return protocol.Join{Version: protocol.Version, Run: paperRun, Worker: worker, Incarnation: "i", Concurrency: 3,
		Address: worker + ":1", Held: held}
}

// loses has a window lose all its holders, and queues it again.
func (l *led) loses(id puzzle.WindowID) {
	if _, err := l.c.plan.DropReplicas(id); err != nil {
		l.t.Fatal(err)
	}
	l.c.wantLost(1)
	l.c.stopOn(l.c.advance(l.t.Context()))
}

// TestInventory: a worker that joins keeps the windows that are right and of use, and counts as their holder.
func TestInventory(t *testing.T) {
	child := puzzle.Window{Cell: puzzle.Cell{Layer: 1, Key: "a0"}, Addresses: 10}
	for _, c := range []struct {
		name        string
		change      func(l *led, h *protocol.Held)
		keeps, held bool
		out         int // windows that are given out in the end
	}{
		{"right", nil, true, true, 2},
		{"other rows", func(_ *led, h *protocol.Held) { h.Digest[0]++ }, false, false, 2},
		{"other addresses", func(_ *led, h *protocol.Held) { h.Window.Addresses++ }, false, false, 2},
		{"another cell", func(_ *led, h *protocol.Held) { h.Window.Key = "zz" }, false, false, 2},
		{"a layer after the last", func(_ *led, h *protocol.Held) { h.Window.Layer = 99 }, false, false, 2},
		{"a layer that may come", func(l *led, h *protocol.Held) {
			h.Window.Layer, l.c.plan.Decided = len(l.c.plan.PlannedLayers), false
		}, true, false, 2},
		{"another cell, while layers may come", func(l *led, h *protocol.Held) {
			h.Window.Key, l.c.plan.Decided = "zz", false
		}, false, false, 2},
		{"not committed", func(_ *led, h *protocol.Held) { h.Window = child }, true, false, 2},
		{"not committed, and forgotten before", func(l *led, h *protocol.Held) {
			h.Window = child
			l.suspect(child.ID())
		}, false, false, 2},
		{"to be computed anew", func(l *led, _ *protocol.Held) { l.window(first).Fresh = true }, false, false, 2},
		{"lost", func(l *led, _ *protocol.Held) { l.loses(first) }, true, true, 2},
		{"lost, and its audit is out", func(l *led, _ *protocol.Held) {
			l.loses(first)
			l.window(first).Audit, l.c.o.Recompute = true, nil
		}, true, true, 3},
		{"lost once", func(l *led, _ *protocol.Held) {
			l.loses(first)
			l.window(first).Losses = 1
		}, true, true, 2},
		{"lost too often", func(l *led, _ *protocol.Held) {
			l.loses(first)
			l.window(first).Losses = 2
		}, true, false, 3},
		{"lost often, and there", func(l *led, _ *protocol.Held) { l.window(first).Losses = 2 }, true, true, 2},
		{"held by many", func(l *led, _ *protocol.Held) { l.holdMore(maxReplicas - 2) }, true, true, 2},
		{"held by too many", func(l *led, _ *protocol.Held) { l.holdMore(maxReplicas - 1) }, true, false, 2},
		{"held by too many with it", func(l *led, _ *protocol.Held) {
			l.holdMore(maxReplicas - 2)
			l.hold(first, "n")
		}, true, true, 2},
		{"needed by nothing", func(l *led, _ *protocol.Held) {
			l.c.o.Retention = plan.RetainSummary
			l.compute("h", 1)
		}, false, false, 1},
		{"needed by nothing, without rows", func(l *led, _ *protocol.Held) {
			l.c.o.Retention, l.window(first).Rows = plan.RetainSummary, 0
			l.compute("h", 1)
		}, true, true, 1},
	} {
		l := lead(t, plantest.Grid(2), Options{}, "h", "o") // with two, a lost window is given out at once
		l.compute("h", 1)
		h := protocol.Held{Window: inFirst}
		if c.change != nil {
			c.change(l, &h)
		}
		before, _ := l.c.account.Serial(first)
		out := l.Join(t.Context(), brings("n", h))
		if task, given := l.c.account.Serial(first); given && task != before {
			t.Errorf("%s: it is given out anew", c.name)
		}
		held := slices.Contains(l.holders(first), "n")
		if out.Error != "" || (len(out.Drop) == 0) != c.keeps || held != c.held || l.c.account.Windows() != c.out {
			t.Errorf("%s: %+v, held %t, %d windows out", c.name, out, held, l.c.account.Windows())
		}
		if len(out.Drop) > 0 && out.Drop[0] != h.Window.ID() {
			t.Errorf("%s: it drops %v", c.name, out.Drop)
		}
	}
}

// holdMore has n more workers hold the first window.
func (l *led) holdMore(n int) {
	for i := range n {
		l.hold(first, fmt.Sprint("more", i))
	}
}

// TestJoinAgain: an inventory replaces the one before. Windows that it does not name any more are computed again, and
// those that it brings are not.
func TestJoinAgain(t *testing.T) {
	var joined []WorkerJoined
	events := Events{WorkerJoined: func(e WorkerJoined) { joined = append(joined, e) }}
	l := lead(t, plantest.Grid(2), Options{Events: events}, "h")
	l.compute("h", 1)
	demand := func(want WorkerJoined, given string) {
		t.Helper()
		want.Worker, want.Address, want.Concurrency = "h", "h:1", 3
		if got := joined[len(joined)-1]; got != want || l.given() != given {
			t.Errorf("told %+v, given out %q, want %+v and %q", got, l.given(), want, given)
		}
	}
	l.Join(t.Context(), brings("h"))
	demand(WorkerJoined{Missing: 1, Again: 1}, "1/a0/0> 1/a1/0> 0/a0/0>")
	l.tasks = nil
	page := brings("h", protocol.Held{Window: inFirst})
	page.More = true
	if l.Join(t.Context(), page); l.c.members.Get("h").Working() || len(joined) != 2 {
		t.Error("an inventory is not complete, and its worker is given tasks")
	}
	l.Join(t.Context(), func() protocol.Join { j := brings("h"); j.Page = 1; return j }())
	demand(WorkerJoined{Held: 1}, "")
}

// TestJoinCancels: windows that were queued to be computed again, and are not needed once their reader's rows are
// there, are cancelled.
func TestJoinCancels(t *testing.T) {
	var joined []WorkerJoined
	l := lead(t, plantest.Wide{Depth: 3, Windows: 40}, Options{
		TaskTime: 1, Retention: plan.RetainLast,
		Events: Events{WorkerJoined: func(e WorkerJoined) { joined = append(joined, e) }},
	}, "h")
	l.compute("h", 80)
	l.Join(t.Context(), brings("h"))
	l.compute("h", 5)
	var held []protocol.Held
	for part := range 40 {
		held = append(held, protocol.Held{Window: l.c.plan.Index[puzzle.Cell{Layer: 1, Key: "a"}].Window(part)})
	}
	queued := 0
	for _, w := range l.c.plan.Index[puzzle.Cell{Layer: 0, Key: "a"}].Parts {
		if w.State == plan.WindowQueued {
			queued++
		}
	}
	l.c.dropping = dropping{} // these cells have been looked at
	l.Join(t.Context(), brings("g", held...))
	if got := joined[len(joined)-1]; got.Held != 40 || got.Cancelled != queued || queued == 0 {
		t.Errorf("told %+v, %d windows were queued", got, queued)
	}
	// What h has computed again meanwhile is superfluous then, and goes in the end.
	superfluous := func() (n int) {
		for layer := range 2 {
			cell := l.c.plan.Index[puzzle.Cell{Layer: layer, Key: "a"}]
			for part := range cell.Parts {
				if len(l.holders(cell.WindowID(part))) > 0 {
					n++
				}
			}
		}
		return n
	}
	if n := superfluous(); n <= 40 {
		t.Errorf("%d windows of the first two layers are held when g has joined", n)
	}
	if l.compute("g", 200); superfluous() > 0 || l.c.running() {
		t.Errorf("%d windows of the first two layers are held in the end; over %t", superfluous(), !l.c.running())
	}
}

// TestJoinRefused names the joins that are not taken, and why.
func TestJoinRefused(t *testing.T) {
	var unfit []Unfit
	for _, c := range []struct {
		name, want string
		change     func(l *led, j *protocol.Join)
		stop       bool
	}{
		{"right", "", func(*led, *protocol.Join) {}, false},
		{"a worker that names a later epoch", "", func(_ *led, j *protocol.Join) { j.Epoch = protocol.MaxEpoch }, false},
		{"another run", "worker n joins run x; this is run " + paperRun, func(_ *led, j *protocol.Join) {
			j.Run = "x"
		}, false},
		{"another version", "version 99", func(_ *led, j *protocol.Join) { j.Version, j.Program = 99, "v9" }, false},
		{"a later page", "page 1 of the inventory of worker n is out of turn", func(l *led, j *protocol.Join) {
			l.Join(l.t.Context(), *j)
			j.Page = 1
		}, false},
		{"another process took the name", "another process has joined as worker n", func(l *led, j *protocol.Join) {
			for _, process := range []string{"1", "2"} {
				j.Incarnation = process
				l.Join(l.t.Context(), *j)
			}
			l.c.members.Get("n").Hear(l.now)
			j.Incarnation = "1"
		}, true},
		{"refused", "worker n is refused in this run: window w: wrong", func(l *led, _ *protocol.Join) {
			l.c.doubt.Load(nil, []kv.Refusal{{Worker: "n", Window: "w", Reason: "wrong"}}, nil)
		}, true},
		{"the run has failed", "no space", func(l *led, _ *protocol.Join) { l.c.stopOn(fmt.Errorf("no space")) }, true},
		{"another coordinator", "another coordinator has taken over", func(l *led, _ *protocol.Join) { l.c.fence(6) }, false},
	} {
		l := lead(t, plantest.Grid(2), Options{
			Events: Events{Unfit: func(e Unfit) { unfit = append(unfit, e) }},
		}, "h")
		j := brings("n")
		c.change(l, &j)
		for range 2 {
			out := l.Join(t.Context(), j)
			told := (out.Error == "") == (c.want == "") && strings.Contains(out.Error, c.want)
			if out.Stop != c.stop || !told || out.Epoch != 5 {
				t.Errorf("%s: %+v", c.name, out)
			}
		}
	}
	want := Unfit{"n", "v9", "it speaks version 99 of the messages, the coordinator version 2"}
	if !slices.Equal(unfit, []Unfit{want}) {
		t.Errorf("told of %v, want %v", unfit, want)
	}
}

// TestUnfit: a worker that cannot take part is told of once a minute for each other reason, and listed until it joins.
func TestUnfit(t *testing.T) {
	var told []string
	l := lead(t, plantest.Grid(2), Options{Events: Events{Unfit: func(e Unfit) { told = append(told, e.Reason) }}}, "h")
	b := protocol.Heartbeat{Run: paperRun, Worker: "n", Incarnation: "i", Program: "v9"}
	for _, b.Unfit = range []string{"no memory", "no memory", "no config", "no config", "no config"} {
		l.now = l.now.Add(20 * time.Second)
		if out := l.c.heartbeat(t.Context(), &b); out.Rejoin || out.Stop || out.Error != "" || out.Epoch != 5 {
			t.Errorf("answer %+v", out)
		}
	}
	if want := []string{"no memory", "no config"}; !slices.Equal(told, want) {
		t.Errorf("told of %v, want %v", told, want)
	}
	list := l.c.state().Unfit
	if len(list) != 1 || list[0].Name != "n" || list[0].Program != "v9" || list[0].Reason != "no config" {
		t.Errorf("listed: %+v", list)
	}
	l.Join(t.Context(), brings("n"))
	if list := l.c.state().Unfit; len(list) > 0 {
		t.Errorf("listed though it has joined: %+v", list)
	}
}

// TestReplacedProcess: the tasks of a process go to others when another process joins under its name.
func TestReplacedProcess(t *testing.T) {
	l := lead(t, plantest.Grid(2), Options{Fleet: FleetOptions{Locality: true}}, "h")
	if l.given() != "0/a0/0>h" {
		t.Fatalf("given out: %s", l.given())
	}
	l.tasks = nil
	j := brings("h")
	j.Incarnation = "2"
	if l.Join(t.Context(), j); l.given() != "0/a0/0>h" || l.c.account.Tasks() != 1 {
		t.Errorf("given out after another process has come: %s, %d tasks out", l.given(), l.c.account.Tasks())
	}
}

// TestHeartbeatsBeforeTimeout: workers are told to send four heartbeats in the time after which a silent one is let go.
func TestHeartbeatsBeforeTimeout(t *testing.T) {
	for timeout, want := range map[time.Duration]int64{
		0: 0, 10 * time.Second: 0, 8 * time.Second: 0, 7 * time.Second: 1750, time.Second: 250,
	} {
		l := lead(t, plantest.Grid(2), Options{Fleet: FleetOptions{WorkerTimeout: timeout}})
		msg := brings("h")
		if got := l.c.join(t.Context(), &msg); got.Error != "" || got.BeatMillis != want {
			t.Errorf("timeout %v: %+v, want a heartbeat every %d ms", timeout, got, want)
		}
	}
}

// TestHeartbeats: a heartbeat counts for the run, epoch and process that has joined. A worker that says that it leaves
// is given nothing more, and its tasks go to others.
func TestHeartbeats(t *testing.T) {
	rejoin := protocol.HeartbeatResponse{Rejoin: true}
	for _, c := range []struct {
		name   string
		change func(l *led, b *protocol.Heartbeat)
		want   protocol.HeartbeatResponse
	}{
		{"right", func(*led, *protocol.Heartbeat) {}, protocol.HeartbeatResponse{}},
		{"right, without a queue", func(l *led, _ *protocol.Heartbeat) { l.c.queueDown = "no quorum" },
			protocol.HeartbeatResponse{QueueDown: "no quorum"}},
		{"another run", func(_ *led, b *protocol.Heartbeat) { b.Run = "x" },
			protocol.HeartbeatResponse{Error: "worker h beats for run x; this is run " + paperRun}},
		{"an earlier epoch", func(_ *led, b *protocol.Heartbeat) { b.Epoch-- }, rejoin},
		{"a later epoch", func(_ *led, b *protocol.Heartbeat) { b.Epoch++ }, rejoin},
		{"another process", func(_ *led, b *protocol.Heartbeat) { b.Incarnation = "2" }, rejoin},
		{"an unknown worker", func(_ *led, b *protocol.Heartbeat) { b.Worker = "n" }, rejoin},
		{"another coordinator", func(l *led, _ *protocol.Heartbeat) { l.c.fence(6) }, rejoin},
		{"the run is complete", func(l *led, _ *protocol.Heartbeat) { close(l.c.over) },
			protocol.HeartbeatResponse{Stop: true}},
		{"the run has failed", func(l *led, _ *protocol.Heartbeat) { l.c.stopOn(fmt.Errorf("no space")) },
			protocol.HeartbeatResponse{Stop: true, Error: "run " + paperRun + ": no space"}},
	} {
		l := lead(t, plantest.Grid(2), Options{}, "h")
		l.now = l.now.Add(3 * time.Second)
		b := protocol.Heartbeat{Run: paperRun, Worker: "h", Incarnation: "i", Epoch: 5, Busy: 2, Moved: 7}
		c.change(l, &b)
		c.want.Epoch = 5
		over := c.want.Stop
		if got := l.c.heartbeat(t.Context(), &b); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		m := l.c.members.Get("h")
		if heard := m.LastHeard.Equal(l.now); heard != strings.HasPrefix(c.name, "right") || m.KnowsOver != over {
			t.Errorf("%s: heard %t, knows that it is over %t", c.name, heard, m.KnowsOver)
		}
	}
	l := lead(t, plantest.Grid(2), Options{Fleet: FleetOptions{Locality: true}}, "h")
	l.join("n")
	from := l.tasks[0].To
	other := map[string]string{"h": "n", "n": "h"}[from]
	l.tasks = nil
	for range 2 {
		b := protocol.Heartbeat{Run: paperRun, Worker: from, Incarnation: "i", Epoch: 5, Leaving: true}
		l.c.heartbeat(t.Context(), &b)
	}
	if l.given() != "0/a0/0>"+other {
		t.Errorf("%s leaves, and %q is given out", from, l.given())
	}
}
